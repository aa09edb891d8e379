"""Where critical differences point, and what kinds of mutation stand there: as it was approved."""

from sparring.formats.jury.case import Case
from sparring.formats.jury.replies import read_checklist, read_verdict
from sparring.formats.jury.statements import located
from sparring.formats.jury.verdict import CheckedVerdict, anchored
from support.golden import Golden
from support.jury_playing import CLAIM, TRUTH, checklist, verdict

CASE = Case(TRUTH, CLAIM)
ABSENT: dict[str, object] = {"status": "absent"}
NO_OTHERS = dict.fromkeys(("numbers", "entities", "dates"), ABSENT)
QUANTIFIERS = checklist(quantifiers={"claim": ["fewer than 600,000"]})
SOME = Case("Some of the cases were mild in Ohio.", "All of the cases were mild in Ohio.")
CAUSED = Case("Cases rose after the schools opened.", "Cases rose because the schools opened.")
BECAUSE: dict[str, object] = {"status": "mismatch", "severity": "critical", "truth": ["after"], "claim": ["because"]}
DIFFERENCES: tuple[tuple[tuple[str, ...], str | None, Case], ...] = (
    # It points at every text in which its quoted words stand.
    (('“fewer than 600,000” for "more than 645,000" in "190 countries", not "in March"',), None, CASE),
    # One that quotes nothing from the texts points at nothing.
    (("The number is wrong.", 'The claim says "a million".', "fewer than 600,000", ""), checklist(), CASE),
    # Its types are those of the mismatches at the places where it points.
    (('"600,000"', '"645,000"', '"25 March 2020"', '"and territories"'), QUANTIFIERS, CASE),
    (('"190 countries" and "fewer than"',), QUANTIFIERS, CASE),
    # What a fact-checker calls a match is no type.
    (('"25 March 2020"',), checklist(), CASE),
    (('"25 March 2020"',), checklist(dates={"status": "mismatch", "severity": "minor"}), CASE),
    # Where a dimension may be two things, the code says which.
    (
        ('"All"',),
        checklist(**NO_OTHERS, quantifiers={"truth": ["Some of the cases"], "claim": ["All of the cases"]}),
        SOME,
    ),
    # All mutations stand once, in the order of their names; causality is a type of its own.
    (('"and territories"', '"600,000"', '"190 countries"'), checklist(), CASE),
    (("“because”",), checklist(**NO_OTHERS, quantifiers=ABSENT, causality=BECAUSE), CAUSED),
)


def test_a_difference_points_at_its_words_with_the_type_that_code_finds(golden: Golden) -> None:
    lines: list[str] = []
    for texts, found, case in DIFFERENCES:
        entries = located(read_checklist(found).value, case) if found else ()
        said = read_verdict(verdict(critical_differences=texts)).value
        pointing = anchored(said, case, entries)
        lines += [each.model_dump_json(exclude_defaults=True) for each in pointing]
        lines.append(f"mutations: {', '.join(CheckedVerdict(said, pointing).mutations)}")
    golden.holds("read/differences.txt", "\n".join(lines) + "\n")
