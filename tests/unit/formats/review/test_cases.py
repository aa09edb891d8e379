"""Scripted reviews, held by the real rules: what reviewers say, and what must come of it."""

from fnmatch import fnmatch
from typing import cast

import pytest

from sparring.engine.course import Asks
from sparring.formats.review.flow import Review
from sparring.schema.base import Role
from sparring.schema.review import ReviewRequest
from sparring.schema.transcript import Transcript, TurnKind
from support.playing import PROMPTS, Played, steps
from support.reviewing import Json, held, request, table, told
from support.stored_runs import stored


@pytest.mark.parametrize("case", table()["case"], ids=lambda case: case["name"])
def test_a_review_has_the_findings_and_conclusion_of_its_case(case: Json) -> None:
    played, outcome = held(case)
    assert [told(each) for each in outcome.findings] == case["want"]
    assert outcome.status == case.get("status", "findings")
    assert all(any(words in notice for notice in outcome.notices) for words in case.get("told", ())), outcome.notices
    if "cause" in case:
        (examined,) = [each.examined for each in outcome.findings if each.examined]
        assert bool(case["cause"]) == bool(examined.cause)
        assert case["cause"] in examined.cause
    asked = [id_ for step in steps(played) for id_ in step]
    wanted = case.get("asked", asked)
    assert len(asked) == len(wanted), asked
    assert all(map(fnmatch, asked, wanted)), asked
    assert list(map(list, outcome.answered)) == case.get("answered", list(map(list, outcome.answered)))
    _holds_for_every_review(case, played)


def _holds_for_every_review(case: Json, played: Played) -> None:
    rules = Review(request(case), PROMPTS)
    for number in range(len(played.steps) + 1):
        assert rules.next(played.before(number)) == played.then(number)
    blind = [ask for ask in played.asks.values() if ask.kind is TurnKind.FINDINGS and ask.attempt == 1]
    for part in {ask.id.split(".")[1] for ask in blind}:
        assert len({ask.question.prompt for ask in blind if ask.id.split(".")[1] == part}) == 1
    beginnings = {ask.question.prompt[: ask.question.stable] for ask in blind}
    for ask in played.asks.values():
        if ask.role is Role.EXAMINER:
            assert ask.question.prompt[: ask.question.stable] in beginnings


def test_a_stored_review_replays_to_the_same_asks_and_outcome() -> None:
    kept = stored("review")
    rules, turns = Review(cast("ReviewRequest", kept.header.request), PROMPTS), kept.transcript.turns
    assert rules.next(kept.transcript) == kept.outcome
    asked: list[str] = []
    while len(asked) < len(turns):
        asked += [ask.id for ask in cast("Asks", rules.next(Transcript(turns=turns[: len(asked)])))]
    assert asked == [turn.ask_id for turn in turns]
