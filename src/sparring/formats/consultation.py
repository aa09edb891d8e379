"""The plain consultation: one question, one tool, and whatever comes back is the end."""

from sparring.formats import Asks
from sparring.schema.base import Role
from sparring.schema.consult import ConsultOutcome, ConsultRequest, ConsultStatus
from sparring.schema.consultation import Brief, Question
from sparring.schema.transcript import Ask, Transcript, TurnKind

STEP = "consult/question"


class Consultation:
    """The rules of one consultation; see ``formats.Format``."""

    def __init__(self, request: ConsultRequest) -> None:
        self._request = request

    def next(self, transcript: Transcript) -> Asks | ConsultOutcome:
        """The question, word for word, then its answer."""
        turn = transcript.turn("question")
        if turn is None:
            return (self._ask(),)
        status = ConsultStatus.COMPLETED if turn.answer else ConsultStatus.FAILED
        return ConsultOutcome(status=status, reply=turn.reply)

    def _ask(self) -> Ask:
        request = self._request
        question = Question(
            prompt=request.question,
            brief=Brief(step=STEP, topic=request.question, role=Role.CONSULTANT, round=1),
            effort=request.effort,
            model=request.model,
            timeout_s=request.timeout_s,
            session_id=request.session_id,
            keep_session=True,
        )
        return Ask(
            id="question", kind=TurnKind.ANSWER, role=Role.CONSULTANT, round=1, tool=request.tool, question=question
        )
