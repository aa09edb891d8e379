"""The rebuttal rounds: both debaters, the audience, the chair's review; and when there is no further one."""

from dataclasses import dataclass, replace

from sparring.engine.replies import UnusableReplyError, as_record, read_object
from sparring.formats.chaired_debate.answers import SaidQuestions, why_unusable
from sparring.formats.chaired_debate.chairing import clarify, review
from sparring.formats.chaired_debate.course import Course, Wanted, asked
from sparring.formats.chaired_debate.floor import Floor
from sparring.formats.chaired_debate.turns import Place, take_turn
from sparring.schema.base import Role
from sparring.schema.chaired_debate import ChairedDebateRequest, EndReason, EntryType, Phase, Speaker
from sparring.schema.chaired_debate.request import DEBATERS, QUESTIONS_A_ROUND
from sparring.schema.transcript import TurnKind


@dataclass(frozen=True)
class Rounds:
    """The floor after the last round, and why there is no further one."""

    floor: Floor
    ended: EndReason


def hold_rounds(floor: Floor, request: ChairedDebateRequest) -> Course[Rounds]:
    """As many rounds as there are to be. The chair reviews what was said before each, and after the last."""
    stem, number = "opening", 0
    while True:
        is_possible = _why_over(floor, request, number) is None
        may_go_on = is_possible and number >= request.min_rounds
        reviewed = yield from review(floor, stem, may_go_on=may_go_on)
        floor = reviewed.floor
        ended = EndReason.NATURAL if reviewed.is_over else _why_over(floor, request, number)
        if ended:
            return Rounds(floor, ended)
        number += 1
        stem = f"r{number}"
        floor = yield from _round(replace(floor, phase=Phase.REBUTTAL, round=number), stem, request)
        if floor.disqualified:
            return Rounds(floor, EndReason.DISQUALIFICATION)


def _why_over(floor: Floor, request: ChairedDebateRequest, number: int) -> EndReason | None:
    """Why no round may follow number ``number``; None when one may."""
    if floor.missing:
        return EndReason.FAILURE
    if number == request.max_rounds:
        return EndReason.MAX_ROUNDS
    budget_s = request.time_budget_s
    return EndReason.TIME_BUDGET if budget_s and floor.spent_ms >= budget_s * 1000 else None


def _round(floor: Floor, stem: str, request: ChairedDebateRequest) -> Course[Floor]:
    for role in DEBATERS:
        place = Place(f"{stem}.{role}", "chaired-debate/action", TurnKind.ACTION, role)
        floor = yield from take_turn(floor, place, clarify)
        if floor.disqualified and role is not DEBATERS[-1]:
            return floor
    floor = replace(floor, rounds=floor.round)
    if request.audience and not floor.disqualified:
        floor = yield from _questions(floor, stem)
    return floor


def _questions(floor: Floor, stem: str) -> Course[Floor]:
    """The audience may ask; what it does not ask is nobody's loss, so that it is asked once only."""
    wanted = Wanted(f"{stem}.audience", "chaired-debate/questions", TurnKind.QUESTIONS, Role.AUDIENCE)
    heard = yield from asked(floor, wanted)
    floor = heard.floor
    try:
        reply = heard.turn.answer.response if heard.turn.answer else ""
        said = as_record(read_object(reply), SaidQuestions).questions
    except UnusableReplyError:
        why = f"[WARN] The audience asked nothing in round {floor.round}: {why_unusable(heard.turn)}."
        return floor.noticed(why)
    questions = [question for question in said if question.strip()]
    for question in questions[:QUESTIONS_A_ROUND]:
        floor = floor.said(Speaker.AUDIENCE, EntryType.QUESTION, question)
    if len(questions) > QUESTIONS_A_ROUND:
        floor = floor.noticed(f"[WARN] Of the audience's questions in round {floor.round} the first two were taken.")
    return floor
