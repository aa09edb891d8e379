"""The course of a chaired debate from beginning to end (specification: seed 003; design: Chaired debate)."""

from dataclasses import replace

from sparring.formats.chaired_debate import endings
from sparring.formats.chaired_debate.chairing import review
from sparring.formats.chaired_debate.concluding import conclude, report
from sparring.formats.chaired_debate.course import Course
from sparring.formats.chaired_debate.floor import Floor
from sparring.formats.chaired_debate.rounds import hold_rounds
from sparring.formats.chaired_debate.startup import startup
from sparring.formats.chaired_debate.turns import Place, take_turn
from sparring.schema.chaired_debate import ChairedDebateOutcome, ChairedDebateRequest, Phase
from sparring.schema.chaired_debate.request import DEBATERS
from sparring.schema.transcript import TurnKind


def debate(request: ChairedDebateRequest) -> Course[ChairedDebateOutcome]:
    """The whole debate."""
    floor = yield from startup(Floor.of(request), request)
    if not floor.missing:
        floor = yield from _opening(floor)
    if floor.missing:
        return endings.failed(floor)
    rounds = yield from hold_rounds(floor, request)
    floor = rounds.floor
    if not floor.disqualified:
        floor = yield from _closing(floor)
    decided = yield from conclude(floor)
    floor = decided.floor
    if request.reporter:
        floor = yield from report(floor)
    return endings.ended(replace(decided, floor=floor), rounds.ended)


def _opening(floor: Floor) -> Course[Floor]:
    for role in DEBATERS:
        place = Place(f"opening.{role}", "chaired-debate/opening", TurnKind.OPENING, role)
        floor = yield from take_turn(floor, place)
        if floor.missing:
            break
    return floor


def _closing(floor: Floor) -> Course[Floor]:
    """Who opened first closes last."""
    floor = replace(floor, phase=Phase.CLOSING)
    for role in reversed(DEBATERS):
        place = Place(f"closing.{role}", "chaired-debate/closing", TurnKind.CLOSING, role)
        floor = yield from take_turn(floor, place)
        if floor.disqualified:
            return floor
    reviewed = yield from review(floor, "closing", may_go_on=False)
    return reviewed.floor
