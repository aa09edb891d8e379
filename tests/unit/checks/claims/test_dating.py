import pytest

from sparring.checks.claims import check_claim
from sparring.schema.claims import Status

TOWN = "As of the 2010 census, the town had a population of 12,456, up from 11,020 in 2000."
LISTED = "The population was 8,231 in 2001 and 9,540 in 2011, of which 4,702 are male."
SEASONS = "In 2012 he scored 31 goals. In 2013 he scored 12 goals, and then 9 more."


@pytest.mark.parametrize(
    ("claim", "evidence", "status", "there"),
    [
        ("In 2000, the population of the town was over 11,500.", TOWN, Status.MISMATCH, "11,020"),
        ("In 2010, the population of the town was over 11,500.", TOWN, Status.MATCH, "12,456"),
        ("In 1990, the population of the town was over 11,500.", TOWN, Status.MATCH, "12,456"),
        ("After 2005, the population of the town was under 12,000.", TOWN, Status.MISMATCH, "12,456"),
        ("The population was over 9,000 in 2001.", LISTED, Status.MISMATCH, "8,231"),
        ("The population was under 9,000 in 2011.", LISTED, Status.MISMATCH, "9,540"),
        ("In 2013, he scored more than 20 goals.", SEASONS, Status.MISMATCH, "12"),
        ("In 2012, he scored more than 20 goals.", SEASONS, Status.MATCH, "31"),
    ],
)
def test_a_number_is_held_against_that_of_the_same_time(claim: str, evidence: str, status: Status, there: str) -> None:
    found = check_claim(claim, [evidence]).findings[0]

    assert (found.status, found.evidence and found.evidence.text) == (status, there)


def test_the_time_of_one_source_says_nothing_of_another() -> None:
    sources = ["In 2012 he scored 31 goals.", "Nothing else is known.", "In 2013 he scored 12 goals."]

    found = check_claim("In 2013, he scored more than 20 goals.", sources).findings[0]

    assert (found.status, found.evidence and found.evidence.index) == (Status.MISMATCH, 2)
