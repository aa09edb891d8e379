"""A finished debate as Markdown: the synthesis of the specification (seed 004), and the transcript below it."""

from collections.abc import Iterable

from sparring.reports.debate.citations import citation_sections, citations_in_short, rigor
from sparring.reports.debate.conducting import concession_sections, conduct_lines
from sparring.reports.debate.finished import FinishedDebate
from sparring.reports.debate.transcripts import transcript_sections
from sparring.reports.debate.unchecked import unchecked_sections
from sparring.reports.debate.verdicts import scores_table, verdict_sections
from sparring.reports.fitting import Section, fitted, joined
from sparring.reports.foreign import after, inline, quoted
from sparring.reports.phrases import context_line, estimated, spending
from sparring.schema.base import Role
from sparring.schema.debate import DebateStatus
from sparring.schema.runs import Run
from sparring.text.tidying import one_line

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
            *citation_sections(debate),
            *concession_sections(debate),
            *unchecked_sections(debate),
            Section("## Transcript", _about_the_run(debate)),
            *transcript_sections(debate),
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
    checked = (*citations_in_short(debate), *concession_sections(debate), *unchecked_sections(debate))
    return fitted([*_head(debate, topic), *_synthesis(debate), *last_words, *checked, closing], limit=limit)


def _head(debate: FinishedDebate, topic: str) -> tuple[Section, ...]:
    notices = Section("", "\n\n".join(inline(notice) for notice in debate.notices))
    lines = (
        f"Proposer: {debate.seat(Role.PROPOSER)}",
        f"Challenger: {debate.seat(Role.CHALLENGER)}",
        f"Rounds: {_rounds(debate)}",
        *(("Openings: blind, neither side had heard the other",) if debate.request.blind_openings else ()),
        f"Rigor: {rigor(debate)}",
        *((f"Context: {inline(context_line(debate.request.context))}",) if debate.request.context else ()),
    )
    separator = "\n\n" if "\n" in topic else _HARD_BREAK
    introduction = Section("", topic + separator + _HARD_BREAK.join(lines))
    title = Section(_TITLE, "")
    return (title, notices, introduction) if debate.notices else (title, introduction)


def _rounds(debate: FinishedDebate) -> str:
    completed, asked, broken = debate.outcome.rounds_completed, debate.request.rounds, debate.outcome.incomplete_round
    if completed == asked:
        return str(completed)
    return f"{completed} of {asked}" + (f" (round {broken} is incomplete)" if broken else "")


def _synthesis(debate: FinishedDebate) -> tuple[Section, ...]:
    verdict = debate.outcome.verdict
    if verdict is None:
        return (*verdict_sections(debate), *_quality(debate, ()))
    quality = verdict.quality
    ratings = (
        f"Genuine disagreement: {quality.genuine_disagreement}",
        f"Evidence quality: {quality.evidence_quality}",
        f"Challenge depth: {quality.challenge_depth}",
    )
    return (
        *verdict_sections(debate),
        *_quality(debate, ratings),
        *((Section("", scores_table(debate, verdict.scores)),) if verdict.scores else ()),
        Section("## Key Agreements", _bullets(debate.agreements)),
        Section("## Key Disagreements", _bullets(debate.disagreements)),
        Section("## Unresolved Questions", _bullets(verdict.unresolved_questions)),
        Section("## Recommendation", after("", verdict.recommendation).lstrip()),
    )


def _quality(debate: FinishedDebate, ratings: tuple[str, ...]) -> tuple[Section, ...]:
    lines = (*ratings, *conduct_lines(debate))
    return (Section("## Debate Quality", _bullets(lines)),) if lines else ()


def _bullets(points: Iterable[str]) -> str:
    return "\n".join(f"- {inline(point)}" for point in points) or "None."


def _last_words(debate: FinishedDebate) -> list[Section]:
    title = "Uncontested position" if debate.outcome.status is DebateStatus.UNCONTESTED else "Last word"
    said = {exchange.role: exchange.response for exchange in debate.exchanges}
    return [Section(f"## {title} of the {role} ({debate.name(role)})", quoted(text)) for role, text in said.items()]


def _about_the_run(debate: FinishedDebate) -> str:
    run, request, expected = debate.run, debate.request, debate.run.header.estimate
    before = f" Expected: {estimated(expected)}." if expected else ""
    judges = "Judges" if request.panel else "Judge"
    return (
        f"Run `{run.header.run_id}`, {run.header.created_at:%Y-%m-%d %H:%M} UTC. "
        f"{judges}: {debate.judges}. Effort: {request.effort}. Used: {spending(run.spent)}.{before}"
    )
