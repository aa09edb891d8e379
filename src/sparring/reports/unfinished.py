"""Where a run stands that has not ended: who has spoken, what is missing, how to go on."""

from sparring.reports.fitting import Section, fitted
from sparring.reports.foreign import inline
from sparring.reports.phrases import cause, estimated, seconds
from sparring.schema.consult import ConsultRequest
from sparring.schema.debate import SPEAKING_ORDER, DebateRequest
from sparring.schema.runs import Run, RunStatus
from sparring.schema.transcript import SPEECH_KINDS, Turn, TurnKind
from sparring.text.tidying import one_line

_SUBJECT_SHOWN = 300
"""Characters of the topic or question."""


def progress_text(run: Run, *, limit: int) -> str:
    """Where a running or interrupted run stands, in fewer than ``limit`` characters."""
    request, expected = run.header.request, run.header.estimate
    subject = request.topic if isinstance(request, DebateRequest) else request.question
    notices = [inline(notice) for notice in dict.fromkeys(request.notices + run.notices)]
    spoken = [f"- {_spoken(turn)}" for turn in run.transcript.turns]
    missing = [f"- {expected}" for expected in _missing(run)]
    sections = [
        Section(f"# {request.kind.capitalize()}: {run.status}", inline(one_line(subject, _SUBJECT_SHOWN))),
        Section("", "\n\n".join(notices)),
        Section("", f"Expected: {estimated(expected)}." if expected else ""),
        Section("## Spoken so far", "\n".join(spoken) or "Nobody."),
        Section("## Missing", "\n".join(missing)),
        Section("", _way_on(run)),
    ]
    return fitted([section for section in sections if section.heading or section.body], limit=limit)


def _spoken(turn: Turn) -> str:
    who = f"{_place(turn.kind, turn.round)}, {turn.role} ({turn.tool})"
    if turn.failure:
        return inline(f"{who}: failed: {cause(turn.failure.code, turn.failure.detail, turn.failure.duration_ms)}")
    return f"{who}: answered in {seconds(turn.reply.duration_ms)}"


def _place(kind: TurnKind, round_: int) -> str:
    stages = {TurnKind.SYNTHESIS: "verdict", TurnKind.ANSWER: "answer", TurnKind.SUMMARY: f"summary for round {round_}"}
    return stages.get(kind, f"round {round_}")


def _missing(run: Run) -> list[str]:
    """What is still to be said if nothing (more) fails. What a failure leads to is a rule of the format."""
    request = run.header.request
    if isinstance(request, ConsultRequest):
        pairs = zip(request.question_ids, request.asked, strict=True)
        unheard = [consulted for id_, consulted in pairs if run.transcript.turn(id_) is None]
        return [f"the answer of {consulted.tool}" for consulted in unheard] or ["what the answers cite"]
    speeches = [turn for turn in run.transcript.turns if turn.kind in SPEECH_KINDS]
    heard = {(turn.round, turn.role) for turn in speeches}
    broken_off = any(turn.failure for turn in speeches)
    places = [(round_, role) for round_ in range(1, request.rounds + 1) for role in SPEAKING_ORDER]
    due = [] if broken_off else [place for place in places if place not in heard]
    unheard = [f"round {round_}, {role} ({request.participant(role).tool})" for round_, role in due]
    return [*unheard, f"verdict, judge ({request.judge.tool})"]


def _way_on(run: Run) -> str:
    run_id = run.header.run_id
    if run.status is RunStatus.RUNNING:
        return f"It is still at work. Look again with `sparring runs show {run_id}`."
    return f"Nothing that was said is lost. Go on with `sparring runs resume {run_id}`."
