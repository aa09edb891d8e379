import unicodedata
from typing import Literal

import pytest

from sparring.checks.claims import check_claim
from sparring.schema.claims import ClaimCheck, Dimension, Finding, Label, Severity, Status
from sparring.schema.spans import Span, TextSpan

CITY = (
    "Newcastle là một thành phố ở phía bắc nước Anh. "
    "Chợ Grainger được khai trương vào năm 1835 và là chợ lớn nhất ở châu Âu. "
    "Mạng lưới vận chuyển hơn 37 triệu hành khách mỗi năm đến sân bay Newcastle. "
    "Vào ngày 1 tháng 8 năm 1963, Đại học Newcastle trở nên độc lập với Đại học Durham. "
    "Khoảng 10 đến 30% dân số đã chết vì bệnh dịch hạch trong thế kỷ XVII, theo các nhà sử học. "
    "Ngôi chợ cũ có 20 cửa hàng, và bảo tàng có chín phòng trưng bày nghệ thuật."
)


def label(claim: str, *evidence: str) -> Label:
    return check_claim(claim, evidence or [CITY]).label


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        pytest.param("Grainger Market was opened in 1835.", Label.SUPPORTED, id="the year"),
        pytest.param("Grainger Market was opened in 1853.", Label.REFUTED, id="another year"),
        pytest.param("Grainger Market was opened in 7769.", Label.REFUTED, id="no year that we know"),
        pytest.param("Grainger Market was opened in 1963.", Label.REFUTED, id="a year of something else"),
        pytest.param("The network carries over 37 million passengers a year.", Label.SUPPORTED, id="a scale"),
        pytest.param("The network carries over 37,000,000 passengers a year.", Label.SUPPORTED, id="written out"),
        pytest.param("The network carries over 73 million passengers a year.", Label.REFUTED, id="another count"),
        pytest.param("The network carries under 37 million passengers a year.", Label.REFUTED, id="an opposite bound"),
        pytest.param("The network carries about 37 million passengers a year.", Label.SUPPORTED, id="a weaker bound"),
        pytest.param(
            "Newcastle University became independent from Durham University on 1 August 1963.",
            Label.SUPPORTED,
            id="the day",
        ),
        pytest.param(
            "Newcastle University became independent from Durham University on 2 August 1963.",
            Label.REFUTED,
            id="another day",
        ),
        pytest.param(
            "Newcastle University became independent from Durham University on 1 March 1963.",
            Label.REFUTED,
            id="another month",
        ),
        pytest.param(
            "Newcastle University became independent from Durham University on 71 August 1963.",
            Label.REFUTED,
            id="no day at all",
        ),
        pytest.param(
            "Historians say that 10 to 30 percent of the population died of plague in the 17th century.",
            Label.SUPPORTED,
            id="percentages and a century",
        ),
        pytest.param(
            "Historians say that 10 to 30 percent of the population died of plague in the 18th century.",
            Label.REFUTED,
            id="another century",
        ),
        pytest.param(
            "Historians say that 38 to 30 percent of the population died of plague in the 17th century.",
            Label.REFUTED,
            id="another end of a range",
        ),
        pytest.param("The old market had 20 shops, and the museum had 9 galleries.", Label.NEI, id="spelled there"),
        pytest.param("The old market had 20 shops, and the museum had 5 galleries.", Label.NEI, id="spelled otherwise"),
        pytest.param("The harbour of Newcastle was opened in 1853.", Label.NEI, id="another thing"),
        pytest.param("The castle was built by a king in 1080.", Label.NEI, id="nothing of the kind"),
        pytest.param("Grainger Market is the smallest market in Europe, opened in 1835.", Label.REFUTED, id="opposite"),
        pytest.param(
            "Grainger Market is the largest market in Europe, opened in 1835.", Label.SUPPORTED, id="the same"
        ),
        pytest.param("Newcastle is a city.", Label.NEI, id="no number"),
        pytest.param("", Label.NEI, id="no claim"),
    ],
)
def test_a_claim_is_held_against_the_sentence_that_tells_the_same_in_vietnamese(claim: str, expected: Label) -> None:
    assert label(claim) is expected


def test_a_vietnamese_claim_is_held_against_english_evidence() -> None:
    english = "The city is old. Grainger Market was opened in 1835 as the largest market in Europe."

    assert label("Chợ Grainger được khai trương vào năm 1835.", english) is Label.SUPPORTED
    assert label("Chợ Grainger được khai trương vào năm 1853.", english) is Label.REFUTED
    assert label("Bảo tàng được khai trương vào năm 1853.", english) is Label.NEI


@pytest.mark.parametrize(
    ("claim", "evidence", "expected"),
    [
        ("The city of Newcastle has 20 old schools.", "Thành phố Newcastle có 30 trường học cổ.", Label.REFUTED),
        ("The city of Newcastle has 20 old schools.", "Thành phố Newcastle có 30 bệnh viện cổ.", Label.NEI),
        ("Newcastle University was founded in 1963.", "Đại học Newcastle được thành lập năm 1832.", Label.REFUTED),
        ("Newcastle University was founded in 1963.", "Đại học Durham được thành lập năm 1832.", Label.NEI),
        ("Sicilian banks founded it in 1963.", "Các ngân hàng Sicilia thành lập nó năm 1832.", Label.REFUTED),
        ("Genghis Khan died in 1226.", "Thành Cát Tư Hãn chết năm 1227.", Label.REFUTED),
    ],
)
def test_numbers_of_other_things_and_other_names_tell_nothing(claim: str, evidence: str, expected: Label) -> None:
    assert label(claim, evidence) is expected


def test_evidence_in_two_languages_counts_together() -> None:
    vietnamese = "Chợ Grainger được khai trương vào năm 1835."
    claim = "Grainger Market was opened in 1853."

    assert label(claim, "The castle was built in 1080.", vietnamese) is Label.REFUTED
    assert label(claim.replace("1853", "1835"), "The old castle is a ruin.", vietnamese) is Label.SUPPORTED
    assert label(claim, "Grainger Market was opened in 1853.", "Không có gì ở đó.") is Label.SUPPORTED
    assert label(claim, "Grainger Market was opened in 1899.", "Không có gì ở đó.") is Label.REFUTED


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize(
    "evidence",
    [
        "Mạng lưới vận chuyển hơn 37 triệu hành khách mỗi năm.",
        "Mạng lưới vận chuyển hơn ba mươi bảy triệu hành khách mỗi năm.",
        "Mạng lưới vận chuyển hơn 37.000.000 hành khách mỗi năm.",
        "Mạng lưới vận chuyển hơn 37\u00a0triệu hành khách mỗi năm.",
        "Mạng lưới vận chuyển hơn ３７ triệu hành khách mỗi năm.",
        "Mạng lưới vận chuyển hơn 37\u202f000\u202f000 hành khách mỗi năm.",
    ],
)
def test_how_a_vietnamese_number_is_written_never_counts(evidence: str, form: Literal["NFC", "NFD"]) -> None:
    there = unicodedata.normalize(form, evidence)

    assert label("The network carries over 37 million passengers a year.", there) is Label.SUPPORTED
    assert label("The network carries over 38 million passengers a year.", there) is Label.REFUTED


def test_a_finding_across_languages_shows_both_places() -> None:
    claim, evidence = "Grainger Market was opened in 1853.", "Chợ Grainger được khai trương vào năm 1835."

    assert check_claim(claim, ["Không có gì.", evidence]) == ClaimCheck(
        label=Label.REFUTED,
        findings=(
            Finding(
                dimension=Dimension.TIME,
                status=Status.MISMATCH,
                severity=Severity.CRITICAL,
                claim=TextSpan(text="1853", start=30, end=34),
                evidence=Span(index=1, text="1835", start=38, end=42),
                why='The claim has "1853", the evidence "1835" for the same.',
            ),
        ),
    )


def test_a_number_in_a_name_and_an_opposite_are_shown_as_what_they_are() -> None:
    claim = "Northumbria was the last university in the Times Guide 2010."
    evidence = "Northumbria là trường đại học đầu tiên trong Hướng dẫn Times Guide 2005."

    assert check_claim(claim, [evidence]) == ClaimCheck(
        label=Label.REFUTED,
        findings=(
            Finding(
                dimension=Dimension.QUANTITY,
                status=Status.MISMATCH,
                severity=Severity.CRITICAL,
                claim=TextSpan(text="2010", start=55, end=59),
                evidence=Span(index=0, text="2005", start=67, end=71),
                why='The evidence tells the same in another language, but has "2005" for "2010".',
            ),
            Finding(
                dimension=Dimension.QUALIFIER,
                status=Status.MISMATCH,
                severity=Severity.CRITICAL,
                claim=TextSpan(text="last", start=20, end=24),
                evidence=Span(index=0, text="đầu tiên", start=30, end=38),
                why='The evidence tells the same in another language, but has "đầu tiên" for "last".',
            ),
        ),
    )
