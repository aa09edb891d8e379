import pytest

from sparring.checks.claims import check_claim
from sparring.checks.claims.lexicon import lexicon
from sparring.checks.claims.numerals import numeral_at
from sparring.checks.claims.quantities import find_quantities
from sparring.checks.claims.tokens import Language, Text
from sparring.schema.claims import Label


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 triệu rưỡi", 1_500_000),
        ("một triệu rưỡi người", 1_500_000),
        ("hai nghìn rưỡi", 2_500),
        ("1,5 nghìn tỷ đồng", 1_500_000_000_000),
        ("hai mươi mốt", 21),
        ("năm trăm nghìn", 500_000),
        ("hai ngàn không trăm mười chín", 2019),
    ],
)
def test_a_number_in_words_is_read_with_its_scale(text: str, value: float) -> None:
    words = Text(text).lowered
    numeral = numeral_at(words, 0, lexicon(Language.VIETNAMESE), Language.VIETNAMESE)

    assert numeral
    assert numeral.value == value


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("Có hơn 700 người ở Huế.", ">"),
        ("Có dưới 700 người ở Huế.", "<"),
        ("Có không dưới 700 người ở Huế.", ">="),
        ("Có ít nhất là 700 người ở Huế.", ">="),
        ("Có tối đa 700 người ở Huế.", "<="),
        ("Có khoảng 700 người ở Huế.", "~"),
        ("Có gần 700 người ở Huế.", "~"),
        ("Có từ 700 đến 900 người ở Huế.", "range"),
        ("Có 700 người ở Huế.", ""),
    ],
)
def test_the_words_before_a_number_bound_it(text: str, bound: str) -> None:
    (quantity,) = find_quantities(Text(text), frozenset())

    assert quantity.bound == bound


@pytest.mark.parametrize(
    ("claim", "evidence", "label"),
    [
        pytest.param("Có 10 phần trăm dân số ở Huế.", "Có 10% dân số ở Huế.", Label.SUPPORTED, id="percent"),
        pytest.param("Có 1.500.000 người ở Huế.", "Có 1,5 triệu người ở Huế.", Label.SUPPORTED, id="a scale"),
        (
            "Cuộc chiến kéo dài ở Huế từ năm 1754 cho đến lúc kết thúc vào năm 1756.",
            "Cuộc chiến kéo dài ở Huế từ năm 1754 cho đến lúc kết thúc vào năm 1760. Ông ở lại đó. Năm 1756 ông chết.",
            Label.REFUTED,
        ),
        (
            "Bác sĩ nổi tiếng Al-Biruni (973-6019) đã viết một tác phẩm có giá trị về dược lý.",
            "Bác sĩ nổi tiếng Al-Biruni (973-1050) đã viết một tác phẩm có giá trị về dược lý.",
            Label.REFUTED,
        ),
        ("Vào thế kỷ 19, ông viết ở Huế.", "Vào thế kỷ XVIII, ông viết ở Huế.", Label.REFUTED),
        ("Vào thế kỷ 19, ông viết ở Huế.", "Vào thế kỷ XIX, ông viết ở Huế.", Label.SUPPORTED),
    ],
)
def test_a_vietnamese_claim_is_held_against_vietnamese_evidence(claim: str, evidence: str, label: Label) -> None:
    assert check_claim(claim, [evidence]).label is label


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Ngày 2 tháng 9", Language.VIETNAMESE),
        ("Tesla qua đời ở đó.", Language.VIETNAMESE),
        ("The Tran dynasty fought at the Battle of Bạch Đằng.", Language.ENGLISH),
        ("Dumitru Bălămaci had only one child.", Language.ENGLISH),
        ("Nothing of the kind.", Language.ENGLISH),
    ],
)
def test_a_text_is_of_the_language_that_most_of_its_words_are(text: str, language: Language) -> None:
    assert Text(text).language is language
