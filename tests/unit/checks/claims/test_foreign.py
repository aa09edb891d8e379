"""English claims against Vietnamese evidence, and the other way round: numbers and dates alone."""

from unicodedata import normalize

import pytest

from sparring.checks.claims import check_claim
from sparring.schema.claims import Label

CITY = (
    "Newcastle là một thành phố ở phía bắc nước Anh. "
    "Chợ Grainger ở Newcastle được khai trương vào năm 1835 và là chợ lớn nhất ở châu Âu. "
    "Mạng lưới Nexus vận chuyển hơn 37 triệu hành khách mỗi năm đến sân bay Newcastle. "
    "Vào ngày 1 tháng 8 năm 1963, Đại học Newcastle trở nên độc lập với Đại học Durham. "
    "Tại Durham có 41% dân số đã chết vì bệnh dịch hạch từ năm 1570 đến 1572, theo Wrigley, trong thế kỷ XVI."
)
MARKET = "Grainger Market in Newcastle was opened in 1835 as the largest market in Europe."


R, N = Label.REFUTED, Label.NEI


@pytest.mark.parametrize(
    ("claim", "evidence", "label"),
    [
        ("Grainger Market in Newcastle was opened in 1853.", CITY, R),
        ("Chợ Grainger ở Newcastle được khai trương vào năm 1853.", MARKET, R),
        ("The Nexus network carries over 73 million passengers to Newcastle.", normalize("NFD", CITY), R),
        ("Newcastle University became independent from Durham University on 1 March 1963.", CITY, R),
        ("In Durham 48% died of plague from 1570 to 1572, says Wrigley.", CITY, R),
        ("Grainger Market in Newcastle was opened in 1835.", CITY, N),  # words are not compared
        # One name is not enough.
        ("The harbour of Newcastle was opened in 1853.", "Đại học Newcastle có trường y từ năm 1834.", N),
        ("Grainger Market in Newcastle was sold by Dobson, Clayton and Miller in 1853.", CITY, N),  # most are missing
        ("Newcastle and Grainger have 53 schools.", CITY, N),  # nothing of its kind stands in its place
        ("Newcastle and Durham parted in March 1963.", CITY, N),  # a month is held against no day
        ("In Durham, Wrigley counted 38% and 48% in the years 1570 and 1572.", CITY, N),  # two numbers for one
        ("In Durham 41% died of plague in the 15th century, says Wrigley.", CITY, N),  # centuries are words
        ("Grainger Market in Newcastle was opened in 1853.", f"{CITY} {CITY}", N),  # two sentences are as near
    ],
)
def test_a_number_is_held_against_the_sentence_with_the_same_names(claim: str, evidence: str, label: Label) -> None:
    assert check_claim(claim, ["Không có gì.", evidence]).label is label
