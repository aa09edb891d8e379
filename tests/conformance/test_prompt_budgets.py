"""Cost of a prompt beside its subject: the question, the material, the speeches and what code found in them.

Tokens are counted as characters / 4. For English prose with some JSON that is about a tenth more than the tokenizer of
Qwen 2.5 makes of it (November 2026).
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from bench.prompts import ASKED_FOR, EXHIBITS, kept_of_a_debate, models
from sparring.schema.base import RepoAccess
from sparring.schema.consultation import Exhibit
from sparring.schema.transcript import Ask
from support import chaired_playing, debating, fact_checking, jury_playing, reviewing
from support.playing import Played

_PER_TOKEN = 4
_FENCED = re.compile(r"(`{3,})text\n.*?\n\1\n?", re.DOTALL)
"""Fences around all that others have said or written; a filled form has none."""

SHOWN = {"exhibits": (Exhibit(number=1, path="a.py", last=1, text="x"),)}
DEBATES: Mapping[str, Mapping[str, Any]] = {
    "about nothing that is shown": {},
    "about exhibits": SHOWN,
    "about files that both may open": {**SHOWN, "repo_access": RepoAccess.READ},
    "with blind openings": {**SHOWN, "blind_openings": True},
}
IN_A_DEBATE = {
    "r1.proposer": 300,
    "r1.challenger": 400,
    "r2.proposer": 400,
    "r2.challenger": 400,
    "judge1.ab.1": 600,
    "judge1.ba.1": 350,
}
DEBATE = 3_500


def overhead(ask: Ask) -> float:
    """The tokens of a prompt that are none of what is fenced."""
    return len(_FENCED.sub("", ask.question.prompt)) / _PER_TOKEN


def report(costs: Mapping[str, float]) -> None:
    print({name: round(cost) for name, cost in costs.items()})  # noqa: T201 -- shown where a budget is exceeded


@pytest.mark.parametrize("about", DEBATES)
def test_the_prompts_of_a_debate_keep_to_their_budgets(about: str) -> None:
    costs = {ask.id: overhead(ask) for ask in models(debating.played(rounds=2, **DEBATES[about]))}
    report(costs)
    assert {name: cost for name, cost in costs.items() if cost > IN_A_DEBATE[name]} == {}
    assert sum(costs.values()) <= DEBATE


def _fact_check() -> Played:
    return fact_checking.check({"r1.a1": fact_checking.REFUTED}, fact_checking.request(max_rounds=2))[0]


OTHERS: Mapping[str, tuple[Callable[[], Played], Mapping[str, int], int]] = {
    "fact-check": (_fact_check, {"r1": 350, "r2": 430}, 0),
    "jury": (lambda: jury_playing.play_jury({}, rebuttals=1), {}, 2_200),
    "jury in two rounds": (lambda: jury_playing.play_jury({}, rebuttals=2), {}, 2_700),
    "review": (lambda: reviewing.held({"change": "pay"})[0], {"findings": 500, "joining": 250, "examination": 500}, 0),
    "review of a plan": (lambda: reviewing.held({"change": "plan"})[0], {"findings": 500}, 0),
    "chaired debate": (
        chaired_playing.play_chaired,
        {"ready": 250, "opening": 800, "r1": 1_000, "closing": 900, "conclusion": 800},
        0,
    ),
}


@pytest.mark.parametrize("kind", OTHERS)
def test_all_other_prompts_keep_to_their_budgets(kind: str) -> None:
    played, each, in_all = OTHERS[kind]
    costs = {ask.id: overhead(ask) for ask in models(played()) if ask.attempt == 1}
    report(costs)
    assert {name: cost for name, cost in costs.items() if cost > each.get(name.partition(".")[0], 10_000)} == {}
    assert not in_all or sum(costs.values()) <= in_all


def test_from_the_second_round_on_most_of_a_debaters_prompt_was_sent_before() -> None:
    """With exhibits of the usual size, and speeches of the length that is asked for."""
    assert min(kept_of_a_debate(5, ASKED_FOR, EXHIBITS)) >= 0.7
