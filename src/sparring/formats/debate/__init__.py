"""The debate of two sides before one judge or several (specification: seed 004; design: Debate).

Reading order: ``options`` declares the options; ``speeches`` has the speeches, with and without their speakers' names;
``rulebook`` has the rules that code checks in them, and the summaries of earlier rounds; ``prompts`` words the asks of
debaters; ``judging`` shows the debate to judges and reads their answers, ``verdict`` obtains the ballots and counts
them; ``flow`` is the course with its endings; ``outcome`` writes parts of the outcome in Markdown, ``report`` the whole
report, and ``page`` what a browser shows in addition.
"""

from collections.abc import Iterator
from typing import Any, cast

from sparring.engine.audited import AuditedSeat
from sparring.engine.capabilities import NoteTaking
from sparring.engine.format import Format, PlannedCalls, Presentation, Rows, Rules
from sparring.errors import ExitCode
from sparring.formats.debate.options import DebateOptions, complete
from sparring.prompts import PromptLibrary
from sparring.schema import base, judgement, pairs, runs, transcript
from sparring.schema.debate import SPEAKING_ORDER, DebateOutcome, DebateRequest, DebateStatus, LastDebate

__all__ = ["FORMAT"]


def _rules(request: DebateRequest, prompts: PromptLibrary) -> Rules:
    from sparring.formats.debate.flow import Debate

    return Debate(request, prompts)


_SPEECH = 2_700
"""Characters that a speech or a summary adds to a prompt: prompts ask for 400 words, code adds its findings."""


def _plan(request: DebateRequest) -> Iterator[PlannedCalls]:
    """Yield two speeches a round, a summary for each round from the third on, and both orders of each judge.

    A round that follows round 2 may be left out, if the challenger has nothing left to object to. A speech after the
    openings may go back once, a summary or an unusable ballot is asked for twice.
    """
    for round_ in range(1, request.rounds + 1):
        seen_speeches = min(2 * (round_ - 1), 3)  # from round 3 on a summary, and the two speeches of the round before
        certain = int(round_ <= _FEWEST_ROUNDS)
        is_blind = round_ == 1 and request.blind_openings
        for role, side, more in (
            (base.Role.PROPOSER, request.proposer, 0),
            (base.Role.CHALLENGER, request.challenger, 0 if is_blind else 1),  # who hears the proposer's speech as well
        ):
            most = 1 if round_ == 1 and more == 0 else 2
            yield PlannedCalls("speech", role, side, certain, most=most, added=(seen_speeches + more) * _SPEECH)
        if round_ > _FEWEST_ROUNDS:
            first = round_ == _FEWEST_ROUNDS + 1  # asked for during round 2
            yield PlannedCalls(
                "summary", base.Role.JUDGE, request.judge, int(first), added=(seen_speeches - first) * _SPEECH
            )
    orders, speeches = len(judgement.Order), 2 * request.rounds * _SPEECH
    for judge in request.judges:
        yield PlannedCalls("verdict", base.Role.JUDGE, judge, orders, orders, 2 * orders, added=speeches)
    if request.further_judge:
        yield PlannedCalls("verdict", base.Role.JUDGE, request.further_judge, 0, 0, 2 * orders, added=speeches)


_FEWEST_ROUNDS = 2


def _presentation() -> Presentation[Any]:
    from sparring.formats.debate.report import PRESENTATION

    return PRESENTATION


_FIRM = frozenset({judgement.Firmness.UNANIMOUS, judgement.Firmness.BOTH_ORDERS, judgement.Firmness.MAJORITY})


def _row_verdict(run: runs.Run) -> pairs.RowVerdict | None:
    outcome = cast("DebateOutcome", run.outcome)
    if outcome.verdict is None or outcome.judgement is None:
        return None
    firmness = outcome.judgement.firmness
    doubts = () if firmness in _FIRM else (f"The winner is {firmness.replace('_', ' ')}.",)
    reasons = (outcome.verdict.recommendation,)
    return pairs.RowVerdict(outcome.verdict.winner.value, doubted=doubts, reasons=reasons)


def _audited() -> AuditedSeat:
    from sparring.formats.debate.audited import SEAT

    return SEAT


FORMAT = Format(
    name="debate",
    title="Debate",
    description=(
        "For a decision with two sides: two AI tools argue, code checks what they cite, a blind judge picks a side. "
        "Minutes; 2 calls per round, 2 per judge."
    ),
    options=DebateOptions,
    request=DebateRequest,
    complete=complete,
    outcome=DebateOutcome,
    rules=_rules,
    plan=_plan,
    presentation=_presentation,
    examples=(
        'sparring debate "Should the client retry a failed payment?"',
        'sparring debate "Is the cache worth it?" --with claude,codex --rounds 3 --context diff',
    ),
    rows=Rows(
        fields={"topic": ("topic", "question", "claim")},
        texts=dict,
        verdict=_row_verdict,
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
