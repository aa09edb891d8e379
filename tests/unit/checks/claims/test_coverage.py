import pytest

from sparring.checks.claims import check_claim
from sparring.schema.claims import Dimension, Label, Severity, Status

S, R, N = Label.SUPPORTED, Label.REFUTED, Label.NEI


@pytest.mark.parametrize(
    ("claim", "evidence", "label"),
    [
        pytest.param("The pool closes.", "The pool closes when it rains.", S, id="a clause dropped"),
        pytest.param("When it rains, the pool closes.", "The pool closes when it rains.", S, id="a clause moved"),
        pytest.param("`g` is in every view.", "g is in every view.", S, id="marks are no words"),
        pytest.param("`g` is in every view.", "G is in every view.", N, id="code is as it is written"),
        pytest.param("The old pool closes.", "The pool closes when it rains.", N, id="a word more"),
        pytest.param("The pool closed. It rained.", "The pool closed. Nobody came. It rained.", N, id="two passages"),
        pytest.param("Anna closed the pool.", "Anna came. She closed the pool.", S, id="a name elsewhere"),
        pytest.param("Anna closed the pool.", "She closed the pool.", N, id="a name nowhere"),
        pytest.param("The pool does not close early.", "The pool does close early.", R, id="denied"),
        pytest.param("The pool did close, they say.", "They say the pool did not close.", N, id="denied over there"),
        pytest.param("The pool closed.", "Nobody said the pool closed.", N, id="denied before it"),
        pytest.param("The pool closed.", "If the pool closed, nobody would swim.", N, id="a condition"),
        pytest.param("The pool closes.", "The pool may close.", N, id="not surely"),
        pytest.param("The pool may close.", "The pool may close when it rains.", S, id="said as unsurely"),
        pytest.param("Anna Weber died.", "Anna Weber's father died.", N, id="of another owner"),
        pytest.param("Anna Weber 's father died.", "Anna Weber's father died.", S, id="of the same owner"),
        pytest.param("The pool and the pool closed.", "The pool closed.", N, id="once is not twice"),
        pytest.param(
            "The pool closed.",
            "The pool was built by the town in the year of the war and later closed.",
            N,
            id="far apart",
        ),
        pytest.param("The wolf ate the lamb.", "The lamb ate the wolf.", R, id="roles"),
        pytest.param("The wolf and the lamb slept.", "The lamb and the wolf slept.", S, id="side by side"),
        pytest.param("The capital is Oslo.", "Oslo is the capital.", S, id="the same both ways"),
        pytest.param("Acme bought Bolt.", "Bolt was bought in 2019 by Acme.", S, id="who does it stands behind it"),
        pytest.param("Bolt was bought by Acme.", "Acme bought Bolt.", S, id="or before it"),
        pytest.param("Acme bought Bolt.", "Acme was bought by Bolt.", N, id="who does it is another"),
        pytest.param("Acme was bought by Bolt.", "Acme bought Bolt.", N, id="and the other way round"),
        pytest.param("Acme led Bolt.", "Bolt is a firm led by Cole and owned by Acme.", N, id="who does another thing"),
        pytest.param("The owner of Acme left.", "Acme, the town, saw the owner left.", N, id="a role of another"),
        pytest.param("The build does not support Windows.", "The build supports Windows.", R, id="not so"),
        pytest.param("The lights are turned off.", "The lights are enabled.", R, id="the opposite"),
        pytest.param("The pool closed.", "The pool did not close. Later, the pool closed.", S, id="so elsewhere"),
        pytest.param("The build supports it.", "The build may not support it.", N, id="not surely not so"),
        pytest.param("The queue is 1,500 ms long.", "The queue is 1.5 s long.", S, id="seconds own nothing"),
        pytest.param("The file has 5 MB.", "The file has 5 Mb.", N, id="units as they are spelled"),
        pytest.param("Cases of flu fell.", "The flu cases fell in 2019.", S, id="two words that are one"),
        pytest.param("The movie was purchased.", "The film was bought.", S, id="words that say the same"),
        pytest.param("Anna is a baker.", "Anna is a former baker.", N, id="no longer"),
        pytest.param("It closed in 2019.", "It closed in May 2019.", S, id="a month is no doubt"),
        pytest.param("It closed in May 2019.", "It closed in 2019.", N, id="a date that is finer"),
        pytest.param(
            "Anna Weber is a baker.",
            "Anna Weber (born in the town of Alden as the last of nine children in the year of the war) is a baker.",
            S,
            id="brackets do not count",
        ),
    ],
)
def test_a_claim_is_supported_by_one_passage_that_has_all_of_it(claim: str, evidence: str, label: Label) -> None:
    assert check_claim(claim, [evidence]).label is label


def test_what_has_changed_places_is_shown() -> None:
    (found,) = check_claim(
        "The wolf ate the lamb.", ["Nothing.", "It is so: The lamb ate the wolf. The lamb ate the wolf."]
    ).findings

    assert (found.dimension, found.status, found.severity) == (Dimension.ENTITY, Status.MISMATCH, Severity.CRITICAL)
    assert (found.claim.text, found.evidence and found.evidence.text) == ("wolf ate the lamb", "lamb ate the wolf")


def test_two_sources_do_not_cover_a_claim_together() -> None:
    check = check_claim("The pool closed early.", ["The pool closed.", "They left early."])

    assert (check.label, check.uncovered) == (N, ("early",))


def test_a_number_counts_where_it_matches() -> None:
    check = check_claim("Over 90 people left.", ["The pool closed. 95 people left."])

    assert (check.label, check.uncovered) == (S, ())


def test_a_number_of_another_passage_covers_nothing() -> None:
    check = check_claim("The 95 guests left Oslo.", ["The guests left Oslo. There were 95 guests."])

    assert (check.label, check.uncovered) == (N, ("95",))


def test_evidence_of_one_sentence_repeated_is_looked_at_a_bounded_number_of_times() -> None:
    assert check_claim("The pool never closed.", ["The pool has closed. " * 2000]).label is not S
