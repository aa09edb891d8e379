import json
from collections import Counter
from pathlib import Path

import pytest

from sparring.checks.claims import check_claim
from sparring.schema.claims import ClaimCheck, Dimension, Finding, Label, Severity, Status
from sparring.schema.lookups import Span, TextSpan

SAMPLE = Path(__file__).parents[3] / "data" / "software.sample.jsonl"


def span(text: str, part: str) -> TextSpan:
    start = text.index(part)
    return TextSpan(text=part, start=start, end=start + len(part))


def span_in(sources: list[str], index: int, part: str) -> Span:
    return Span(index=index, **span(sources[index], part).model_dump())


def test_a_finding_shows_both_places_and_says_why() -> None:
    claim = "More than 700 cases were confirmed in Ohio."
    sources = ["Nothing here.", "In Ohio, 685 cases were confirmed."]

    assert check_claim(claim, sources) == ClaimCheck(
        label=Label.REFUTED,
        findings=(
            Finding(
                dimension=Dimension.QUANTITY,
                status=Status.MISMATCH,
                severity=Severity.CRITICAL,
                claim=span(claim, "700"),
                evidence=span_in(sources, 1, "685"),
                why='The claim has "700", the evidence "685" for the same.',
            ),
        ),
    )


def test_a_changed_word_is_shown_where_it_stands() -> None:
    claim = "The number of visitors has not grown much in the last year."
    sources = ["The number of visitors has grown much in the last year."]

    assert check_claim(claim, sources) == ClaimCheck(
        label=Label.REFUTED,
        findings=(
            Finding(
                dimension=Dimension.NEGATION,
                status=Status.MISMATCH,
                severity=Severity.CRITICAL,
                claim=span(claim, "not"),
                evidence=span_in(sources, 0, "has grown"),
                why='The claim repeats a sentence of the evidence, but has "not" where that has "has grown".',
            ),
        ),
    )


@pytest.mark.parametrize(
    ("claim", "evidence", "label"),
    [
        pytest.param("There were 5 cases in Ohio.", "There were 5 cases in Ohio.", Label.SUPPORTED, id="equal"),
        pytest.param("There were 5 cases in Ohio.", "There were 9 cases in Ohio.", Label.REFUTED, id="another count"),
        pytest.param("The film scored over 80%.", "The film scored 75%.", Label.REFUTED, id="a bound not reached"),
        pytest.param("It sold 500 copies.", "It had 20,000 viewers.", Label.NEI, id="something else is counted"),
        pytest.param("The film was well liked.", "The film scored 75%.", Label.NEI, id="no number claimed"),
        pytest.param("There were 5 cases.", "", Label.NEI, id="no evidence"),
        pytest.param("", "There were 5 cases.", Label.NEI, id="no claim"),
        pytest.param("She was born in 1980.", "She was born in 1981.", Label.REFUTED, id="another year"),
        pytest.param("He died before 1990.", "He died in 1985.", Label.SUPPORTED, id="a window that holds"),
        pytest.param("He died before 1980.", "He died in 1985.", Label.REFUTED, id="a window that does not"),
        ("As of 28 April, there were 700 cases in Ohio.", "As of 27 April, there were 650 cases in Ohio.", Label.NEI),
        ("It has a 75% score.", "It has a score of 7.5/10 from critics.", Label.SUPPORTED),
        pytest.param("He came in the second place.", "He came in the third place.", Label.REFUTED, id="an ordinal"),
        ("He came in second place.", "He came in second place, third time.", Label.SUPPORTED),
        pytest.param("The second wife left.", "The third film came.", Label.NEI, id="ordinals of other things"),
        pytest.param("Fewer than the third place.", "The fourth place it is.", Label.NEI, id="a bounded ordinal"),
        ("Ohio had 4,160 cases after 14 April.", "As of 12 April, Ohio has 4,160 cases.", Label.REFUTED),
        ("As of 14 April, Ohio had 4,160 cases.", "As of 12 April, Ohio has 4,160 cases.", Label.REFUTED),
        (
            "By 12 April, Ohio had 4,160 cases.",
            "As of 12 April, Ohio has 4,160 cases. On 3 May all was over.",
            Label.SUPPORTED,
        ),
        ("On 3 May, Ohio had 4,160 cases.", "Ohio has 4,160 cases. As of 9 May, it has more.", Label.NEI),
        (
            "It earned over $90 million outside the United States.",
            "It earned $40 million in the United States and $95 million in other territories.",
            Label.NEI,
        ),
        pytest.param("Sales rose by 5 % in May.", "Sales fell by 5 % in May.", Label.REFUTED, id="a direction"),
        pytest.param("It takes six months.", "It takes one year.", Label.NEI, id="another unit of time"),
        ("It has a score of 34.", "It has a score of 34 out of 100.", Label.SUPPORTED),
        ("The class succeeding 2018 came.", "In 2018, the class had 8,054 people.", Label.NEI),
        ("There were 12 deaths, then 9 cases.", "There were 12 cases.", Label.NEI),
        pytest.param("He ranks behind the 15th player.", "He is the 17th player.", Label.NEI, id="a relative ordinal"),
        pytest.param("Dân số là 5,3 triệu người.", "Dân số là 4,1 triệu người.", Label.REFUTED, id="Vietnamese"),
        pytest.param("Hơn 5.000 người đã đến Huế.", "5.300 người đã đến Huế.", Label.SUPPORTED, id="Vietnamese bound"),
    ],
)
def test_a_claim_is_refuted_only_by_what_speaks_of_the_same(claim: str, evidence: str, label: Label) -> None:
    assert check_claim(claim, [evidence]).label is label


@pytest.mark.parametrize(
    ("claim", "evidence", "status"),
    [
        (
            "The tower in the old town of Bath was built in 1901 by him.",
            "The tower in the old town of Bath was built in 1801 by him.",
            Status.MISMATCH,
        ),
        (
            "The tower in the old town of Bath has 1901 steps, says he.",
            "The tower in the old town of Bath was built in 1801, says he.",
            Status.MISSING,
        ),
        (
            "The old tower of Bath town has 90 steps in it.",
            "The old tower of Bath town has 80 steps in it.",
            Status.MISMATCH,
        ),
        (
            "The old tower of Bath town has over 70 steps in it.",
            "The old tower of Bath town has 80 steps in it.",
            Status.MATCH,
        ),
        (
            "The old tower of Bath town has over 80 steps in it, they say.",
            "The old tower of Bath town has over 85 steps in it, they say.",
            Status.MATCH,
        ),
        (
            "The old tower of Bath town has over 40 steps in it, they say.",
            "The old tower of Bath town has over 80 steps in it, they say.",
            Status.MISMATCH,
        ),
        (
            "The old tower of Bath town has over 90 steps in it, they say.",
            "The old tower of Bath town has over 80 steps in it, they say.",
            Status.MISMATCH,
        ),
        (
            "The old tower of Bath town was opened by 1990 to them.",
            "The old tower of Bath town was opened in 1980 to them.",
            Status.MATCH,
        ),
        (
            "The old tower of Bath town was seen by 90th of them.",
            "The old tower of Bath town was seen by 80 of them.",
            Status.MISMATCH,
        ),
        (
            "The old tower of Bath town was seen in 1990 with them.",
            "The old tower of Bath town was seen in 19 with them.",
            Status.MISMATCH,
        ),
        (
            "The old tower of Bath town was seen in 19 with them.",
            "The old tower of Bath town was seen in 1990 with them.",
            Status.MISMATCH,
        ),
    ],
)
def test_a_number_in_the_place_of_another_is_held_against_that(claim: str, evidence: str, status: Status) -> None:
    assert check_claim(claim, [evidence]).findings[0].status is status


def test_a_text_too_long_to_keep_is_read_all_the_same() -> None:
    evidence = "There were 9 cases in Ohio. " + "Nothing happened at all. " * 1000

    assert check_claim("There were 5 cases in Ohio.", [evidence]).label is Label.REFUTED


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The old tower of Bath town has 90 steps in it.", "The old tower of Bath town has 1.2.3.4.5 steps in it."),
        (
            "The old tower of Bath town was seen in 1990 with them.",
            "The old tower of Bath town was seen in 1.2.3.4.5 with them.",
        ),
    ],
)
def test_what_replaces_no_number_is_held_against_none(claim: str, evidence: str) -> None:
    assert [finding.status for finding in check_claim(claim, [evidence]).findings] == [Status.MISSING]


def test_a_changed_bound_is_told_once_with_its_number() -> None:
    claim, evidence = "Sales after 1990 were good.", "Sales before 1990 were good."

    assert check_claim(claim, [evidence]) == ClaimCheck(
        label=Label.REFUTED,
        findings=(
            Finding(
                dimension=Dimension.TIME,
                status=Status.MISMATCH,
                severity=Severity.CRITICAL,
                claim=span(claim, "1990"),
                evidence=span_in([evidence], 0, "1990"),
                why='Both have "1990", but the words around it, such as "over" or "before", tell different things.',
            ),
        ),
    )


def test_what_a_claim_says_less_surely_does_not_refute_it() -> None:
    claim, evidence = "The old tower may be the oldest in Bath.", "The old tower is the oldest in Bath."

    assert check_claim(claim, [evidence]) == ClaimCheck(
        label=Label.NEI,
        findings=(
            Finding(
                dimension=Dimension.CERTAINTY,
                status=Status.MISMATCH,
                severity=Severity.MINOR,
                claim=span(claim, "may be"),
                evidence=span_in([evidence], 0, "is"),
                why='The claim repeats a sentence of the evidence, but has "may be" where that has "is".',
            ),
        ),
        uncovered=("may",),
    )


@pytest.mark.parametrize(
    ("claim", "sources", "label"),
    [
        # A number that another source has, whatever it is there, may be that.
        ("In Ohio, 685 people died of it.", ["The death toll of Ohio rose to 512 people."], Label.REFUTED),
        ("In Ohio, 685 people died of it.", ["The death toll of Ohio rose to 512 people.", "Season 685."], Label.NEI),
        # What one source says word for word is not refuted by another.
        ("31 came on 31 May, 5 March 2020.", ["31 came on 5 March 2020."], Label.REFUTED),
        (
            "31 came on 31 May, 5 March 2020.",
            ["31 came on 5 March 2020.", "31 came on 31 May, 5 March 2020."],
            Label.SUPPORTED,
        ),
    ],
)
def test_all_sources_count_together(claim: str, sources: list[str], label: Label) -> None:
    assert check_claim(claim, sources).label is label


def test_claims_about_software_are_told_apart_as_well_as_they_were() -> None:
    # What code reached in November 2026: 61 of 67 REFUTED and 68 of 73 SUPPORTED are found, and nothing is wrong. The
    # bars leave three rows of each, and one that is wrong. Better code raises them.
    rows = [json.loads(line) for line in SAMPLE.read_text(encoding="utf-8").split("\n") if line]
    told = Counter((row["label"], check_claim(row["claim"], row["evidence"]).label.value) for row in rows)
    assert told.total() == 200
    assert told["REFUTED", "REFUTED"] >= 58
    assert told["SUPPORTED", "SUPPORTED"] >= 65
    assert told["SUPPORTED", "REFUTED"] + told["NEI", "REFUTED"] <= 1
    assert told["REFUTED", "SUPPORTED"] + told["NEI", "SUPPORTED"] <= 1


@pytest.mark.parametrize(("numbers", "compared"), [(3, 3), (60, 4)])
def test_what_is_too_much_to_compare_is_told_as_one_missing_part_and_never_supported_nor_refuted(
    numbers: int, compared: int
) -> None:
    claim = " ".join(f"There are {number} rooms." for number in range(100, 100 + numbers))
    check = check_claim(claim, [" ".join(f"There are {number} rooms." for number in range(100, 6_100))])

    told = [finding for finding in check.findings if finding.why.startswith("Not compared")]
    assert len(check.findings) - len(told) == compared
    assert [(each.status, each.claim.text[:3]) for each in told] == [(Status.MISSING, "104")] * (numbers > compared)
    assert check.label is Label.SUPPORTED  # it stands there word for word
    assert check_claim(f"{claim} None is empty.", ["There are 7 rooms. " * 6_000]).label is not Label.SUPPORTED
