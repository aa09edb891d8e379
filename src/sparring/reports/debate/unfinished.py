"""Where an unfinished debate stands."""

from sparring.reports.runs import request_of
from sparring.schema.debate import SPEAKING_ORDER, DebateRequest
from sparring.schema.runs import Run
from sparring.schema.transcript import SPEECH_KINDS


def remaining(run: Run) -> tuple[str, ...]:
    """Which speeches are missing.

    Raises:
        DeliberationError: The run is not a debate.
    """
    request = request_of(run, DebateRequest)
    speeches = [turn for turn in run.transcript.turns if turn.kind in SPEECH_KINDS]
    heard = {(turn.round, turn.role) for turn in speeches}
    broken_off = any(turn.failure for turn in speeches)
    places = [(round_, role) for round_ in range(1, request.rounds + 1) for role in SPEAKING_ORDER]
    due = [] if broken_off else [place for place in places if place not in heard]
    unheard = [f"round {round_}, {role} ({request.participant(role).tool})" for round_, role in due]
    return (*unheard, *_verdicts(request))


def _verdicts(request: DebateRequest) -> tuple[str, ...]:
    if not request.panel:
        return (f"verdict, judge ({request.judge.tool})",)
    return tuple(f"verdict, judge {number} ({judge.tool})" for number, judge in enumerate(request.judges, start=1))
