"""Sentences of sources, parts of a claim, and how much of a part a sentence holds."""

import unicodedata

import pytest

from sparring.checks.claims import check_claim
from sparring.consult.offline.comparing.holding import Sources
from sparring.consult.offline.comparing.parts import MOST, parts
from sparring.consult.offline.comparing.sentences import Sentence, opening_end, sentences, word_after_name
from sparring.consult.offline.terms import words
from support.texts import TOWER


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One thing. Another one!  A third?", ["One thing.", "Another one!", "A third?"]),
        ("Mr. J. Smith came at 5 p.m. today.", ["Mr. J. Smith came at 5 p.m. today."]),
        ('He said "Never." Then he left.', ['He said "Never."', "Then he left."]),
        ("A title\n\n  A line\nanother", ["A title", "A line", "another"]),
        (" \n ", []),
        ("Hà Nội ở phía Bắc. Huế ở miền Trung.", ["Hà Nội ở phía Bắc.", "Huế ở miền Trung."]),
        ("Born in 1961 . He served .", ["Born in 1961 .", "He served ."]),
    ],
)
def test_sentences_end_where_the_next_one_begins(text: str, expected: list[str]) -> None:
    assert [each.text for each in sentences([text])] == expected


def test_every_sentence_stands_where_it_says() -> None:
    sources = ["", " Café. Größe?\n\tNext.", unicodedata.normalize("NFD", "Tiếng Việt. Đà Nẵng.")]
    found = sentences(sources)
    assert [sources[each.source][each.start : each.end] for each in found] == [each.text for each in found]
    assert [each.source for each in found] == [1, 1, 1, 2, 2]


def test_words_keep_their_place_however_their_accents_are_written() -> None:
    text = unicodedata.normalize("NFD", "Đà Nẵng có cầu")
    assert [word.written for word in words(text)] == ["Đà", "Nẵng", "có", "cầu"]
    assert [unicodedata.normalize("NFC", text[word.start : word.end]) for word in words(text)] == [
        word.written for word in words(text)
    ]


@pytest.mark.parametrize(
    ("text", "before", "after_name"),
    [
        ("Anna Karenina was written by Tolstoy.", "Anna Karenina ", "was"),
        ("The University of Oxford opened.", "The University of Oxford opened.", "opened"),
        ("many people came", "many people came", None),
        ("Oslo", "Oslo", None),
    ],
)
def test_a_sentence_names_its_matter_before_its_predicate(text: str, before: str, after_name: str | None) -> None:
    assert text[: opening_end(text)] == before
    assert word_after_name(text) == after_name


def cut(claim: str, *evidence: str) -> list[str]:
    return [part.span.text for part in parts(claim, check_claim(claim, evidence).findings)]


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("The Eiffel Tower is 330 metres tall.", ["The Eiffel Tower", "is 330 metres tall"]),
        ("Kevin Bacon acted.", ["Kevin Bacon", "acted"]),
        ("There are less than four games.", ["There are less than four", "games"]),
        ("The tower is old and of stone in Oslo.", ["The tower is old", "of stone in Oslo"]),
        (
            "The tower was built in Oslo, but was never in use.",
            ["The tower was built", "in Oslo, but was never in use"],
        ),
        ("Obama.", ["Obama"]),
        ("?", ["?"]),
        ("", [""]),
        ("The tower 1,200", ["The tower 1,200"]),
    ],
)
def test_a_short_claim_has_two_parts_unless_it_has_one_word_to_say(claim: str, expected: list[str]) -> None:
    assert cut(claim) == expected


def test_a_long_claim_has_five_parts_that_stand_in_it_in_order() -> None:
    claim = (
        "Under the mayor of the old town, four hundred workers built a stone bridge, which had twelve arches, "
        "between the northern market and the southern harbour, because the ferry sank in the great storm of 1743, "
        "when the ice broke early and took the wooden piers with it."
    )
    found = parts(claim, check_claim(claim, ["Nothing."]).findings)
    assert len(found) == MOST
    assert [claim[part.span.start : part.span.end] for part in found] == [part.span.text for part in found]
    assert sorted(part.span.start for part in found) == [part.span.start for part in found]
    assert {word.start for part in found for word in part.words} <= {word.start for word in words(claim)}


def test_a_claim_with_hundreds_of_seams_has_five_parts_that_are_all_of_it() -> None:
    claim = ", ".join(f"workers built bridge{number}" for number in range(500))
    found = parts(claim, ())
    assert len(found) == MOST
    assert sum(len(part.words) for part in found) == 1500


def test_no_part_begins_inside_of_a_date() -> None:
    claim = "The old bridge near the market opened for carts on March 26, 2020."
    (found,) = check_claim(claim, ["It opened on March 25, 2020."]).findings
    begins = [part.span.start for part in parts(claim, (found,))]
    assert not any(found.claim.start < begin < found.claim.end for begin in begins)


def best(claim: str, *evidence: str) -> tuple[float, str]:
    (part, *_) = parts(claim, check_claim(claim, evidence).findings)
    held = Sources(evidence).best(part)
    return (held.share, held.quote) if held else (0.0, "")


@pytest.mark.parametrize(
    ("claim", "evidence", "expected"),
    [
        ("Towers", "Near the towers, people live.", (1.0, "towers")),
        ("City Owner", TOWER, (1.0, "owner is the city")),
        ("City Owners", TOWER, (1.0, "owner is the city")),
        ("Harbour Owner", TOWER, (0.5, "owner")),
        ("Harbour", TOWER, (0.0, "")),
        ("Anti-aircraft", "An anti-aircraft gun.", (1.0, "anti-aircraft")),
        ("Cure", "It is not a cure.", (0.0, "")),
        ("No cure", "It is not a cure.", (1.0, "not a cure.")),
        ("No cure", "It is a cure.", (0.0, "")),
        ("It is so", "We know it is so. It is so.", (1.0, "It is so")),
        ("s", "It is so.", (0.0, "")),
        ("?", "Is it so?", (0.0, "")),
        (" ", "It is so.", (0.0, "")),
    ],
)
def test_the_best_sentence_is_quoted_in_as_few_words_as_hold_the_part(
    claim: str, evidence: str, expected: tuple[float, str]
) -> None:
    assert best(claim, evidence) == expected


def test_of_two_sentences_the_one_near_the_claim_is_quoted() -> None:
    claim = "Owner"
    sources = Sources(["An owner came.", "The owner sold the tower."])
    (part,) = parts(claim, ())
    first, second = sources.sentences
    assert [held.sentence for near in ((), (second,)) if (held := sources.best(part, near))] == [first, second]


def test_a_place_outside_of_every_sentence_is_its_own_sentence() -> None:
    check = check_claim("The tower is 500 metres tall.", ["The tower is 330 metres tall."])
    (place,) = [found.evidence for found in check.findings if found.evidence]
    assert Sources(["The tower is 330 metres tall."]).sentence_of(place) == "The tower is 330 metres tall."
    blank = place.model_copy(update={"index": 1, "text": " ", "start": 0, "end": 1})
    assert Sources(["The tower is 330 metres tall.", " "]).sentence_of(blank) == " "


def test_sentences_of_equal_words_differ_by_their_place() -> None:
    assert sentences(["Yes.", "Yes."]) == (Sentence(0, 0, "Yes."), Sentence(1, 0, "Yes."))
