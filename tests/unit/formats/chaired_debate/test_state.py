"""Words and addresses that may not be repeated: found and masked in any dress, and nothing else."""

import pytest

from sparring.formats.chaired_debate.state import RemovedText
from support.texts import texts

TEXTS = texts("chaired-debate")

WORDS = "Bicycles were counted at every gate of the old town"
WITHHELD = RemovedText().extended([WORDS], ["https://www.Example.org/a?b=1#c", ""], [])


@pytest.mark.parametrize(("text", "masked"), TEXTS["what-was-taken-out-is-found-and-masked-and-nothing-else"])
def test_only_withheld_text_is_found_and_masked(text: str, masked: str) -> None:
    assert WITHHELD.is_repeated_in("nothing", text) == (masked != text)
    assert WITHHELD.masked(text) == masked
    assert not WITHHELD.is_repeated_in(masked)


@pytest.mark.parametrize(
    ("text", "said", "is_repeated"), TEXTS["of-a-short-text-all-words-are-a-repetition-if-they-are-six"]
)
def test_a_short_text_is_repeated_by_all_its_words_from_six_on(text: str, said: str, is_repeated: bool) -> None:  # noqa: FBT001
    assert RemovedText().extended([text], [], []).is_repeated_in(said) == is_repeated


@pytest.mark.parametrize("url", ["the", "https://the/", "the.", "file:///the", ""])
def test_a_withheld_address_that_is_a_word_does_not_forbid_the_word(url: str) -> None:
    assert not RemovedText().extended([], [url], []).is_repeated_in("the file is the one")


def test_withheld_text_accumulates() -> None:
    more = WITHHELD.extended(["Another entry that was taken out of it"], ["x.org"], [])
    assert (
        more.masked(f"{WORDS}; another entry that was taken out of it; x.org") == "[REDACTED]; [REDACTED]; [REDACTED]"
    )
    assert RemovedText().masked(WORDS) == WORDS
