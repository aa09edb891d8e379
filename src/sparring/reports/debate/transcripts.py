"""A transcript as Markdown sections: who said what in which round, how long it took and what it used."""

from itertools import groupby

from sparring.reports.fitting import Section
from sparring.reports.foreign import inline, quoted
from sparring.reports.phrases import cause, seconds, usage
from sparring.schema.consultation import Answer
from sparring.schema.transcript import Transcript, Turn, TurnKind

_SAID_ABOVE = "The verdict above."


def transcript_sections(transcript: Transcript, *, judged: bool) -> list[Section]:
    """The turns by round, a summary in the round that it was made for, the judge at the end.

    When the debate was ``judged``, the reply that holds the verdict is left out: it says as JSON what the synthesis
    says in words. One that could not be used is shown.
    """
    sections: list[Section] = []
    verdict = transcript.turns[-1] if judged else None
    # A summary is asked for beside a speech of the round before the one that it belongs to.
    ordered = sorted(transcript.turns, key=lambda turn: (turn.kind is TurnKind.SYNTHESIS, turn.round))
    for stage, turns in groupby(ordered, key=_stage):
        sections += [Section(f"### {stage}", ""), *(_spoken(turn, verdict) for turn in turns)]
    return sections


def _stage(turn: Turn) -> str:
    return "Judgement" if turn.kind is TurnKind.SYNTHESIS else f"Round {turn.round}"


def _spoken(turn: Turn, verdict: Turn | None) -> Section:
    heading = f"#### {turn.role.capitalize()} ({turn.tool}): {turn.kind.replace('_', '-')}"
    if isinstance(turn.reply, Answer):
        said = _SAID_ABOVE if turn is verdict else quoted(turn.reply.response)
        return Section(heading, f"{_circumstances(turn.reply)}\n\n{said}")
    return Section(heading, inline(f"Failed: {cause(turn.reply.code, turn.reply.detail, turn.reply.duration_ms)}"))


def _circumstances(answer: Answer) -> str:
    facts = [seconds(answer.duration_ms), usage(answer.usage)]
    facts += [f"model {answer.model}"] if answer.model else []
    facts += [f"{answer.redactions} redacted"] if answer.redactions else []
    warnings = [f"[WARN] {inline(warning)}" for warning in answer.warnings]
    return "\n\n".join([inline(", ".join(facts)), *warnings])
