"""Where an unfinished consultation stands."""

from sparring.reports.runs import request_of
from sparring.schema.consult import ConsultRequest
from sparring.schema.runs import Run


def remaining(run: Run) -> tuple[str, ...]:
    """Whose answers are missing.

    Raises:
        DeliberationError: The run is not a consultation.
    """
    request = request_of(run, ConsultRequest)
    pairs = zip(request.question_ids, request.asked, strict=True)
    unheard = [consulted for id_, consulted in pairs if run.transcript.turn(id_) is None]
    answers = [f"the answer of {consulted.tool}" for consulted in unheard]
    return tuple(answers) or ("what the answers cite",)
