import pytest

from sparring.checks.claims import check_claim
from sparring.schema.claims import ClaimCheck, Dimension, Finding, Label, Severity, Status
from sparring.schema.lookups import Span, TextSpan


def test_a_name_in_the_place_of_another_refutes_what_is_else_repeated() -> None:
    claim, evidence = "The critics praised how Anna Weber sang.", "The critics praised how Anna Moretti sang in 1988."

    assert check_claim(claim, [evidence]) == ClaimCheck(
        label=Label.REFUTED,
        findings=(
            Finding(
                dimension=Dimension.ENTITY,
                status=Status.MISMATCH,
                severity=Severity.CRITICAL,
                claim=TextSpan(text="Weber", start=29, end=34),
                evidence=Span(index=0, text="Moretti", start=29, end=36),
                why='The claim repeats a sentence of the evidence, but has "Weber" where that has "Moretti".',
            ),
        ),
    )


@pytest.mark.parametrize(
    ("claim", "evidence", "found"),
    [
        ("The old painter lived in Bergen.", "The old painter lived in Oslo.", [(Dimension.PLACE, Severity.CRITICAL)]),
        (
            "The young Danish studio makes games.",
            "The young Polish studio makes games in Bath.",
            [(Dimension.ENTITY, Severity.CRITICAL)],
        ),
        (
            "The old great painter once lived in Bergen.",
            "The old painter once lived in Oslo.",
            [(Dimension.PLACE, Severity.MINOR)],
        ),
        pytest.param("The old painter lived in Oslo.", "The old painter lived in Oslo.", [], id="the same"),
        pytest.param("The old painter lived in São Paulo.", "The old painter lived in Sao Paulo.", [], id="accents"),
        pytest.param("The old painter lived in Kyiv.", "The old painter lived in Kiev.", [], id="another spelling"),
        pytest.param("The old Korean painter is dead.", "The old Korea painter is dead.", [], id="another ending"),
        ("The old painter lived in the USA.", "The old painter lived in the United States America.", []),
        ("The old painter lived in Norway.", "The old painter lived in Oslo. Norway was poor.", []),
        pytest.param("The old painter lived in misery.", "The old painter lived in Oslo.", [], id="no name here"),
        pytest.param("The old painter lived in Oslo.", "The old painter lived in misery.", [], id="no name there"),
        pytest.param("Bergen is the home of old painters.", "Oslo is the home of old painters.", [], id="a first word"),
        pytest.param("The old painter died in May.", "The old painter died in June.", None, id="a month is a date"),
    ],
)
def test_only_another_name_in_the_same_place_is_another_thing(
    claim: str, evidence: str, found: list[tuple[Dimension, Severity]] | None
) -> None:
    findings = check_claim(claim, [evidence]).findings
    named = [(each.dimension, each.severity) for each in findings if each.dimension is not Dimension.TIME]

    assert named == (found or [])
