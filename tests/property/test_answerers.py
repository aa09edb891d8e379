"""Whichever tools stand in for others, every surface names only tools that answered."""

import html
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.formats.registry import FORMATS
from sparring.formats.views import RunView, page, report
from sparring.reports.markdown import joined
from sparring.schema.base import Role
from sparring.schema.consult import ConsultedTool, ConsultRequest
from sparring.schema.consultation import Answer, Reply
from sparring.schema.lookups import CitationTable
from sparring.schema.runs import Request, Run
from sparring.schema.transcript import Ask, Turn, TurnKind
from support import chaired_playing, consulting, debating, fact_checking, jury_playing, playing, review_runs
from support.examples import costly
from support.playing import PROMPTS, ended, play, replying

STAND_INS = ("dave", "erin", "frank")


def _consulted(ask: Ask) -> Reply | str:
    return CitationTable().model_dump_json() if ask.role is Role.VERIFIER else playing.well_behaved(ask)


def _silent_challenger(ask: Ask) -> Reply | str:
    return "Fully agreed." if ask.role is Role.CHALLENGER else playing.well_behaved(ask)


def _order_following(ask: Ask) -> Reply | str:
    """The judge of the seat picks the side that is shown first; a further one stays with the challenger."""
    if ask.kind is not TurnKind.SYNTHESIS or ask.number > 1:
        return playing.well_behaved(ask)
    letters = playing.letters_of(ask)
    return playing.ballot(letters, winner=Role.PROPOSER if letters == "ab" else Role.CHALLENGER)


PLAYED: Mapping[str, tuple[Request, Callable[[Ask], Reply | str]]] = {
    "debate": (debating.request(), playing.well_behaved),
    "panel": (debating.request(panel=[{"tool": "opencode"}]), playing.well_behaved),
    "unopposed": (debating.request(), _silent_challenger),
    "further-judge": (debating.request(further_judge={"tool": "opencode"}), _order_following),
    "chaired-debate": (chaired_playing.chaired_request(), chaired_playing.well_behaved),
    "fact-check": (fact_checking.request(), fact_checking.well_behaved),
    "jury": (jury_playing.jury_request(), jury_playing.well_behaved),
    "consult": (consulting.SEVERAL, _consulted),
    "consult-one": (ConsultRequest(question="What now?", asked=(ConsultedTool(tool="claude"),)), _consulted),
}
"""A request of each format whose rules can be played, and what is answered in it."""

Seat = tuple[Role, int]


def seat_of(place: Ask | Turn) -> Seat:
    return place.role, place.number or 1


def answered_by(reply: Reply, asked: str, tool: str | None) -> Reply:
    """``reply`` as if ``tool`` had given it in the place of the tool that was asked."""
    if tool is None or not isinstance(reply, Answer):
        return reply
    told = f"{asked} did not answer (auth: no key); {tool} answered in its place."
    return reply.model_copy(update={"tool": tool, "warnings": (told, *reply.warnings)})


def held(name: str, by: Mapping[Seat, str]) -> Run:
    """A run of that name in which ``by`` names the tools that stand in, seat by seat."""
    if name == "review":
        whole = review_runs.review()
        turns = (
            turn.model_copy(update={"reply": answered_by(turn.reply, turn.tool, by.get(seat_of(turn)))})
            for turn in whole.transcript.turns
        )
        return whole.model_copy(update={"transcript": whole.transcript.model_copy(update={"turns": tuple(turns)})})
    request, usual = PLAYED[name]
    well = replying({}, usual)
    rules = FORMATS[request.kind].rules(request, PROMPTS)
    return ended(request, play(rules, lambda ask: answered_by(well(ask), ask.tool, by.get(seat_of(ask)))))


@cache
def seats_of(name: str) -> list[Seat]:
    """The seats that answer in a run of that name without stand-ins."""
    turns = held(name, {}).transcript.turns
    return sorted({seat_of(turn) for turn in turns if turn.answer and turn.role is not Role.VERIFIER})


def text_of(page_: str) -> str:
    """The text of a page that stands outside of tags, a line for each."""
    return "\n".join(html.unescape(words) for words in re.findall(r">([^<>]+)<", page_))


def tools_in(value: object) -> Iterator[Mapping[str, Any]]:
    """Every record in ``value`` that says which tool answered."""
    match value:
        case dict():
            record = cast("dict[str, Any]", value)
            if "tool" in record and "code" not in record:  # a failure is of the tool that was asked
                yield record
            for each in record.values():
                yield from tools_in(each)
        case list():
            for each in cast("list[object]", value):
                yield from tools_in(each)
        case _:
            return


@costly
@pytest.mark.parametrize("name", [*PLAYED, "review"])
@given(data=st.data())
def test_only_tools_that_answered_are_named_as_having_answered(name: str, data: st.DataObject) -> None:
    seats = data.draw(st.sets(st.sampled_from(seats_of(name))))
    by = {seat: data.draw(st.sampled_from(STAND_INS)) for seat in seats}
    run = held(name, by)
    shown, written = page(run), report(run)

    spoken = [turn for turn in run.transcript.turns if turn.answer and turn.role is not Role.VERIFIER]
    answered = {turn.reply.tool for turn in spoken}
    first = RunView(run).conclusion
    told = " ".join((first.headline, first.firmness, *first.answered_by))
    seen = "\n".join((told, *first.doubts, RunView(run).summary(), joined(RunView(run).decision()), text_of(shown)))
    for tool in {turn.tool for turn in spoken} - answered:
        as_answering = re.search(rf"(?<!for )\b{tool}\b(?! did not answer)", seen)
        assert as_answering is None, seen[max(0, as_answering.start() - 100) : as_answering.end() + 100]
    assert first.winner in {"", *answered}
    if run.header.kind == "debate":
        assert len(first.answered_by) == len({seat_of(turn) for turn in spoken}), told
    failed = {turn.tool for turn in run.transcript.turns if turn.failure}
    for record in tools_in(RunView(run).result().model_dump(mode="json")):
        assert record["tool"] in answered | failed, record
    for turn in spoken:
        if tool := by.get(seat_of(turn)):
            assert any(f"{tool} for {turn.tool}" in each for each in (first.headline, *first.answered_by)), told
            assert any(f"{tool} answered in its place" in doubt for doubt in first.doubts)
            assert f"{tool} for {turn.tool}" in written
    assert set(STAND_INS) & set(by.values()) == {tool for tool in STAND_INS if f"{tool} for " in shown}
