import pytest

from sparring.checks.claims.comparison import date_holds, quantity_holds
from sparring.checks.claims.dates import find_dates
from sparring.checks.claims.quantities import find_quantities
from sparring.checks.claims.tokens import Text


@pytest.mark.parametrize(
    ("claim", "evidence", "holds"),
    [
        ("5 cases", "5 cases", True),
        ("5 cases", "6 cases", False),
        ("more than 5 cases", "6 cases", True),
        ("more than 5 cases", "5 cases", False),
        ("at least 5 cases", "5 cases", True),
        ("at most 5 cases", "6 cases", False),
        ("fewer than 5 cases", "4 cases", True),
        ("more than 5 cases", "more than 3 cases", False),
        ("more than 3 cases", "more than 5 cases", True),
        ("more than 5 cases", "at most 9 cases", None),
        ("fewer than 5 cases", "fewer than 9 cases", False),
        ("fewer than 5 cases", "at least 3 cases", None),
        ("more than 5 cases", "between 3 and 9 cases", None),
        ("5 cases", "more than 5 cases", None),
        ("5 cases", "more than 9 cases", False),
        ("5 cases", "fewer than 3 cases", False),
        ("5 cases", "fewer than 9 cases", None),
        ("5 cases", "between 3 and 9 cases", True),
        ("between 3 and 4 cases", "5 cases", False),
        ("between 3 and 4 cases", "between 3 and 5 cases", False),
        ("between 3 and 4 cases", "between 3 and 4 cases", True),
        ("about 100 cases", "95 cases", True),
        ("about 100 cases", "80 cases", False),
        ("1.3 million cases", "1,270,000 cases", True),
        ("1.3 million cases", "1,220,000 cases", False),
        ("12.3 billion cases", "12,340,000,000 cases", True),
        ("1,000 cases", "1,013 cases", True),
        ("1,300 cases", "1,270 cases", True),
        ("80 cases", "78 cases", False),
        ("200 cases", "160 cases", False),
        ("8.2 cases", "8.24 cases", True),
        ("90 minutes", "2 hours", False),
        ("90 minutes", "1.5 hours", True),
        ("77 cases", "78 cases", False),
        ("0 cases", "0 cases", True),
        ("80 %", "78 %", False),
    ],
)
def test_a_number_says_yes_no_or_nothing_about_another(claim: str, evidence: str, *, holds: bool | None) -> None:
    said, there = (find_quantities(Text(text), frozenset())[0] for text in (claim, evidence))

    assert quantity_holds(said, there) is holds


@pytest.mark.parametrize(
    ("claim", "evidence", "holds"),
    [
        ("in 2020", "on 5 May 2020", True),
        ("in 2020", "in 2019", False),
        ("on 5 May", "on 5 May 2020", True),
        ("on 6 May", "on 5 May 2020", False),
        ("on 6 May", "on 5 May", False),
        ("in May", "in 2020", None),
        ("before 2020", "in 2019", True),
        ("before 2020", "in 2020", False),
        ("before 2020", "before 2021", None),
        ("before 2020", "since 2020", None),
        ("in 2001-02", "in 2002-03", False),
        ("in 2001-02", "in 2001-02", True),
        ("from 1999 to 2002", "from 1999 to 2003", False),
        ("from 1999 to 2002", "from 2000 to 2001", None),
        ("from 1999 to 2002", "from 2005 to 2010", False),
        ("before the 19th century", "in the 19th century", False),
        ("in 2000", "from 1999 to 2002", True),
        ("before 5 May 2020", "in May 2020", None),
        ("by 2020", "in 2020", True),
        ("by 2020", "in 2021", False),
        ("after 2020", "in 2021", True),
        ("after 2020", "in 2020", False),
        ("after 2020", "since 2019", None),
        ("since 2020", "in 2020", True),
        ("since 2020", "in 2019", False),
        ("in 2020", "after 2018", None),
        ("in 2020", "after 2020", False),
        ("in 2020", "before 2021", None),
        ("in 2020", "before 2020", False),
    ],
)
def test_a_day_says_yes_no_or_nothing_about_a_window(claim: str, evidence: str, *, holds: bool | None) -> None:
    said, there = (find_dates(Text(text))[0] for text in (claim, evidence))

    assert date_holds(said, there) is holds
