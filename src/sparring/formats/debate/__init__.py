"""The debate of two sides before one judge or several (specification: seed 004; design: Debate).

Reading order: ``options`` declares the options; ``speeches`` has the speeches, with and without their speakers' names;
``rulebook`` has the rules that code checks in them, and the summaries of earlier rounds; ``prompts`` words the asks of
debaters; ``judging`` shows the debate to judges and reads their answers, ``verdict`` obtains the ballots and counts
them; ``flow`` is the course with its endings; ``outcome`` writes parts of the outcome in Markdown, ``report`` the whole
report, and ``page`` what a browser shows in addition.
"""

from typing import Any, cast

from sparring.engine.audited import AuditedSeat
from sparring.engine.capabilities import NoteTaking
from sparring.engine.format import Format, Presentation, Rows, Rules
from sparring.errors import ExitCode
from sparring.formats.debate.options import DebateOptions, complete
from sparring.prompts import PromptLibrary
from sparring.schema import judgement, pairs, runs, transcript
from sparring.schema.debate import SPEAKING_ORDER, DebateOutcome, DebateRequest, DebateStatus, LastDebate

__all__ = ["FORMAT"]


def _rules(request: DebateRequest, prompts: PromptLibrary) -> Rules:
    from sparring.formats.debate.flow import Debate

    return Debate(request, prompts)


def _usual(ask: transcript.Ask, place: int) -> str:
    from sparring.formats.debate.prompts import usual_answer

    return usual_answer(ask, place)


def _presentation() -> Presentation[Any]:
    from sparring.formats.debate.report import PRESENTATION

    return PRESENTATION


_FIRM = frozenset({judgement.Firmness.UNANIMOUS, judgement.Firmness.BOTH_ORDERS, judgement.Firmness.MAJORITY})


def _row_fields(run: runs.Run) -> dict[str, object]:
    outcome = cast("DebateOutcome", run.outcome)
    if outcome.verdict is None or outcome.judgement is None:
        return {}
    firmness = outcome.judgement.firmness
    doubts = () if firmness in _FIRM else (f"The winner is {firmness.replace('_', ' ')}.",)
    return {"finding": outcome.verdict.winner.value, "said": (outcome.verdict.recommendation,), "doubts": doubts}


def _audited() -> AuditedSeat:
    from sparring.formats.debate.audited import SEAT

    return SEAT


FORMAT = Format(
    name="debate",
    title="Debate",
    description=(
        "Two AI tools argue a question, code checks what they cite, and a judge who does not know who is who picks "
        "a side. For decisions worth minutes and several model calls (2 per round, 2 per judge)."
    ),
    options=DebateOptions,
    request=DebateRequest,
    complete=complete,
    outcome=DebateOutcome,
    rules=_rules,
    presentation=_presentation,
    usual=_usual,
    examples=(
        'sparring debate "Should the client retry a failed payment?"',
        'sparring debate "Is the cache worth it?" --with claude,codex --rounds 3 --context diff',
    ),
    rows=Rows(
        fields={"topic": ("topic", "question", "claim")},
        texts=dict,
        record=pairs.TextResult,
        outcome_fields=_row_fields,
        labels=tuple(SPEAKING_ORDER),
    ),
    exit_codes={
        DebateStatus.COMPLETED: ExitCode.DONE,
        DebateStatus.INCOMPLETE: ExitCode.DONE,
        DebateStatus.UNCONTESTED: ExitCode.NO_VERDICT,
        DebateStatus.UNJUDGED: ExitCode.NO_VERDICT,
        DebateStatus.UNDECIDED: ExitCode.NO_VERDICT,
        DebateStatus.FAILED: ExitCode.FAILED,
    },
    subject="topic",
    not_evaluated=(
        "The winner of a debate is a seat, and its proposer chooses its own position, so no label of a topic says who "
        "should win; put the question as a claim with evidence, and evaluate the debate of a fact-check."
    ),
    last_files=(("debate/last-debate.json", LastDebate),),
    capabilities=(NoteTaking(transcript.SPEECH_KINDS),),
    audited={"judge": _audited},
)
