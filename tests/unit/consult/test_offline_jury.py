"""The seats of a jury without a model: bullets and checklists that quote the texts, and a verdict by rule."""

from pathlib import Path

import pytest

from sparring.formats.jury.case import Case
from sparring.formats.jury.checklist import read_checklist
from sparring.formats.jury.statements import read_bullets
from sparring.prompts import PromptLibrary
from sparring.schema.base import Role
from sparring.schema.consultation import Speech
from sparring.schema.jury import Faithfulness, JudgeVerdict, TextName
from support.texts import answered, answered_json, jury_brief

TRUTH = (
    "More than 645,000 cases of COVID-19 have been reported in over 190 countries, resulting in 29,900 deaths. "
    "The World Health Organization published these figures in Geneva."
)
FAITHFUL = "More than 645,000 cases of COVID-19 have been reported, resulting in 29,900 deaths."
MUTATED = "More than 645,000 cases of COVID-19 have been reported in over 190 countries, resulting in 19,900 deaths."
PARTIAL = "More than 645,000 cases of COVID-19 have been reported, and hospitals ran out of beds everywhere."
NOTHING = "Bananas ripen faster beside apples."
QUOTING = 'They said "so much": “and more”, and (see "645,000").'
PAIRS = [
    (FAITHFUL, TRUTH),
    (MUTATED, TRUTH),
    (PARTIAL, TRUTH),
    (NOTHING, TRUTH),
    ("Yes.", "Yes."),
    ("It was said.", QUOTING),
    (QUOTING, "Nothing of that."),
    ("Có hơn 645.000 ca mắc tại 190 quốc gia.", "Hơn 645.000 ca mắc COVID-19 đã được báo cáo tại hơn 190 quốc gia."),
    ("Line one.", "Line one.\nLine two\n\nLine three."),
]


@pytest.mark.parametrize("seat", ["advocate", "skeptic"])
@pytest.mark.parametrize(("claim", "truth"), PAIRS)
async def test_an_opening_has_three_to_five_bullets_and_every_phrase_stands_in_a_text(
    tmp_path: Path, seat: str, claim: str, truth: str
) -> None:
    words = await answered(jury_brief(f"{seat}-opening", claim, truth), tmp_path)
    cited = Case(truth, claim).cited(words)
    assert 3 <= len(read_bullets(words)) <= 5
    assert cited
    assert all(phrase.span for phrase in cited)
    assert seat == "skeptic" or any(phrase.source is TextName.TRUTH for phrase in cited)


@pytest.mark.parametrize("seat", ["advocate", "skeptic"])
@pytest.mark.parametrize(("claim", "truth"), PAIRS)
async def test_a_rebuttal_has_one_to_five_bullets_and_quotes_a_text(
    tmp_path: Path, seat: str, claim: str, truth: str
) -> None:
    words = await answered(jury_brief(f"{seat}-rebuttal", claim, truth), tmp_path)
    cited = Case(truth, claim).cited(words)
    assert 1 <= len(read_bullets(words)) <= 5
    assert cited
    assert all(phrase.span for phrase in cited)


async def test_the_skeptic_begins_with_the_minimum_difference_and_the_advocate_does_not_dispute_it(
    tmp_path: Path,
) -> None:
    opening = await answered(jury_brief("skeptic-opening", MUTATED, TRUTH), tmp_path)
    assert read_bullets(opening)[0] == (
        'The minimum difference that changes the meaning: the claim has "19,900" where the truth has "29,900".'
    )
    rebuttal = await answered(jury_brief("advocate-rebuttal", MUTATED, TRUTH), tmp_path)
    assert read_bullets(rebuttal)[0] == (
        'That the claim has "19,900" where the truth has "29,900" is proven, and I do not dispute it.'
    )


async def test_a_skeptic_without_a_difference_says_so(tmp_path: Path) -> None:
    bullets = read_bullets(await answered(jury_brief("skeptic-opening", TRUTH, TRUTH), tmp_path))
    assert bullets[0].startswith("By rule no difference is found that changes the meaning of")
    rebuttal = read_bullets(await answered(jury_brief("skeptic-rebuttal", TRUTH, TRUTH), tmp_path))
    assert rebuttal[0].startswith("No difference is left that can be shown")


@pytest.mark.parametrize(("seat", "other"), [("advocate", Role.SKEPTIC), ("skeptic", Role.ADVOCATE)])
async def test_phrases_that_the_other_side_made_up_are_counted_and_not_repeated(
    tmp_path: Path, seat: str, other: Role
) -> None:
    said = Speech(role=other, round=1, text='- "645,000 cases" and “a million cases”.\n- It is "29,900," or "none".')
    own = Speech(role=Role(seat), round=1, text='- "My own invention."')
    words = await answered(jury_brief(f"{seat}-rebuttal", FAITHFUL, TRUTH, said, own), tmp_path)
    assert "stand in neither text: 2." in words
    assert "million" not in words


async def test_the_checklist_has_five_dimensions_with_phrases_of_the_texts(tmp_path: Path) -> None:
    claim = "Under 645,000 cases of COVID-19 in 170 countries led to 19,900 deaths, said Doctor Smith in March 2020."
    truth = "In March 2020, over 645,000 cases of COVID-19 in 190 countries led to 29,900 deaths."
    words = await answered(jury_brief("checklist", claim, truth), tmp_path)
    entries = {str(entry.dimension): entry for entry in read_checklist(words, Case(truth, claim))}
    assert {name: (entry.status, entry.severity) for name, entry in entries.items()} == {
        "numbers": ("mismatch", "critical"),
        "dates": ("match", None),
        "entities": ("mismatch", "minor"),
        "quantifiers": ("absent", None),
        "causality": ("match", None),
    }
    assert [phrase.text for phrase in entries["entities"].claim] == ["Doctor", "Smith"]
    assert [phrase.text for phrase in entries["causality"].claim] == ["led to"]
    phrases = [phrase for entry in entries.values() for phrase in (*entry.truth, *entry.claim)]
    assert all(phrase.span for phrase in phrases)


async def test_shared_names_and_bounds_match_and_what_no_text_has_is_absent(tmp_path: Path) -> None:
    words = await answered(jury_brief("checklist", "In Oslo at least a few came.", "At least many in Oslo."), tmp_path)
    entries = {
        str(each.dimension): each
        for each in read_checklist(words, Case("At least many in Oslo.", "In Oslo at least a few came."))
    }
    assert [entries[name].status for name in ("numbers", "dates", "entities", "quantifiers", "causality")] == [
        *("absent", "absent", "match", "match", "absent")
    ]


@pytest.mark.parametrize(
    ("claim", "verdict", "confidence"),
    [
        (FAITHFUL, Faithfulness.FAITHFUL, 0.8),
        (MUTATED, Faithfulness.MUTATED, 0.95),
        (NOTHING, Faithfulness.MUTATED, 0.8),
        (PARTIAL, Faithfulness.PARTIALLY_FAITHFUL, 0.6),
    ],
)
@pytest.mark.parametrize("step", ["verdict", "reconsider"])
async def test_the_verdict_follows_the_written_rule_and_points_at_the_texts(
    tmp_path: Path, step: str, claim: str, verdict: Faithfulness, confidence: float
) -> None:
    found = JudgeVerdict.model_validate(await answered_json(jury_brief(step, claim, TRUTH), tmp_path))
    assert (found.verdict, found.confidence) == (verdict, confidence)
    assert bool(found.critical_differences) is (verdict is Faithfulness.MUTATED)
    assert bool(found.what_would_make_it_faithful) is (verdict is not Faithfulness.FAITHFUL)
    assert all(Case(TRUTH, claim).anchors(difference) for difference in found.critical_differences)
    assert "Decided by rule" in found.one_sentence_summary


async def test_a_verdict_names_the_difference_and_what_would_undo_it(tmp_path: Path) -> None:
    found = JudgeVerdict.model_validate(await answered_json(jury_brief("verdict", MUTATED, TRUTH), tmp_path))
    assert found.critical_differences == ('The claim says "19,900" where the truth says "29,900".',)
    assert found.what_would_make_it_faithful == ('Say "29,900" in place of "19,900".',)


async def test_a_jury_speaks_vietnamese_if_asked_to(tmp_path: Path) -> None:
    found = await answered_json(jury_brief("verdict", MUTATED, TRUTH, language="vi"), tmp_path)
    assert found["one_sentence_summary"].startswith("Quyết định theo quy tắc")


@pytest.mark.parametrize("book", ["fact-check", "jury"])
def test_the_books_of_both_languages_have_the_same_phrases(book: str) -> None:
    prompts = PromptLibrary()
    english, vietnamese = (
        {
            name.partition("#")[2]: prompts.template(name).variables
            for name in prompts.names()
            if name.startswith(f"offline/{book}-{language}#")
        }
        for language in ("en", "vi")
    )
    assert english == vietnamese
    assert english
