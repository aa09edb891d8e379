"""How far a run has come: who speaks where, its events as plain lines, and where one stands that has not ended.

Where somebody speaks, and under which name, is worded alike as it happens and afterwards.
"""

from collections.abc import Sequence

from sparring.reports.markdown import Section, Sections, fitted, given, inline
from sparring.reports.runs import cause_of, estimated, seconds
from sparring.schema.base import Role
from sparring.schema.consultation import FailureCode
from sparring.schema.runs import AskRepeated, AskStarted, Run, RunEvent
from sparring.schema.transcript import Placed, Turn
from sparring.text.tidying import one_line


def stage(place: Placed) -> str:
    """E.g. ``round 1/2`` or ``verdict (order 2, again)``; empty where there is only one."""
    order = ["order 2"] if place.order == 2 else []
    again = ["again"] if place.attempt > 1 else []
    return f"{place.label} ({', '.join(order + again)})" if order or again else place.label


def voice(place: Placed) -> str:
    """Whose turn it is, e.g. ``proposer`` or ``Agent 2``; empty, as is the tool, for what is no speaker but code."""
    if place.role is Role.VERIFIER:
        return ""
    if place.role is Role.FACT_CHECKER and place.number:
        return f"Agent {place.number}"
    # Whether others follow, the first judge does not know.
    return f"{place.role.spoken} {place.number}" if place.number > 1 else place.role.spoken


def who(place: Placed) -> str:
    """All of it, e.g. ``round 1/2  proposer  claude``."""
    tool = place.tool if voice(place) else ""
    return "  ".join(part for part in (stage(place), voice(place), tool) if part)


def progress_line(event: RunEvent) -> str:
    """One line without its end, e.g. ``round 1/2  proposer  claude  asked``."""
    return f"{who(event)}  {_happened(event)}"


def _happened(event: RunEvent) -> str:
    if isinstance(event, AskStarted):
        return "asked"
    if isinstance(event, AskRepeated):
        return _repeated(event)
    if event.failure:
        return f"failed: {cause_of(event.failure)}"
    if event.taken_from:
        return f"taken over from {event.taken_from}"
    return f"{_answered(event)} in {seconds(event.reply.duration_ms)}"


def _answered(turn: Turn) -> str:
    """That somebody did, and who, if it was somebody else than was asked."""
    return "answered" if turn.reply.tool == turn.tool or not voice(turn) else f"{turn.reply.tool} answered"


_PASSING = {
    FailureCode.CONNECTION: "cannot be reached",
    FailureCode.OVERLOADED: "is overloaded",
    FailureCode.RATE_LIMIT: "is asked too often",
    FailureCode.SERVER_ERROR: "failed within",
}


def _repeated(event: AskRepeated) -> str:
    if event.whom != event.failure.tool:
        return f"failed: {cause_of(event.failure)}; {event.whom} is asked in its place"
    wrong = _PASSING.get(event.failure.code, f"failed for the moment ({event.failure.code})")
    return f"{event.failure.tool} {wrong}; asked again in {event.wait_s:.0f} s"


_SUBJECT_SHOWN = 300
"""Characters of the topic, question or claim."""


def where_it_stands(run: Run, case: Sections, remaining: Sequence[str], *, limit: int) -> str:
    """Where a running or interrupted run stands, in fewer than ``limit`` characters; ``case`` is what it is about."""
    request, expected = run.header.request, run.header.estimate
    notices = dict.fromkeys(request.notices + run.notices)
    spoken = "\n".join(f"- {_spoken(turn)}" for turn in run.transcript.turns)
    missing = "\n".join(f"- {words}" for words in remaining)
    sections = [
        Section(f"# {request.kind.capitalize()}: {run.status}", inline(one_line(request.subject, _SUBJECT_SHOWN))),
        *given("", "\n\n".join(map(inline, notices))),
        *given("", f"Expected: {estimated(expected)}." if expected else ""),
        *case,
        Section("## Spoken so far", spoken or "Nobody."),
        Section("## Missing", missing),
    ]
    return fitted(sections, limit=limit)


def _spoken(turn: Turn) -> str:
    speaker = f"{voice(turn)} ({turn.tool})" if voice(turn) else ""
    said = ", ".join(part for part in (stage(turn), speaker) if part)
    if turn.failure:
        return inline(f"{said}: failed: {cause_of(turn.failure)}")
    if turn.taken_from:
        return f"{said}: taken over from {turn.taken_from}"
    return f"{said}: {_answered(turn)} in {seconds(turn.reply.duration_ms)}"
