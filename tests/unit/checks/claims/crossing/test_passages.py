import pytest

from sparring.checks.claims.crossing.passages import Passage, find_passage
from sparring.checks.claims.crossing.terms import find_terms
from sparring.checks.claims.tokens import Text

FIRST = "Đế chế bắt đầu trở nên yếu vào thời gian đó."
SECOND = "Thành phố có hai trường đại học và một bảo tàng nghệ thuật lớn."
THIRD = "Vua đã xây dựng một lâu đài ở Newcastle để bảo vệ biên giới."


def passage(claim: str, *sources: str) -> Passage | None:
    texts = [Text(source) for source in sources]
    return find_passage(find_terms(Text(claim), ()), [(text, find_terms(text, ())) for text in texts])


def sentence(claim: str, *sources: str) -> str:
    found = passage(claim, *sources)
    assert found
    start, end = Text(sources[found.index]).offsets(found.begin, found.end)
    return sources[found.index][start:end]


@pytest.mark.parametrize(
    ("claim", "told"),
    [
        ("The city has two universities and a museum of art.", SECOND),
        ("At Newcastle, the king built a castle.", THIRD),
        ("A castle was built by the king to protect the border.", THIRD),
        ("At that time the empire began to become weak.", FIRST),
    ],
)
def test_the_sentence_with_the_same_names_and_words_is_found(claim: str, told: str) -> None:
    assert sentence(claim, f"{FIRST} {SECOND} {THIRD}") == told
    assert sentence(claim, FIRST, f"{THIRD} {SECOND}") == told


def test_a_translation_is_told_from_a_sentence_about_something_near() -> None:
    same = passage("The city has two universities and a large museum of art.", f"{FIRST} {SECOND} {THIRD}")
    near = passage("The city has a large harbour, three churches and a railway.", f"{FIRST} {SECOND} {THIRD}")
    other = passage("The river freezes in winter.", f"{FIRST} {SECOND} {THIRD}")

    assert same
    assert same.is_translation
    assert near
    assert not near.is_alike
    assert other is None or not other.is_alike


def test_a_sentence_that_stands_twice_is_no_sure_translation() -> None:
    found = passage("The city has two universities and a large museum of art.", f"{SECOND} {SECOND}")

    assert found
    assert found.is_alike
    assert not found.is_translation


def test_nothing_is_found_without_evidence_or_anything_in_common() -> None:
    assert passage("The city has two universities.") is None
    assert passage("The city has two universities.", "") is None
    assert passage("Xylophones jingle.", FIRST) is None


def test_a_sentence_about_another_name_is_elsewhere() -> None:
    same = passage("Berlin has an old castle.", "Berlin có một lâu đài cổ.")
    other = passage("Berlin has an old castle.", "Warsaw có một lâu đài cổ.")
    translated = passage("Beijing has an old castle.", "Bắc Kinh có một lâu đài cổ.")

    assert [each and each.is_elsewhere for each in (same, other, translated)] == [False, True, False]
    assert not (other and other.is_alike)
