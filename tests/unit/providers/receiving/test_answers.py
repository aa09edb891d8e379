import pytest

from sparring.providers.receiving.answers import received
from sparring.schema.consultation import Answer, Ending, Failure, FailureCode

LIMIT = "You've hit your limit · resets 1pm (Europe/Lisbon)"


def answer(text: str, ending: Ending = Ending.COMPLETE) -> Answer:
    return Answer(tool="claude", response=text, ending=ending, duration_ms=7, redactions=1)


def failure(code: FailureCode, detail: str, *, retryable: bool = False) -> Failure:
    return Failure(tool="claude", code=code, detail=detail, retryable=retryable, duration_ms=7, redactions=1)


def test_a_thought_is_kept_apart_from_the_answer() -> None:
    thinking = answer("<think>Maybe.</think>No.")
    assert received(thinking) == thinking.model_copy(update={"response": "No.", "thought": "Maybe."})


def test_an_answer_without_a_thought_stays_as_it_is() -> None:
    plain = answer(" No. ")
    assert received(plain) is plain


@pytest.mark.parametrize(
    ("text", "ending", "code"),
    [
        ("<think>Maybe", Ending.COMPLETE, FailureCode.EMPTY),
        ("<think>Maybe", Ending.CUT_OFF, FailureCode.CUT_OFF),
        ("<think>Maybe</think>", Ending.WITHHELD, FailureCode.REFUSED),
        (" \u200b\x1b[0m ", Ending.COMPLETE, FailureCode.EMPTY),
    ],
)
def test_an_answer_without_remaining_text_is_a_failure(text: str, ending: Ending, code: FailureCode) -> None:
    reply = received(answer(text, ending))
    assert isinstance(reply, Failure)
    assert reply.code is code


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (LIMIT, FailureCode.QUOTA),
        (f"\n{LIMIT}\n", FailureCode.QUOTA),
        ("Invalid API key · Please run /login", FailureCode.AUTH),
        ("The model returned no content because the response was blocked by content filtering.", FailureCode.REFUSED),
        ('API Error: 529 {"type":"error"}', FailureCode.OVERLOADED),
        ("API Error: 418 teapot", FailureCode.UNKNOWN),
    ],
)
def test_a_known_excuse_of_a_service_is_no_answer(text: str, code: FailureCode) -> None:
    retryable = code is FailureCode.OVERLOADED
    assert received(answer(text)) == failure(code, text.strip(), retryable=retryable)


def test_an_answer_that_quotes_such_a_sentence_stays_one() -> None:
    for text in (f"The log says: {LIMIT}", f"{LIMIT}\n\n" + "That is what users see. " * 20):
        assert isinstance(received(answer(text)), Answer)


def test_sentences_of_the_provider_file_count_where_they_are_all_that_there_is() -> None:
    own = ("No credit left.*",)
    assert received(answer("No credit left for today"), own) == failure(FailureCode.UNKNOWN, "No credit left for today")
    assert isinstance(received(answer("He said: No credit left"), own), Answer)


def test_a_failure_passes() -> None:
    failed = failure(FailureCode.TIMEOUT, "late")
    assert received(failed, (".*",)) is failed
