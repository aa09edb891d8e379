"""Who is asked what, and when, played without runner, transport or clock."""

import pytest

from sparring.schema.base import Effort, RepoAccess, Role
from sparring.schema.consultation import Brief
from sparring.schema.jury import JuryStatus
from sparring.schema.transcript import TurnKind
from support.jury_playing import CLAIM, TRUTH, outcome, play_jury, spoken
from support.playing import steps

FIRST = ["opening.advocate", "opening.skeptic", "checklist.1"]


@pytest.mark.parametrize(
    ("rebuttals", "asked"),
    [
        (0, [FIRST, ["verdict.1"]]),
        (1, [FIRST, ["rebuttal.1.advocate", "rebuttal.1.skeptic"], ["verdict.1"]]),
        (
            2,
            [
                FIRST,
                ["rebuttal.1.advocate", "rebuttal.1.skeptic"],
                ["rebuttal.2.advocate", "rebuttal.2.skeptic"],
                ["verdict.1"],
            ],
        ),
    ],
)
def test_the_first_three_voices_are_asked_at_once_then_both_debaters_round_by_round_then_the_judge(
    rebuttals: int, asked: list[list[str]]
) -> None:
    played = play_jury(rebuttals=rebuttals)
    assert steps(played) == asked
    found = outcome(played)
    assert (found.status, found.rebuttals_completed, found.notices) == (JuryStatus.COMPLETED, rebuttals, ())


def test_each_seat_is_asked_in_its_role_with_its_own_tool_and_model() -> None:
    asks = play_jury(rebuttals=1, effort=Effort.HIGH, timeout_s=60).asks
    assert {id_: (ask.kind, ask.role, ask.round, ask.tool, ask.question.model) for id_, ask in asks.items()} == {
        "opening.advocate": (TurnKind.OPENING, Role.ADVOCATE, 1, "claude", "opus"),
        "opening.skeptic": (TurnKind.OPENING, Role.SKEPTIC, 1, "codex", None),
        "checklist.1": (TurnKind.CHECKLIST, Role.FACT_CHECKER, 1, "gemini", None),
        "rebuttal.1.advocate": (TurnKind.REBUTTAL, Role.ADVOCATE, 2, "claude", "opus"),
        "rebuttal.1.skeptic": (TurnKind.REBUTTAL, Role.SKEPTIC, 2, "codex", None),
        "verdict.1": (TurnKind.VERDICT, Role.JUDGE, 2, "opencode", None),
    }
    questions = [ask.question for ask in asks.values()]
    assert {(each.effort, each.timeout_s, each.repo_access) for each in questions} == {
        (Effort.HIGH, 60.0, RepoAccess.NONE)
    }


def test_a_brief_holds_both_texts_and_the_language() -> None:
    asks = play_jury(rebuttals=0, language="vi").asks
    assert asks["opening.skeptic"].question.brief == Brief(
        step="jury/skeptic-opening", topic=CLAIM, role=Role.SKEPTIC, round=1, evidence=(TRUTH,), language="vi"
    )
    assert all(
        (ask.question.brief.topic, ask.question.brief.evidence, ask.question.brief.language) == (CLAIM, (TRUTH,), "vi")
        for ask in asks.values()
    )


def test_openings_and_checklist_hear_nobody_and_everybody_later_hears_all_that_was_said_before() -> None:
    played = play_jury(rebuttals=2)
    first = [(Role.ADVOCATE, 1), (Role.SKEPTIC, 1), (Role.FACT_CHECKER, 1)]
    assert [spoken(played, id_) for id_ in FIRST] == [[], [], []]
    assert spoken(played, "rebuttal.1.skeptic") == first
    assert spoken(played, "rebuttal.2.advocate") == [*first, (Role.ADVOCATE, 2), (Role.SKEPTIC, 2)]
    assert spoken(played, "verdict.1") == [
        *first,
        (Role.ADVOCATE, 2),
        (Role.SKEPTIC, 2),
        (Role.ADVOCATE, 3),
        (Role.SKEPTIC, 3),
    ]


def test_second_attempts_are_asked_together_and_told_what_was_wrong() -> None:
    played = play_jury(
        {"opening.advocate": "It is fine.", "opening.skeptic": "It is not.", "checklist.1": "No."}, rebuttals=0
    )
    assert steps(played) == [FIRST, ["opening.advocate.2", "opening.skeptic.2", "checklist.2"], ["verdict.1"]]
    asks = played.asks
    assert [asks[id_].question.brief.attempt for id_ in steps(played)[1]] == [2, 2, 2]
    assert "It gives 0 reasons as a list, where 3 to 5 were asked for." in asks["opening.advocate.2"].question.prompt
    assert "There is no JSON object in the reply." in asks["checklist.2"].question.prompt
    assert outcome(played).status is JuryStatus.COMPLETED


def test_whoever_did_as_asked_is_not_asked_again_beside_one_who_did_not() -> None:
    played = play_jury({"opening.skeptic": "- One reason."}, rebuttals=0)
    assert steps(played)[1] == ["opening.skeptic.2"]
