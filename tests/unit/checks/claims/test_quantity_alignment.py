"""Which number of the evidence a claim's number is held against, seen in what the whole check says."""

import pytest

from sparring.checks.claims import check_claim
from sparring.schema.claims import Status


def told(claim: str, evidence: str) -> list[tuple[str, Status, str | None]]:
    findings = check_claim(claim, [evidence]).findings
    return [(each.claim.text, each.status, each.evidence.text if each.evidence else None) for each in findings]


@pytest.mark.parametrize(
    ("claim", "evidence", "status"),
    [
        pytest.param("The march took over 90 minutes.", "The march took two hours.", Status.MATCH, id="hours, minutes"),
        pytest.param("The march took under 90 minutes.", "The march took two hours.", Status.MISMATCH, id="too long"),
        pytest.param("The road is 16 km long.", "The road is 10 miles long.", Status.MATCH, id="converted and rounded"),
        pytest.param("The road is 10 km long.", "The road is 10 miles long.", Status.MISMATCH, id="another unit"),
        pytest.param("The park has 81 acres.", "The park has 33 hectares.", Status.MATCH, id="an area"),
        pytest.param("The bell weighs over 3 tonnes.", "The bell weighs 900 kg.", Status.MISMATCH, id="a weight"),
        pytest.param("The road is 400 km long.", "The road is 396 km long.", Status.MATCH, id="a round length"),
        pytest.param("The walk lasted 5 hours.", "The walk drew 9 people.", Status.MISSING, id="hours are no people"),
        ("They met 5 years later.", "She was 60 years of age.", Status.MISSING),
    ],
)
def test_numbers_with_units_are_compared_in_one(claim: str, evidence: str, status: Status) -> None:
    assert told(claim, evidence)[0][1] is status


@pytest.mark.parametrize(
    ("claim", "evidence", "against"),
    [
        ("In Alden, fewer than 300 cases were found.", "There were 512 cases in Corby, and 310 cases in Alden.", "310"),
        (
            "The town of Alden has more than 60 deaths.",
            "In Alden, 80 cases were found and the death toll rose to 41.",
            "41",
        ),
        ("There were fewer than 30 cases in the north.", "There were 90 cases, of which 34 were in the north.", "34"),
        (
            "It earned less than $12 million worldwide.",
            "It earned $11.9 million abroad, for a worldwide total of $14.1 million.",
            "14.1 million",
        ),
        (
            "Corby County had over 25 cases.",
            "As of 24 March, Alden County had 37 cases, while Corby County had 19.",
            "19",
        ),
        ("Corby has reported fewer than 400 cases.", "Alden has 812 cases, Corby 455 and Dray 120.", "455"),
        (
            "Its score on the second site is under 60.",
            "It has a rating of 73% on the first site and a score of 61 out of 100 on the second.",
            "61 out of 100",
        ),
        ("It has more than 90 COVID-19 cases.", "It has 4 deaths and 80 cases.", "80"),
        ("Less than 40 Danish ships sailed.", "Then 40 ships sailed.", "40"),
    ],
)
def test_a_number_is_held_against_that_of_the_same_thing(claim: str, evidence: str, against: str) -> None:
    _, status, there = told(claim, evidence)[-1]

    assert (status, there) == (Status.MISMATCH, against)


@pytest.mark.parametrize(
    ("claim", "evidence", "status"),
    [
        ("The man is 40 years old.", "A 40-year-old man lives here.", Status.MATCH),
        ("The man is 40 years old.", "A 51-year-old man lives here.", Status.MISMATCH),
        ("The man is 40 years old.", "He came at the age of 51.", Status.MISMATCH),
        ("The man was older than 64 then.", "He died aged 65.", Status.MATCH),
        ("A 40-year-old man lives here.", "The man is 40 years old.", Status.MATCH),
        ("A 40-year-old man lives here.", "A 51-year-old woman worked in Corby.", Status.MISSING),
    ],
)
def test_who_is_named_by_an_age_is_another_one_at_another_age(claim: str, evidence: str, status: Status) -> None:
    assert told(claim, evidence)[0][1] is status


@pytest.mark.parametrize(
    ("claim", "status"),
    [
        ("It is the fifth oldest bridge.", Status.MATCH),
        ("It is above the fifth oldest bridge.", Status.MISMATCH),
        ("It is below the fifth oldest bridge.", Status.MISMATCH),
        ("It is below the sixth oldest bridge.", Status.MISSING),
        ("It is the sixth oldest bridge.", Status.MISMATCH),
    ],
)
def test_what_is_beside_a_rank_does_not_have_it(claim: str, status: Status) -> None:
    assert told(claim, "It is the fifth oldest bridge of the land.")[0][1] is status


@pytest.mark.parametrize(
    ("claim", "evidence", "status"),
    [
        ("There were no deaths in Alden.", "There were 12 deaths in Alden.", Status.MISMATCH),
        ("There were no deaths in Alden.", "There were no deaths in Alden.", Status.MATCH),
        ("There were 12 deaths in Alden.", "There were no deaths in Alden.", Status.MISMATCH),
    ],
)
def test_none_is_a_number_of_things_that_are_counted(claim: str, evidence: str, status: Status) -> None:
    assert told(claim, evidence)[0][1] is status


def test_no_is_no_number_where_nothing_is_counted() -> None:
    assert told("There is no doubt about it.", "There were 12 deaths.") == []


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        pytest.param("It drew 40.", "It seats 45 guests and has 9 rooms.", id="a bare number among several"),
        pytest.param("It began with the class of 2019.", "The class had 1,300 pupils.", id="digits that may be a year"),
        pytest.param("There were 12 deaths.", "There were 14 cases.", id="deaths are no cases"),
    ],
)
def test_a_number_of_something_else_tells_nothing(claim: str, evidence: str) -> None:
    assert Status.MISMATCH not in [status for _, status, _ in told(claim, evidence)]


def test_a_range_of_prices_is_one_quantity() -> None:
    assert told("It cost £6,000.", "It cost between £5,000 and £7,500.") == [
        ("6,000", Status.MATCH, "5,000 and £7,500")
    ]
