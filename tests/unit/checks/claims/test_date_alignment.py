"""Which date of the evidence a claim's date is held against, seen in what the whole check says."""

import pytest

from sparring.checks.claims import check_claim
from sparring.schema.claims import Status


def told(claim: str, evidence: str) -> list[tuple[str, Status, str | None]]:
    findings = check_claim(claim, [evidence]).findings
    return [(each.claim.text, each.status, each.evidence.text if each.evidence else None) for each in findings]


@pytest.mark.parametrize(
    ("claim", "status", "there"),
    [
        ("Night Ferry was released in 1982.", Status.MATCH, "1982"),
        ("Night Ferry was released in 1980.", Status.MISMATCH, "1982"),
        ("Tall Grass was released in 1980.", Status.MATCH, "1980"),
        ("Another film was released in 1980.", Status.MATCH, "1980"),
    ],
)
def test_a_year_in_brackets_is_that_of_the_name_before_it(claim: str, status: Status, there: str) -> None:
    evidence = "His best known films are Tall Grass (1980) and Night Ferry (1982)."

    assert told(claim, evidence) == [(claim[-5:-1], status, there)]


def test_of_several_dates_none_is_known_to_be_that_of_a_name() -> None:
    evidence = "His best known films are Tall Grass (1980) and Night Ferry (1982)."

    assert told("Tall Grass of 1980 is older than his film of 1982.", evidence) == [
        ("1980", Status.MATCH, "1980"),
        ("1982", Status.MATCH, "1982"),
    ]


@pytest.mark.parametrize(
    ("claim", "evidence", "status"),
    [
        pytest.param("She wrote it before 1990.", "In 1997 they performed there.", Status.MISMATCH, id="one date only"),
        pytest.param("She wrote it in 1990.", "In 1997 they performed there.", Status.MISSING, id="a day is narrow"),
        ("She wrote it before 1990.", "In 1997 they sang; in 1985 they danced.", Status.MATCH),
        pytest.param("She wrote it in the 1980s.", "In 1997 they performed there.", Status.MISMATCH, id="a decade"),
    ],
)
def test_a_wide_window_that_no_date_lies_in_is_refuted_by_any(claim: str, evidence: str, status: Status) -> None:
    assert told(claim, evidence)[0][1] is status


@pytest.mark.parametrize(
    ("claim", "status"),
    [
        ("He ended his tour before 12 June 2018.", Status.MISMATCH),
        ("He ended his tour before 20 June 2018.", Status.MATCH),
        ("He died in 2012.", Status.MISSING),
        ("He was born in 1968.", Status.MISMATCH),
    ],
)
def test_an_end_is_no_beginning(claim: str, status: Status) -> None:
    evidence = "He (born 4 May 1970) began his tour on 1 March 2018 and plans to end it on 14 June 2018."

    assert told(claim, evidence)[0][1] is status


@pytest.mark.parametrize(
    ("claim", "status"),
    [
        ("She studied there from 1987 to 1990.", Status.MATCH),
        ("She studied there from 1987 to 1991.", Status.MISMATCH),
        ("She studied there before 1990.", Status.MISMATCH),
        ("She studied there after 1987.", Status.MISMATCH),
        ("She studied there before 1989.", Status.MISSING),
        ("She studied there before 1992.", Status.MATCH),
    ],
)
def test_a_period_is_told_by_both_its_ends(claim: str, status: Status) -> None:
    assert told(claim, "She studied there from 1987 to 1990.")[0][1] is status


@pytest.mark.parametrize(
    ("claim", "evidence", "status"),
    [
        ("The border is closed until 13 April.", "The border stays closed until 30 April 2020.", Status.MISMATCH),
        ("The border is closed until 30 April.", "The border stays closed until 30 April 2020.", Status.MATCH),
        ("The border is closed by 13 April.", "The border stays closed until 30 April 2020.", Status.MISSING),
        ("She ruled with him up to 1442.", "She ruled with him from 1418 to 1422.", Status.MISMATCH),
        ("She ruled with him up to 1422.", "She ruled with him from 1418 to 1422.", Status.MATCH),
        ("She ruled with him until 1442.", "She ruled with him in 1422.", Status.MATCH),
        ("She has ruled with him since 1442.", "She has ruled there with him since 1422.", Status.MISMATCH),
        ("She has ruled with him since 1422.", "She has ruled there with him since 1422.", Status.MATCH),
    ],
)
def test_what_goes_on_until_a_day_ends_on_it(claim: str, evidence: str, status: Status) -> None:
    assert told(claim, evidence)[0][1] is status


@pytest.mark.parametrize(
    ("claim", "status"),
    [
        ("The war began in 1618.", Status.MATCH),
        ("The war began in 1628.", Status.MISMATCH),
        ("The war ended in 1648.", Status.MATCH),
        ("The war ended before 1640.", Status.MISMATCH),
        ("The war was fierce in 1640.", Status.MATCH),
    ],
)
def test_what_began_or_ended_is_held_against_that_end_of_a_period(claim: str, status: Status) -> None:
    assert told(claim, "The war was fought from 1618 to 1648 and killed many.")[0][1] is status


def test_periods_without_a_year_are_told_by_both_their_ends() -> None:
    evidence = "The chart shows the cases from 5 March 2020 to 27 April 2020."

    assert told("The chart shows the cases from 5 March to 26 April.", evidence)[0][1] is Status.MISMATCH
    assert told("The chart shows the cases from 5 March to 27 April.", evidence)[0][1] is Status.MATCH


@pytest.mark.parametrize(
    ("claim", "statuses"),
    [
        ("By 12 April, Alden had 4,160 cases.", [Status.MATCH, Status.MATCH]),
        ("By 14 April, Alden had 4,160 cases.", [Status.MATCH, Status.MISMATCH]),
        ("After 14 April, Alden had 4,160 cases.", [Status.MATCH, Status.MISMATCH]),
        ("By 14 April, Alden had over 4,200 cases.", [Status.MISSING, Status.MATCH]),
        ("As of 11 April, Alden had over 4,200 cases.", [Status.MISSING, Status.MISSING]),
        ("As of 12 April, Alden had over 4,200 cases.", [Status.MISMATCH, Status.MATCH]),
    ],
)
def test_how_things_stood_on_one_day_says_nothing_of_another(claim: str, statuses: list[Status]) -> None:
    assert [status for _, status, _ in told(claim, "As of 12 April, Alden has 4,160 cases.")] == statuses


def test_a_month_without_a_year_is_that_of_the_same_name() -> None:
    assert told("It came in September.", "It came in March 2020, to stay; and in September.")[0][1:] == (
        Status.MATCH,
        "September",
    )
