"""What a failed consultation means in a jury."""

import pytest

from sparring.schema.base import Role
from sparring.schema.claims import Label
from sparring.schema.jury import JuryStatus
from support.jury_playing import ADVOCATE, FAILS, SKEPTIC, Special, outcome, play_jury, prompt, steps

CAUSE = "failed: timeout: no answer within 240 s."
TOOLS = {"advocate": "claude", "skeptic": "codex"}


@pytest.mark.parametrize(("silent", "other"), [("advocate", "skeptic"), ("skeptic", "advocate")])
def test_a_debater_that_fails_in_the_opening_is_missed_and_asked_nothing_more(silent: str, other: str) -> None:
    played = play_jury({f"opening.{silent}": FAILS}, rebuttals=2)
    # There is a checklist to answer in the first rebuttal, and only silence in the second.
    assert steps(played)[1:] == [[f"rebuttal.1.{other}"], ["verdict.1"]]
    missing = f"{silent.upper()}, round 1: failed to answer. This voice is missing"
    assert missing in prompt(played, f"rebuttal.1.{other}")
    assert missing in prompt(played, "verdict.1")
    found = outcome(played)
    assert (found.status, found.rebuttals_completed) == (JuryStatus.INCOMPLETE, 0)
    assert found.verdict
    assert found.notices == (
        f"[WARN] The jury is incomplete: the {silent}'s opening is missing. The {silent} ({TOOLS[silent]}) {CAUSE}",
    )


@pytest.mark.parametrize("silent", ["advocate", "skeptic"])
def test_a_debater_that_fails_in_a_rebuttal_ends_the_rebuttals(silent: str) -> None:
    played = play_jury({f"rebuttal.1.{silent}": FAILS}, rebuttals=2)
    assert steps(played)[2:] == [["verdict.1"]]
    assert f"{silent.upper()}, round 2: failed to answer." in prompt(played, "verdict.1")
    found = outcome(played)
    assert (found.status, found.rebuttals_completed, len(found.statements)) == (JuryStatus.INCOMPLETE, 0, 3)
    missing = f"the {silent}'s rebuttal in round 2 is missing. The {silent} ({TOOLS[silent]}) {CAUSE}"
    assert found.notices == (f"[WARN] The jury is incomplete: {missing}",)


def test_a_rebuttal_round_that_broke_does_not_count_and_those_before_it_do() -> None:
    found = outcome(play_jury({"rebuttal.2.skeptic": FAILS}, rebuttals=2))
    assert (found.status, found.rebuttals_completed, len(found.statements)) == (JuryStatus.INCOMPLETE, 1, 5)


def test_without_a_fact_checker_the_others_go_on_and_are_told() -> None:
    played = play_jury({"checklist.1": FAILS})
    assert steps(played)[1:] == [["rebuttal.1.advocate", "rebuttal.1.skeptic"], ["verdict.1"]]
    for id_ in ("rebuttal.1.advocate", "rebuttal.1.skeptic", "verdict.1"):
        assert "The FACT-CHECKER gave no usable answer. This voice is missing" in prompt(played, id_)
    found = outcome(played)
    assert (found.status, found.checklist, found.rebuttals_completed) == (JuryStatus.INCOMPLETE, (), 1)
    assert found.notices == (
        f"[WARN] The jury is incomplete: there is no checklist. The fact-checker (gemini) {CAUSE}",
    )


def test_a_debater_with_nobody_to_answer_is_asked_no_rebuttal() -> None:
    played = play_jury({"opening.skeptic": FAILS, "checklist.1": FAILS}, rebuttals=2)
    assert steps(played)[1:] == [["verdict.1"]]
    assert [statement.text for statement in outcome(played).statements] == [ADVOCATE]


def test_without_both_debaters_the_judge_has_the_checklist_and_what_code_found() -> None:
    played = play_jury({"opening.advocate": FAILS, "opening.skeptic": FAILS}, rebuttals=2)
    assert steps(played)[1:] == [["verdict.1"]]
    judge = prompt(played, "verdict.1")
    assert "- numbers: critical mismatch." in judge
    assert "- quantity: critical mismatch." in judge
    found = outcome(played)
    assert (found.status, found.statements, found.minority_view) == (JuryStatus.INCOMPLETE, (), None)
    assert len(found.notices) == 2


def test_a_judge_alone_still_judges_and_the_jury_is_incomplete() -> None:
    found = outcome(play_jury({"opening.advocate": FAILS, "opening.skeptic": FAILS, "checklist.1": FAILS}))
    assert (found.status, found.verdict is not None, len(found.notices)) == (JuryStatus.INCOMPLETE, True, 3)


@pytest.mark.parametrize("last", ["verdict.1", "verdict.2"])
def test_a_judge_that_fails_leaves_everything_but_the_verdict(last: str) -> None:
    found = outcome(play_jury({"verdict.1": "Hm.", last: FAILS}))
    assert (found.status, found.verdict, found.minority_view) == (JuryStatus.UNJUDGED, None, None)
    assert [statement.role for statement in found.statements] == [Role.ADVOCATE, Role.SKEPTIC] * 2
    assert found.statements[1].text == SKEPTIC
    assert (len(found.checklist), found.check.label) == (5, Label.REFUTED)
    assert found.notices == (f"[WARN] No verdict. The judge (opencode) {CAUSE}",)


def test_when_nobody_gave_anything_usable_the_jury_has_failed() -> None:
    silence: dict[str, Special] = dict.fromkeys(
        ("opening.advocate", "opening.skeptic", "checklist.1", "verdict.1"), FAILS
    )
    found = outcome(play_jury(silence))
    assert (found.status, found.statements, found.checklist, found.verdict) == (JuryStatus.FAILED, (), (), None)
    assert found.check.label is Label.REFUTED
    assert found.notices == (
        f"[ERROR] Jury failed: nobody gave a usable answer. The judge (opencode) {CAUSE}",
        f"[WARN] The jury is incomplete: the advocate's opening is missing. The advocate (claude) {CAUSE}",
        f"[WARN] The jury is incomplete: the skeptic's opening is missing. The skeptic (codex) {CAUSE}",
        f"[WARN] The jury is incomplete: there is no checklist. The fact-checker (gemini) {CAUSE}",
    )
