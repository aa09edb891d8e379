"""Where a run stands that has not ended: who has spoken, what is missing, how to go on."""

from collections.abc import Sequence

from sparring.reports.fitting import Section, fitted
from sparring.reports.foreign import inline
from sparring.reports.phrases import cause, estimated, seconds
from sparring.reports.places import stage, voice
from sparring.schema.runs import Run, RunStatus
from sparring.schema.transcript import Turn
from sparring.text.tidying import one_line

_SUBJECT_SHOWN = 300
"""Characters of the topic, question or claim."""


def progress_text(run: Run, remaining: Sequence[str], *, limit: int) -> str:
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
    who = ", ".join(part for part in (stage(turn), speaker) if part)
    if turn.failure:
        return inline(f"{who}: failed: {cause(turn.failure.code, turn.failure.detail, turn.failure.duration_ms)}")
    return f"{who}: answered in {seconds(turn.reply.duration_ms)}"


def _way_on(run: Run) -> str:
    run_id = run.header.run_id
    if run.status is RunStatus.RUNNING:
        return f"It is still at work. Look again with `sparring runs show {run_id}`."
    return f"Nothing that was said is lost. Go on with `sparring runs resume {run_id}`."
