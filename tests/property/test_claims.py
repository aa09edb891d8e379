from random import Random
from unicodedata import normalize

from hypothesis import given
from hypothesis import strategies as st

from sparring.checks.claims import check_claim
from sparring.schema.claims import ClaimCheck, Dimension, Label, Severity, Status

COMMON = """
the of more than less fewer over under about at least up to as before after since by from between and - – / : . , ( )
$ % 1 2 12 1,234 1.5 1.234,5 31 1999 2020 2003-04 1980s 5th first twenty hundred million trillion May march Sept. April
cases deaths people critics Ohio COVID season not n't one rose fell percent per cent U.S. 3.5/10 10:30 2020-03-05
05/03/2020 ngày tháng năm hơn dưới khoảng triệu nghìn trăm mươi hai ba không người tăng giảm thứ trở lên
"""
ODD = ("394 054", "9.8\ufffdmillion", "7\u00a0000", "e\u0301", "²", "٣", "9" * 400, "1" + ".1" * 9)
WORDS = st.sampled_from((*COMMON.split(), *ODD))
SENTENCES = st.lists(WORDS, max_size=14).map(" ".join)
TEXTS = SENTENCES | st.text(max_size=40)
ENGLISH = st.lists(st.sampled_from([word for word in COMMON.split() if word.isascii()]), max_size=14).map(" ".join)
NUMBERLESS = st.lists(st.sampled_from(["zandle", "frimk", "quossy", "Vemmel", "Trusk"]), max_size=9).map(" ".join)
ALIKE = {" ": ("  ", "\u00a0", "\ufffd"), "-": ("–", "—", "‑", "−"), "'": ("’", "‘"), '"': ("“", "”")}


def places(check: ClaimCheck, claim: str, evidence: list[str]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for finding in check.findings:
        found.append((claim[finding.claim.start : finding.claim.end], finding.claim.text))
        if span := finding.evidence:
            found.append((evidence[span.index][span.start : span.end], span.text))
    return found


@given(TEXTS, st.lists(TEXTS, max_size=3))
def test_every_span_stands_where_it_says_and_a_claim_is_refuted_exactly_by_a_critical_mismatch(
    claim: str, evidence: list[str]
) -> None:
    check = check_claim(claim, evidence)
    assert all(there == text != "" for there, text in places(check, claim, evidence))
    critical = {each.status for each in check.findings if each.severity is Severity.CRITICAL}
    assert (check.label is Label.REFUTED) == (Status.MISMATCH in critical)


@given(TEXTS)
def test_a_verbatim_claim_is_never_refuted(claim: str) -> None:
    assert check_claim(claim, [claim]).label is not Label.REFUTED


@given(ENGLISH, ENGLISH, NUMBERLESS)
def test_unrelated_evidence_changes_nothing(claim: str, evidence: str, unrelated: str) -> None:
    with_it, without = check_claim(claim, [evidence, unrelated]), check_claim(claim, [evidence])
    assert (with_it.label, with_it.findings) == (without.label, without.findings)


def found(claim: str, evidence: str) -> list[tuple[Dimension, Status, str]]:
    """What was compared, and what came of it, with the words of the claim, however their letters are composed."""
    findings = check_claim(claim, [evidence]).findings
    return [(each.dimension, each.status, normalize("NFC", each.claim.text)) for each in findings]


def test_the_end_of_a_wrapped_sentence_is_no_setting() -> None:
    claim = "twenty between 2020-03-05"
    assert found(claim, "twenty between the") == found(claim, "twenty between\nthe")


@given(ENGLISH, ENGLISH, st.randoms())
def test_which_spaces_dashes_and_quotation_marks_are_used_changes_nothing(
    claim: str, evidence: str, random: Random
) -> None:
    def varied(text: str) -> str:
        return "".join(random.choice(ALIKE.get(letter, letter)) for letter in text)

    other = found(varied(claim), varied(evidence))
    assert [each[:2] for each in found(claim, evidence)] == [each[:2] for each in other]


@given(TEXTS, TEXTS)
def test_how_letters_are_composed_never_counts(claim: str, evidence: str) -> None:
    composed, decomposed = (found(normalize(form, claim), normalize(form, evidence)) for form in ("NFC", "NFD"))
    assert composed == decomposed
