"""English claims against Vietnamese evidence, and the other way round: numbers and dates alone."""

from unicodedata import normalize

import pytest

from sparring.checks.claims import check_claim
from sparring.schema.claims import ClaimCheck, Dimension, Finding, Label, Severity, Status
from sparring.schema.lookups import Span, TextSpan

CITY = (
    "Newcastle là một thành phố ở phía bắc nước Anh. "
    "Chợ Grainger ở Newcastle được khai trương vào năm 1835 và là chợ lớn nhất ở châu Âu. "
    "Mạng lưới Nexus vận chuyển hơn 37 triệu hành khách mỗi năm đến sân bay Newcastle. "
    "Vào ngày 1 tháng 8 năm 1963, Đại học Newcastle trở nên độc lập với Đại học Durham. "
    "Tại Durham có 41% dân số đã chết vì bệnh dịch hạch từ năm 1570 đến 1572, theo Wrigley, trong thế kỷ XVI."
)
MARKET = "Grainger Market in Newcastle was opened in 1835 as the largest market in Europe."


@pytest.mark.parametrize(
    ("claim", "evidence", "label"),
    [
        ("Grainger Market in Newcastle was opened in 1853.", CITY, Label.REFUTED),
        ("Chợ Grainger ở Newcastle được khai trương vào năm 1853.", MARKET, Label.REFUTED),
        ("The Nexus network carries over 73 million passengers to Newcastle.", normalize("NFD", CITY), Label.REFUTED),
        ("Newcastle University became independent from Durham University on 1 March 1963.", CITY, Label.REFUTED),
        ("In Durham 48% died of plague from 1570 to 1572, says Wrigley.", CITY, Label.REFUTED),
        pytest.param("Grainger Market in Newcastle was opened in 1835.", CITY, Label.NEI, id="words are not compared"),
        pytest.param(
            "The harbour of Newcastle was opened in 1853.",
            "Đại học Newcastle có trường y từ năm 1834.",
            Label.NEI,
            id="one name is not enough",
        ),
        pytest.param(
            "Grainger Market in Newcastle was sold by Dobson, Clayton and Miller in 1853.",
            CITY,
            Label.NEI,
            id="most names are missing",
        ),
        pytest.param(
            "Newcastle and Grainger have 53 schools.", CITY, Label.NEI, id="nothing of its kind stands in its place"
        ),
        pytest.param(
            "Newcastle and Durham parted in March 1963.", CITY, Label.NEI, id="a month is held against no day"
        ),
        pytest.param(
            "In Durham, Wrigley counted 38% and 48% in the years 1570 and 1572.",
            CITY,
            Label.NEI,
            id="two numbers for one",
        ),
        pytest.param(
            "In Durham 41% died of plague in the 15th century, says Wrigley.", CITY, Label.NEI, id="centuries are words"
        ),
        pytest.param(
            "Grainger Market in Newcastle was opened in 1853.",
            f"{CITY} {CITY}",
            Label.NEI,
            id="two sentences are as near",
        ),
    ],
)
def test_a_number_is_held_against_the_sentence_with_the_same_names(claim: str, evidence: str, label: Label) -> None:
    assert check_claim(claim, ["Không có gì.", evidence]).label is label


def test_what_the_other_language_has_is_shown_and_supports_nothing() -> None:
    claim, evidence = "Tesla died in 1943.", "Tesla qua đời vào năm 1943."
    finding = Finding(
        dimension=Dimension.TIME,
        status=Status.MATCH,
        severity=Severity.MINOR,
        claim=TextSpan(text="1943", start=14, end=18),
        evidence=Span(index=0, text="1943", start=22, end=26),
        why='The evidence has "1943".',
    )
    assert check_claim(claim, [evidence]) == ClaimCheck(
        label=Label.NEI, findings=(finding,), uncovered=("Tesla", "died")
    )
    both = check_claim(claim, [evidence, "Tesla died in 1943."])
    assert (both.label, both.findings[0].evidence and both.findings[0].evidence.index) == (Label.SUPPORTED, 1)
