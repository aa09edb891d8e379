"""The judge sees sides, not tools; what it is shown can be traced back to what was said."""

import pytest

from sparring.formats.debate.speeches import Mask
from sparring.schema.base import Participant
from sparring.schema.consultation import ContextPart, Reply
from sparring.schema.transcript import Ask
from support.debating import outcome, played
from support.playing import answer, ballot, letters_of
from support.texts import texts

TEXTS = texts("debate")

MASK = Mask(
    {"claude": "Side A", "claude-opus-4-1": "Side A", "gpt-5[1m]": "Side B", "codex": "Side B", "opus": "Side A"}
)


@pytest.mark.parametrize(("said", "shown"), TEXTS["a-name-is-masked-as-a-whole-word-outside-code-paths-and-addresses"])
def test_a_name_is_masked_as_a_whole_word_outside_code_paths_and_addresses(said: str, shown: str) -> None:
    assert MASK.masked(said).text == shown


@pytest.mark.parametrize(("quote", "words"), TEXTS["the-words-of-the-original-are-found-again"])
def test_the_words_of_the_original_are_found_again(quote: str, words: str) -> None:
    masked = MASK.masked("As Claude, I disagree with codex.")
    start = masked.text.index(quote)
    start, end = masked.original_place(start, start + len(quote))
    assert masked.original[start:end] == words


def telling(ask: Ask) -> Reply:
    """A speaker who names both tools and models."""
    return answer(ask, "Claude opus, codex and gpt-5 disagree: `claude` in src/codex.py says so.").model_copy(
        update={"model": "gpt-5" if ask.tool == "codex" else None}
    )


TELLING = {f"r1.{role}": telling for role in ("proposer", "challenger")}


def shown(ask_id: str, **changes: object) -> str:
    """What a judge reads in the place of the speech."""
    prompt = played(TELLING, rounds=1, **changes).asks[ask_id].question.prompt
    return prompt.partition("Side A:\n```text\n")[2].partition("\n")[0]


def test_the_judge_is_not_told_tools_or_models_asked_for_or_reported() -> None:
    rest = "disagree: `claude` in src/codex.py says so."
    assert shown("judge1.ab.1") == f"Side A Side A, Side B and Side B {rest}"
    assert shown("judge1.ba.1") == f"Side B Side B, Side A and Side A {rest}"


@pytest.mark.parametrize(
    "changes",
    [
        {"topic": "Is Claude better than codex?"},
        {"topic": "May `claude-x` call `src/codex.py`?"},
        {"context": (ContextPart(name="a.md", size_bytes=12, text="claude or codex"),)},
    ],
)
def test_a_tool_that_the_question_speaks_of_keeps_its_name(changes: dict[str, object]) -> None:
    assert shown("judge1.ab.1", **changes).startswith("Claude Side A, codex and Side B disagree")


def test_a_tool_on_both_sides_is_that_tool() -> None:
    claude = Participant(tool="claude")
    assert shown("judge1.ab.1", devil=True, proposer=claude, challenger=claude).startswith("that tool opus, codex and")


@pytest.mark.parametrize("model", ["default", "a", " ", "auto"])
def test_a_model_that_is_called_like_a_word_is_not_masked(model: str) -> None:
    def speaks(ask: Ask) -> Reply:
        return answer(ask, "A default is a choice: auto or not.").model_copy(update={"model": model})

    found = played({"r1.proposer": speaks}, rounds=1)
    assert "A default is a choice: auto or not." in found.asks["judge1.ab.1"].question.prompt


@pytest.mark.parametrize("name", ["offline", "host"])
def test_a_tool_that_is_called_like_a_word_is_not_masked(name: str) -> None:
    said = f"It works on any host, be it offline; {name} is what I mean."
    found = played({"r1.proposer": said}, proposer=Participant(tool=name), rounds=1)
    assert said in found.asks["judge1.ab.1"].question.prompt


def test_an_argument_that_names_a_tool_is_kept_in_the_words_of_its_speech() -> None:
    def cites(ask: Ask) -> Reply:
        other = "B" if letters_of(ask) == "ab" else "A"
        quote = {"side": "B", "quote": f"Unlike Side {'A' if other == 'B' else 'B'}, I measured it."}
        return answer(ask, ballot(letters_of(ask), arguments=[quote]))

    judges = dict.fromkeys(("judge1.ab.1", "judge1.ba.1"), cites)
    verdict = outcome(played({"r1.challenger": "Unlike Claude, I measured it.", **judges}, rounds=1)).verdict
    assert verdict is not None
    assert [argument.quote for argument in verdict.arguments] == ["Unlike Claude, I measured it."]
