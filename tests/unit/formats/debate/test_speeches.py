"""What was said without who said it: a judge sees sides, and what it is shown can be traced back to what was said."""

from collections.abc import Mapping

import pytest

from sparring.formats.debate.speeches import Mask, name_of, side_of, sides_in, with_roles, without_emphasis
from sparring.schema.base import Participant, Role
from sparring.schema.consultation import Answer, ContextPart, Reply
from sparring.schema.judgement import CitedArgument, Order
from sparring.schema.transcript import Ask
from support.debating import outcome, played
from support.playing import Special, answer, ballot
from support.texts import texts

TEXTS = texts("debate")
FIRST, SECOND = Order.PROPOSER_FIRST, Order.CHALLENGER_FIRST
CLAUDE = Participant(tool="claude")

MASK = Mask(
    {"claude": "Side A", "claude-opus-4-1": "Side A", "gpt-5[1m]": "Side B", "codex": "Side B", "opus": "Side A"}
)


@pytest.mark.parametrize(("said", "shown"), TEXTS["a-name-is-masked-as-a-whole-word-outside-code-paths-and-addresses"])
def test_a_name_is_masked_as_a_whole_word_outside_code_paths_and_addresses(said: str, shown: str) -> None:
    assert MASK.masked(said).text == shown


@pytest.mark.parametrize(("quote", "words"), TEXTS["the-words-of-the-original-are-found-again"])
def test_the_words_of_the_original_are_found_again(quote: str, words: str) -> None:
    said = "As Claude, I disagree with codex."
    masked = MASK.masked(said)
    start = masked.text.index(quote)
    start, end = masked.original(start, start + len(quote))
    assert said[start:end] == words


def shown(special: Mapping[str, Special], judge: str = "ab", **changes: object) -> str:
    """What a judge reads as the speech of Side A."""
    prompt = played(special, rounds=1, **changes).asks[f"judge1.{judge}.1"].question.prompt
    return prompt.partition("Side A:\n```text\n")[2].partition("\n")[0]


def telling(ask: Ask) -> Reply:
    """A speaker who names both tools and models."""
    return answer(ask, "Claude opus, codex and gpt-5 disagree: `claude` in src/codex.py says so.").model_copy(
        update={"model": "gpt-5" if ask.tool == "codex" else None}
    )


TELLING = {f"r1.{role}": telling for role in ("proposer", "challenger")}
OF_CODE = "disagree: `claude` in src/codex.py says so."
NAMED = f"Claude Side A, codex and Side B {OF_CODE}"


@pytest.mark.parametrize(
    ("changes", "judge", "read"),
    [
        ({}, "ab", f"Side A Side A, Side B and Side B {OF_CODE}"),
        ({}, "ba", f"Side B Side B, Side A and Side A {OF_CODE}"),
        # What the question speaks of keeps its name.
        ({"topic": "Is Claude better than codex?"}, "ab", NAMED),
        ({"topic": "May `claude-x` call `src/codex.py`?"}, "ab", NAMED),
        ({"context": (ContextPart(name="a.md", size_bytes=12, text="claude or codex"),)}, "ab", NAMED),
        # A tool on both sides is that tool.
        ({"devil": True, "proposer": CLAUDE, "challenger": CLAUDE}, "ab", f"that tool opus, codex and gpt-5 {OF_CODE}"),
    ],
)
def test_the_judge_sees_no_names_of_tools_or_models(changes: dict[str, object], judge: str, read: str) -> None:
    assert shown(TELLING, judge, **changes) == read


@pytest.mark.parametrize(("model", "tool"), [("default", "claude"), ("a", "claude"), (" ", "claude"), (None, "host")])
def test_a_tool_named_like_a_word_is_not_masked(model: str | None, tool: str) -> None:
    said = "A default is a choice on any host: auto, offline or not."
    speech = Answer(tool=tool, model=model, response=said, duration_ms=1)
    assert shown({"r1.proposer": lambda _: speech}, proposer=Participant(tool=tool)) == said


@pytest.mark.parametrize(("said", "read"), TEXTS["marks-go-and-words-stay"])
def test_marks_go_and_words_stay(said: str, read: str) -> None:
    assert without_emphasis(said).text == read


@pytest.mark.parametrize(("quote", "kept"), TEXTS["a-quote-is-found-without-its-marks-and-with-sides-for-names"])
def test_a_quote_is_found_without_its_marks_and_with_sides_for_names(quote: str, kept: str) -> None:
    speech = "speech of challenger in round 1. **P1 Stay.** On *write*, `src/a.py:3` says so. Unlike Claude, it works."
    reply = ballot(arguments=[{"side": "B", "quote": quote}])
    verdict = outcome(played({"r1.challenger": speech, "judge1.ab.1": reply}, rounds=1)).verdict
    assert verdict
    assert verdict.arguments == (CitedArgument(side=Role.CHALLENGER, round=1, quote=kept),)


@pytest.mark.parametrize(("said", "read"), TEXTS["a-side-named-by-its-letter-is-named-by-its-role"])
def test_a_side_named_by_its_letter_is_named_by_its_role(said: str, read: str) -> None:
    assert with_roles(said, FIRST) == read


def test_in_the_other_order_the_letters_are_the_other_sides() -> None:
    assert with_roles("Side A beats Side B.", SECOND) == "The challenger beats the proposer."
    assert [side_of("A", SECOND), side_of("B", SECOND)] == [Role.CHALLENGER, Role.PROPOSER] == list(sides_in(SECOND))
    assert [name_of(side, FIRST) for side in sides_in(FIRST)] == ["Side A", "Side B"]
