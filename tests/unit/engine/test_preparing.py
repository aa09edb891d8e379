"""Which tools may answer where the tool of a seat fails for good."""

from typing import Any

import pytest

from sparring.engine.preparing import with_stand_ins
from sparring.schema.base import Role, utc_now
from sparring.schema.consultation import Answer, Brief, Question
from sparring.schema.debate import DebateRequest
from sparring.schema.transcript import Ask, Transcript, Turn, TurnKind

ASKED = {"proposer": "alice", "challenger": "bob", "judge": "carol"}
SIDES = (Role.PROPOSER, Role.CHALLENGER)
JUDGE = (Role.JUDGE,)


def request(**changes: Any) -> DebateRequest:
    seats = {role: {"tool": tool} for role, tool in ASKED.items()}
    return DebateRequest.model_validate({"topic": "Tabs?", **seats, **changes})


def ask(role: Role, number: int = 0) -> Ask:
    brief = Brief(step="debate/opening", topic="Tabs?", role=role, round=1)
    tool = ASKED.get(role, "citations")
    question = Question(prompt="Speak.", brief=brief, timeout_s=1)
    return Ask(
        id=f"{role}.{number}", kind=TurnKind.OPENING, role=role, number=number, round=1, tool=tool, question=question
    )


def answered(role: Role, tool: str) -> Turn:
    reply = Answer(tool=tool, response="Tabs.", duration_ms=1)
    asked = ask(role)
    return Turn(**asked.place, ask_id=asked.id, prompt_sha256=asked.prompt_sha256, at=utc_now(), reply=reply)


def offered(asks: tuple[Ask, ...], said: tuple[Turn, ...] = (), **changes: Any) -> list[tuple[str, ...]]:
    return [each.stand_ins for each in with_stand_ins(asks, request(**changes), Transcript(turns=said))]


def test_the_named_substitute_may_take_every_seat_but_those_of_code() -> None:
    asks = (ask(Role.PROPOSER), ask(Role.JUDGE, 1), ask(Role.VERIFIER))
    assert offered(asks, substitute="dave") == [("dave",), ("dave",), ()]


@pytest.mark.parametrize(
    ("said", "changes", "expected"),
    [
        ((), {"substitute": "bob"}, ()),
        ((answered(Role.CHALLENGER, "dave"),), {"substitute": "dave"}, ()),
        ((answered(Role.CHALLENGER, "dave"),), {"substitute": "erin"}, ("erin",)),
        ((), {"unnamed": SIDES, "spare": ("bob", "dave")}, ("dave",)),
        ((answered(Role.JUDGE, "dave"),), {"unnamed": SIDES, "spare": ("dave", "erin")}, ("erin",)),
    ],
    ids=["planned-there", "spoke-there", "spoke-elsewhere", "spare-planned-there", "spare-judged"],
)
def test_no_tool_takes_a_side_against_itself(
    said: tuple[Turn, ...], changes: dict[str, Any], expected: tuple[str, ...]
) -> None:
    assert offered((ask(Role.PROPOSER),), said, **changes) == [expected]


def test_both_sides_asked_at_once_are_not_offered_the_same_tool() -> None:
    asks = (ask(Role.PROPOSER), ask(Role.CHALLENGER))
    assert offered(asks, substitute="dave") == [("dave",), ()]


def test_the_tool_that_argues_both_sides_may_have_one_substitute_for_both() -> None:
    changes: dict[str, Any] = {"challenger": {"tool": "alice"}, "devil": True, "substitute": "dave"}
    assert offered((ask(Role.PROPOSER), ask(Role.CHALLENGER)), **changes) == [("dave",), ("dave",)]


def test_two_judges_of_a_panel_are_not_replaced_by_one_tool() -> None:
    changes: dict[str, Any] = {"panel": [{"tool": "erin"}]}
    assert offered((ask(Role.JUDGE, 1), ask(Role.JUDGE, 2)), substitute="dave", **changes) == [("dave",), ()]
    assert offered((ask(Role.JUDGE, 1),), substitute="erin", **changes) == [()]


FAMILIES = {"alice": "claude", "bob": "gpt", "carol": "gemini", "dave": "claude", "erin": "gemini", "frank": "qwen"}


@pytest.mark.parametrize(
    ("spare", "expected"),
    [
        (("dave", "frank"), ("frank", "dave")),
        (("erin", "dave"), ("dave",)),
        (("erin",), ()),
        (("gus", "hal", "ida"), ("gus", "hal")),
    ],
    ids=["unrelated-first", "not-of-the-same-family", "only-a-relative", "two-at-most"],
)
def test_a_seat_that_was_not_named_goes_to_a_tool_of_another_family(
    spare: tuple[str, ...], expected: tuple[str, ...]
) -> None:
    changes: dict[str, Any] = {"unnamed": JUDGE, "spare": spare, "tool_families": FAMILIES}
    assert offered((ask(Role.JUDGE, 1), ask(Role.PROPOSER)), **changes) == [expected, ()]
