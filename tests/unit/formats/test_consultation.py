"""The rules of a plain consultation."""

from sparring.formats.consultation import Consultation
from sparring.schema.base import Effort, Role
from sparring.schema.consult import ConsultOutcome, ConsultRequest, ConsultStatus
from sparring.schema.consultation import Answer, Brief, Failure, FailureCode, Question
from sparring.schema.transcript import Ask, TurnKind
from support.playing import failure, play

REQUEST = ConsultRequest(
    question="  /help is not a command here\n", tool="claude", model="opus", effort=Effort.LOW, session_id="s-1"
)


def test_the_question_is_put_word_for_word_and_the_session_is_kept() -> None:
    (asks,) = play(Consultation(REQUEST)).steps
    assert asks == (
        Ask(
            id="question",
            kind=TurnKind.ANSWER,
            role=Role.CONSULTANT,
            round=1,
            tool="claude",
            question=Question(
                prompt="  /help is not a command here\n",
                brief=Brief(
                    step="consult/question", topic="  /help is not a command here\n", role=Role.CONSULTANT, round=1
                ),
                effort=Effort.LOW,
                model="opus",
                timeout_s=120,
                session_id="s-1",
                keep_session=True,
            ),
        ),
    )


def test_the_answer_is_the_end() -> None:
    assert play(Consultation(REQUEST)).outcome == ConsultOutcome(
        status=ConsultStatus.COMPLETED,
        reply=Answer(tool="claude", response="speech of consultant in round 1", duration_ms=1000),
    )


def test_a_failure_is_the_end_too() -> None:
    assert play(Consultation(REQUEST), failure).outcome == ConsultOutcome(
        status=ConsultStatus.FAILED,
        reply=Failure(tool="claude", code=FailureCode.TIMEOUT, detail="no answer within 240 s", duration_ms=240_000),
    )
