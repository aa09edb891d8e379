"""A finished debate as Markdown: the synthesis of the specification (seed 004), and the transcript below it."""

from collections.abc import Iterable

from sparring.reports.debate.finished import FinishedDebate
from sparring.reports.debate.transcripts import transcript_sections
from sparring.reports.fitting import Section, fitted, joined
from sparring.reports.foreign import after, inline, quoted
from sparring.reports.phrases import context_line, estimated, spending, tool_with_model
from sparring.schema.base import Role
from sparring.schema.debate import DebateStatus
from sparring.schema.runs import Run
from sparring.text.tidying import one_line

_RIGOR = "Structured perspective comparison (prompt-enforced adversarial rules, no deterministic verification)"
_TITLE = "# Debate Summary"
_TOPIC_SHOWN = 500
"""Characters of a topic in the decision: whoever reads it knows the question."""

_HARD_BREAK = "  \n"


def report(run: Run) -> str:
    """The whole of a finished debate.

    Raises:
        DeliberationError: The run is not a finished debate.
    """
    debate = FinishedDebate.of(run)
    return joined(
        [
            *_head(debate, after("Topic:", debate.request.topic)),
            *_synthesis(debate),
            Section("## Transcript", _about_the_run(debate)),
            *transcript_sections(run.transcript, judged=debate.outcome.verdict is not None),
        ]
    )


def decision(run: Run, *, limit: int) -> str:
    """The synthesis of a finished debate in fewer than ``limit`` characters; without a verdict, the last words.

    Raises:
        DeliberationError: The run is not a finished debate.
    """
    debate = FinishedDebate.of(run)
    closing = Section("", f"{_about_the_run(debate)}\n\nThe whole: `sparring runs show {run.header.run_id}`")
    topic = f"Topic: {one_line(debate.request.topic, _TOPIC_SHOWN)}"
    last_words = () if debate.outcome.verdict else _last_words(debate)
    return fitted([*_head(debate, topic), *_synthesis(debate), *last_words, closing], limit=limit)


def _head(debate: FinishedDebate, topic: str) -> tuple[Section, ...]:
    notices = Section("", "\n\n".join(inline(notice) for notice in debate.notices))
    lines = (
        f"Proposer: {_seat(debate, Role.PROPOSER)}",
        f"Challenger: {_seat(debate, Role.CHALLENGER)}",
        f"Rounds: {_rounds(debate)}",
        f"Rigor: {_RIGOR}",
        *((f"Context: {inline(context_line(debate.request.context))}",) if debate.request.context else ()),
    )
    separator = "\n\n" if "\n" in topic else _HARD_BREAK
    introduction = Section("", topic + separator + _HARD_BREAK.join(lines))
    title = Section(_TITLE, "")
    return (title, notices, introduction) if debate.notices else (title, introduction)


def _seat(debate: FinishedDebate, role: Role) -> str:
    return tool_with_model(debate.request.participant(role).tool, debate.model(role))


def _rounds(debate: FinishedDebate) -> str:
    completed, asked, broken = debate.outcome.rounds_completed, debate.request.rounds, debate.outcome.incomplete_round
    if completed == asked:
        return str(completed)
    return f"{completed} of {asked}" + (f" (round {broken} is incomplete)" if broken else "")


def _synthesis(debate: FinishedDebate) -> tuple[Section, ...]:
    verdict = debate.outcome.verdict
    if verdict is None:
        return (Section("## Verdict", f"No verdict ({debate.outcome.status})."),)
    winner = after(f"{debate.name(verdict.winner)} had the stronger argument because:", verdict.reasoning)
    quality = verdict.quality
    ratings = (
        f"Genuine disagreement: {quality.genuine_disagreement}",
        f"Evidence quality: {quality.evidence_quality}",
        f"Challenge depth: {quality.challenge_depth}",
    )
    return (
        Section("## Verdict", winner),
        Section("## Debate Quality", _bullets(ratings)),
        Section("## Key Agreements", _bullets(debate.agreements)),
        Section("## Key Disagreements", _bullets(debate.disagreements)),
        Section("## Unresolved Questions", _bullets(verdict.unresolved_questions)),
        Section("## Recommendation", after("", verdict.recommendation)),
    )


def _bullets(points: Iterable[str]) -> str:
    return "\n".join(f"- {inline(point)}" for point in points) or "None."


def _last_words(debate: FinishedDebate) -> list[Section]:
    title = "Uncontested position" if debate.outcome.status is DebateStatus.UNCONTESTED else "Last word"
    said = {exchange.role: exchange.response for exchange in debate.exchanges}
    return [Section(f"## {title} of the {role} ({debate.name(role)})", quoted(text)) for role, text in said.items()]


def _about_the_run(debate: FinishedDebate) -> str:
    run, request, expected = debate.run, debate.request, debate.run.header.estimate
    before = f" Expected: {estimated(expected)}." if expected else ""
    return (
        f"Run `{run.header.run_id}`, {run.header.created_at:%Y-%m-%d %H:%M} UTC. "
        f"Judge: {_seat(debate, Role.JUDGE)}. Effort: {request.effort}. Used: {spending(run.spent)}.{before}"
    )
