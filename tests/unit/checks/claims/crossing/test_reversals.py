import pytest

from sparring.checks.claims.crossing.reversals import Reversal, find_reversals
from sparring.checks.claims.tokens import Text


def reversals(claim: str, evidence: str) -> list[tuple[str, str]]:
    one, other = Text(claim), Text(evidence)
    found = find_reversals(one, other, 0, len(other.lowered))
    return [
        (" ".join(one.lowered[slice(*each.claim)]), " ".join(other.lowered[slice(*each.evidence)])) for each in found
    ]


@pytest.mark.parametrize(
    ("claim", "evidence", "found"),
    [
        ("It grew before his death.", "Nó phát triển sau khi ông chết.", [("before", "sau")]),
        ("It was the last system of Britain.", "Đó là hệ thống đầu tiên của Anh.", [("last", "đầu tiên")]),
        ("It has at most four primes.", "Nó có ít nhất bốn số nguyên tố.", [("at most", "ít nhất")]),
        ("Growth decreased.", "Nó đã gia tăng.", [("decreased", "gia tăng")]),
        ("from the north to the north", "từ phía Bắc đến phía Nam", [("north", "phía nam")]),
        ("before the event, 66 million years ago", "sau sự kiện 66 triệu năm trước", [("ago", "sau")]),
        ("They reached it at last before him.", "Họ đến nơi trước ông.", []),
        ("It grew before his death.", "Nó phát triển trước khi ông chết.", []),
        ("It grew before his death.", "Nó phát triển khi ông chết.", []),
        ("It came first, and eventually won.", "Nó đến đầu tiên, và cuối cùng đã thắng.", []),
        ("It was there before.", "Sau đó nó ở đây.", []),
        ("It came before him.", "Sau đó nó đến trước ông, và sau này nữa.", []),
    ],
)
def test_a_word_is_reversed_where_only_its_opposite_is_left(
    claim: str, evidence: str, found: list[tuple[str, str]]
) -> None:
    assert reversals(claim, evidence) == found


def test_a_vietnamese_claim_is_reversed_by_an_english_sentence() -> None:
    assert reversals("Nó đến sau ông.", "It came before him.") == [("sau", "before")]


def test_only_the_given_sentence_counts() -> None:
    evidence = Text("Nó đến trước ông. Nó đi sau ông.")

    assert not list(find_reversals(Text("It came before him."), evidence, 0, 5))
    assert list(find_reversals(Text("It came before him."), evidence, 5, 10)) == [Reversal((2, 3), (7, 8))]
