import pytest

from sparring.checks.claims.changes import WordChange, find_changes
from sparring.checks.claims.tokens import Text
from support.texts import texts

TEXTS = texts("claims")

SOURCE = "The tower was opened in spring. Since then the number of visitors has grown by 12 every year, says the owner."


def changes(claim: str, *sources: str) -> tuple[WordChange, ...]:
    return find_changes(Text(claim), [Text(source) for source in sources])


REPEATED = [(claim, SOURCE, [kind]) for claim, kind in TEXTS["what-a-repeated-sentence-has-changed-is-found"]]


@pytest.mark.parametrize(
    ("claim", "evidence", "kinds"), [*REPEATED, *TEXTS["what-words-in-the-place-of-others-change"]]
)
def test_what_a_repeated_sentence_has_changed_is_found(claim: str, evidence: str, kinds: list[str]) -> None:
    assert [(change.kind, change.source) for change in changes(claim, evidence)] == [(kind, 0) for kind in kinds]


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        *((claim, SOURCE) for claim in TEXTS["nothing-is-changed-where-nothing-is-repeated-or-meant"]),
        # Nor does a sentence without end, or one in another language, repeat anything.
        ("visitors " * 400, SOURCE),
        ("The number of visitors has not grown", "The number of visitors has grown " * 60),
        ("The number 5 of 6 visitors rose", "Số người đến thăm 5 of 6 The number rose visitors đã tăng"),
    ],
)
def test_nothing_is_changed_where_nothing_is_repeated_or_meant(claim: str, source: str) -> None:
    assert changes(claim, source) == ()


def test_the_opposite_of_a_word_is_a_change() -> None:
    rose, fell = (f"The number of visitors {went} in the last year." for went in ("rose", "fell"))
    assert changes(rose, "", fell) == (WordChange("opposite", 1, (4, 5), (4, 5), 0.9, is_only=True),)
