"""How far a run has come: its events as plain lines, and where one stands that has not ended."""

from collections.abc import Sequence

from sparring.reports.markdown import Section, fitted, inline
from sparring.reports.places import stage, voice, who
from sparring.reports.runs import cause, estimated, seconds
from sparring.schema.runs import AskStarted, Run, RunEvent, RunStatus
from sparring.schema.transcript import Turn
from sparring.text.tidying import one_line


def progress_line(event: RunEvent) -> str:
    """One line without its end, e.g. ``round 1/2  proposer  claude  asked``."""
    return f"{who(event)}  {_happened(event)}"


def _happened(event: RunEvent) -> str:
    if isinstance(event, AskStarted):
        return "asked"
    if event.failure:
        return f"failed: {cause(event.failure, event.detail, event.duration_ms)}"
    return f"answered in {seconds(event.duration_ms)}"


_SUBJECT_SHOWN = 300
"""Characters of the topic, question or claim."""


def where_it_stands(run: Run, remaining: Sequence[str], *, limit: int) -> str:
    """Where a running or interrupted run stands, in fewer than ``limit`` characters."""
    request, expected = run.header.request, run.header.estimate
    notices = [inline(notice) for notice in dict.fromkeys(request.notices + run.notices)]
    spoken = [f"- {_spoken(turn)}" for turn in run.transcript.turns]
    missing = [f"- {expected}" for expected in remaining]
    sections = [
        Section(f"# {request.kind.capitalize()}: {run.status}", inline(one_line(request.subject, _SUBJECT_SHOWN))),
        Section("", "\n\n".join(notices)),
        Section("", f"Expected: {estimated(expected)}." if expected else ""),
        Section("## Spoken so far", "\n".join(spoken) or "Nobody."),
        Section("## Missing", "\n".join(missing)),
        Section("", _way_on(run)),
    ]
    return fitted([section for section in sections if section.heading or section.body], limit=limit)


def _spoken(turn: Turn) -> str:
    speaker = f"{voice(turn)} ({turn.tool})" if voice(turn) else ""
    said = ", ".join(part for part in (stage(turn), speaker) if part)
    if turn.failure:
        return inline(f"{said}: failed: {cause(turn.failure.code, turn.failure.detail, turn.failure.duration_ms)}")
    return f"{said}: answered in {seconds(turn.reply.duration_ms)}"


def _way_on(run: Run) -> str:
    run_id = run.header.run_id
    if run.status is RunStatus.RUNNING:
        return f"It is still at work. Look again with `sparring runs show {run_id}`."
    return f"Nothing that was said is lost. Go on with `sparring runs resume {run_id}`."
