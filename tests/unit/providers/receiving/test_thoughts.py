import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.providers.receiving.thoughts import ReceivedText, without_thought
from support.texts import cases

MARKS = ("<think>", "</think>", "[/THINK]", "<|channel|>", "<|message|>", "final", "`", "```\n", "\n", "a.", " b", '"')


@pytest.mark.parametrize(("table", "text", "thought", "answer"), cases("thoughts"))
def test_a_thought_is_separated_from_the_answer(table: str, text: str, thought: str, answer: str) -> None:
    assert without_thought(text) == ReceivedText(thought, answer), table


@given(st.lists(st.sampled_from(MARKS), max_size=30).map("".join))
def test_nothing_is_made_up_and_an_opened_thought_is_never_answered_with(text: str) -> None:
    thought, answer = without_thought(text)
    assert set(thought + answer) <= {*text, "\n"}
    assert not answer.startswith("<think>")


@given(st.text(st.characters(exclude_characters="<>[]◁▷", exclude_categories=["Cs"])))
def test_a_text_without_marks_stays_as_it_is(text: str) -> None:
    if "assistantfinal" not in text:
        assert without_thought(text) == ReceivedText("", text)
