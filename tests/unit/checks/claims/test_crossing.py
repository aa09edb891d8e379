"""English claims against Vietnamese evidence, and the other way round."""

from unicodedata import normalize

import pytest

from sparring.checks.claims import check_claim
from sparring.schema.claims import ClaimCheck, Dimension, Finding, Label, Severity, Status
from sparring.schema.spans import Span, TextSpan

CITY = (
    "Newcastle là một thành phố ở phía bắc nước Anh. "
    "Chợ Grainger được khai trương vào năm 1835 và là chợ lớn nhất ở châu Âu. "
    "Mạng lưới vận chuyển hơn 37 triệu hành khách mỗi năm đến sân bay Newcastle. "
    "Vào ngày 1 tháng 8 năm 1963, Đại học Newcastle trở nên độc lập với Đại học Durham. "
    "Khoảng 10 đến 30% dân số đã chết vì bệnh dịch hạch trong thế kỷ XVII, theo các nhà sử học."
)
MARKET = "Grainger Market was opened in 1835 as the largest market in Europe."


@pytest.mark.parametrize(
    ("claim", "evidence", "label"),
    [
        ("Grainger Market was opened in 1835.", CITY, Label.SUPPORTED),
        ("Grainger Market was opened in 1853.", CITY, Label.REFUTED),
        ("Grainger Market was opened in 1963.", CITY, Label.REFUTED),
        ("The network carries over 37,000,000 passengers a year.", normalize("NFD", CITY), Label.SUPPORTED),
        ("The network carries over 73 million passengers a year.", CITY, Label.REFUTED),
        ("The network carries under 37 million passengers a year.", CITY, Label.REFUTED),
        ("Newcastle University became independent from Durham University on 1 August 1963.", CITY, Label.SUPPORTED),
        ("Newcastle University became independent from Durham University on 1 March 1963.", CITY, Label.REFUTED),
        ("Historians say that 38 to 30 percent of the population died of plague.", CITY, Label.REFUTED),
        ("The harbour of Newcastle was opened in 1853.", CITY, Label.NEI),
        ("Newcastle is a city.", CITY, Label.NEI),
        ("The city of Newcastle has 20 old schools.", "Thành phố Newcastle có 30 bệnh viện cổ.", Label.NEI),
        ("Newcastle University was founded in 1963.", "Đại học Durham được thành lập năm 1832.", Label.NEI),
        ("Chợ Grainger được khai trương vào năm 1835.", MARKET, Label.SUPPORTED),
        ("Chợ Grainger được khai trương vào năm 1853.", MARKET, Label.REFUTED),
        ("Bảo tàng được khai trương vào năm 1853.", MARKET, Label.NEI),
    ],
)
def test_a_claim_is_held_against_the_sentence_that_tells_the_same(claim: str, evidence: str, label: Label) -> None:
    assert check_claim(claim, ["Không có gì.", evidence]).label is label


def test_a_number_in_a_name_and_an_opposite_are_shown_as_what_they_are() -> None:
    claim = "Northumbria was the last university in the Times Guide 2010."
    evidence = "Northumbria là trường đại học đầu tiên trong Hướng dẫn Times Guide 2005."

    def found(dimension: Dimension, said: tuple[str, int], there: tuple[str, int]) -> Finding:
        return Finding(
            dimension=dimension,
            status=Status.MISMATCH,
            severity=Severity.CRITICAL,
            claim=TextSpan(text=said[0], start=said[1], end=said[1] + len(said[0])),
            evidence=Span(index=0, text=there[0], start=there[1], end=there[1] + len(there[0])),
            why=f'The evidence tells the same in another language, but has "{there[0]}" for "{said[0]}".',
        )

    assert check_claim(claim, [evidence]) == ClaimCheck(
        label=Label.REFUTED,
        findings=(
            found(Dimension.QUANTITY, ("2010", 55), ("2005", 67)),
            found(Dimension.QUALIFIER, ("last", 20), ("đầu tiên", 30)),
        ),
    )
