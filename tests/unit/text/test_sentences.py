import pytest

from sparring.text.prose import LONGEST, sentences


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text, 0, len(text))]


@pytest.mark.parametrize(
    "expected",
    [
        ["One is one.", "Two is two!", "Is it?", "Yes"],
        ["“So it is.”", "Then (it was.)", "[3] is more."],
        ["Dr. Smith met J. R. Tolkien at 3.5 km, e.g. Mr. Jones vs. the U.S. Army."],
        ["It rose by approx. 5 %.", "No. 5 is alive."],
        ["Wait... what?", "No…", "Really."],
        ["He came home. and left."],
        ["Nó cao 3 m.", "Ông ở TP. Hồ Chí Minh."],
        ["城堡有三百间房。", "它很大！"],
        ["A line\nof two lines.", "More"],
        ["The version is 1.2.3.", "It works."],
    ],
)
def test_a_sentence_ends_where_its_readers_think_it_does(expected: list[str]) -> None:
    between = "" if "。" in expected[0] else " "
    assert split(between.join(expected)) == expected


def test_what_holds_no_word_is_no_sentence() -> None:
    assert split(" ... ! *** ") == []
    assert split("") == []


def test_only_the_given_part_is_read() -> None:
    text = "Not this. One. Two. Nor this."
    assert [text[start:end] for start, end in sentences(text, 10, 19)] == ["One.", "Two."]


@pytest.mark.parametrize("text", ["word " * 1000, "x" * 5000, "word\n" * 1000])
def test_what_never_ends_is_cut(text: str) -> None:
    found = split(text)
    assert all(len(sentence) <= LONGEST for sentence in found)
    assert "".join("".join(found).split()) == "".join(text.split())
