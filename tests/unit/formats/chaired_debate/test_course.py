"""Who is asked what, and when, played without runner, transport or clock."""

import pytest

from sparring.schema.base import Effort, RepoAccess, Role
from sparring.schema.chaired_debate import ChairedDebateStatus, EndReason
from sparring.schema.consultation import Brief
from sparring.schema.context import ContextPart
from sparring.schema.participants import SOURCE_CHECKER, Participant
from sparring.schema.sources import SOURCES_STEP
from sparring.schema.transcript import TurnKind
from support.chaired_playing import TOPIC, action, asked, chaired_request, outcome, play_chaired, review
from support.playing import FAILS, answer, prompt

OPENED = ["ready.promoter", "ready.detractor", "opening.promoter.1", "opening.detractor.1"]
CLOSED = ["closing.detractor.1", "closing.promoter.1", "conclusion.1"]


def test_both_debaters_confirm_their_roles_at_once() -> None:
    played = play_chaired()
    assert [[ask.id for ask in step] for step in played.steps][:2] == [OPENED[:2], OPENED[2:3]]
    assert f"Promoter ready. Topic: {TOPIC}. Awaiting opening statement cue." in prompt(played, "ready.promoter")


def test_each_seat_is_asked_in_its_role_with_its_own_tool_and_model() -> None:
    played = play_chaired(
        audience=Participant(tool="opencode"),
        reporter=Participant(tool="copilot", model="gpt"),
        effort=Effort.HIGH,
        timeout_s=60,
        searching=(Role.DETRACTOR,),
    )
    assert {
        id_: (ask.kind, ask.role, ask.round, ask.tool, ask.question.model, ask.question.web)
        for id_, ask in played.asks.items()
        if not id_.endswith(".sources")
    } == {
        "ready.promoter": (TurnKind.READY, Role.PROMOTER, 1, "claude", "opus", False),
        "ready.detractor": (TurnKind.READY, Role.DETRACTOR, 1, "codex", None, False),
        "opening.promoter.1": (TurnKind.OPENING, Role.PROMOTER, 1, "claude", "opus", False),
        "opening.detractor.1": (TurnKind.OPENING, Role.DETRACTOR, 1, "codex", None, True),
        "r1.promoter.1": (TurnKind.ACTION, Role.PROMOTER, 1, "claude", "opus", False),
        "r1.detractor.1": (TurnKind.ACTION, Role.DETRACTOR, 1, "codex", None, True),
        "r1.audience": (TurnKind.QUESTIONS, Role.AUDIENCE, 1, "opencode", None, False),
        "closing.detractor.1": (TurnKind.CLOSING, Role.DETRACTOR, 1, "codex", None, True),
        "closing.promoter.1": (TurnKind.CLOSING, Role.PROMOTER, 1, "claude", "opus", False),
        "conclusion.1": (TurnKind.CONCLUSION, Role.CHAIR, 1, "gemini", None, False),
        "report.1": (TurnKind.REPORT, Role.REPORTER, 1, "copilot", "gpt", False),
    }
    questions = [ask.question for ask in played.asks.values() if ask.role is not Role.VERIFIER]
    assert {(each.effort, each.timeout_s, each.repo_access) for each in questions} == {
        (Effort.HIGH, 60.0, RepoAccess.NONE)
    }


def test_a_brief_holds_what_was_accepted_each_named_by_its_entry() -> None:
    asks = play_chaired(max_rounds=2, audience=Participant(tool="opencode")).asks
    assert asks["opening.promoter.1"].question.brief == Brief(
        step="chaired-debate/opening", topic=TOPIC, role=Role.PROMOTER, round=1, name="promoter"
    )
    brief = asks["r2.promoter.1"].question.brief
    assert [(speech.role, speech.round, speech.name) for speech in brief.speeches] == [
        (Role.PROMOTER, 1, "seq 1"),
        (Role.VERIFIER, 1, "seq 2"),
        (Role.DETRACTOR, 1, "seq 3"),
        (Role.VERIFIER, 1, "seq 4"),
        (Role.PROMOTER, 1, "seq 5"),
        (Role.VERIFIER, 1, "seq 6"),
        (Role.DETRACTOR, 1, "seq 7"),
        (Role.VERIFIER, 1, "seq 8"),
        (Role.AUDIENCE, 1, "seq 9"),
    ]
    assert (brief.step, brief.round, brief.name) == ("chaired-debate/action", 2, "promoter")


def test_sources_are_looked_up_by_code_that_gets_them_and_nothing_else() -> None:
    ask = play_chaired().asks["opening.promoter.1.sources"]
    assert (ask.kind, ask.role, ask.round, ask.tool) == (TurnKind.SOURCES, Role.VERIFIER, 1, SOURCE_CHECKER)
    brief = ask.question.brief
    assert (brief.step, brief.speeches, ask.question.prompt) == (SOURCES_STEP, (), SOURCES_STEP)
    assert [each.url for each in brief.sources] == ["https://example.org/opening.promoter.1"]
    assert (ask.question.timeout_s, ask.question.web) == (60.0, False)


@pytest.mark.parametrize(
    ("limits", "special", "ended", "rounds", "reviews"),
    [
        ({"max_rounds": 3}, {}, EndReason.MAX_ROUNDS, 3, ["r1", "r2"]),
        ({"max_rounds": 3, "min_rounds": 3}, {}, EndReason.MAX_ROUNDS, 3, []),
        ({"max_rounds": 3, "min_rounds": 2}, {}, EndReason.MAX_ROUNDS, 3, ["r2"]),
        ({"max_rounds": 3}, {"r1.chair.1": review(goes_on=False)}, EndReason.NATURAL, 1, ["r1"]),
        (
            {"max_rounds": 3, "min_rounds": 0},
            {"opening.chair.1": review(goes_on=False)},
            EndReason.NATURAL,
            0,
            ["opening"],
        ),
        # Every turn takes a second, those of code too: six until the openings are checked, four more in each round.
        ({"max_rounds": 9, "min_rounds": 9, "time_budget_s": 10}, {}, EndReason.TIME_BUDGET, 1, []),
        ({"max_rounds": 9, "min_rounds": 9, "time_budget_s": 10.5}, {}, EndReason.TIME_BUDGET, 2, []),
        ({"max_rounds": 9, "time_budget_s": 11}, {}, EndReason.TIME_BUDGET, 1, ["r1"]),
        ({"max_rounds": 9, "time_budget_s": 0.5}, {}, EndReason.TIME_BUDGET, 0, []),
    ],
)
def test_rounds_are_held_until_all_is_said_or_they_or_the_time_are_used_up(
    limits: dict[str, object], special: dict[str, str], ended: EndReason, rounds: int, reviews: list[str]
) -> None:
    played = play_chaired(special, chaired_request(**limits))
    end = outcome(played)
    assert (end.ended, end.rounds_completed, end.status) == (ended, rounds, ChairedDebateStatus.COMPLETED)
    assert [id_.removesuffix(".chair.1") for id_ in asked(played) if ".chair." in id_] == reviews
    assert asked(played)[-3:] == CLOSED


@pytest.mark.parametrize(
    ("failing", "cause"),
    [
        ({"ready.promoter"}, "The promoter (claude) failed: timeout: no answer within 240 s."),
        (
            {"ready.promoter", "ready.detractor"},
            (
                "The promoter (claude) failed: timeout: no answer within 240 s. "
                "The detractor (codex) failed: timeout: no answer within 240 s."
            ),
        ),
        ({"opening.promoter.1"}, "The promoter (claude) failed: timeout: no answer within 240 s."),
        ({"opening.detractor.1"}, "The detractor (codex) failed: timeout: no answer within 240 s."),
    ],
)
def test_without_a_debater_who_has_never_spoken_there_is_no_debate(failing: set[str], cause: str) -> None:
    played = play_chaired(dict.fromkeys(failing, FAILS))
    end = outcome(played)
    assert (end.status, end.ended, end.decision) == (ChairedDebateStatus.FAILED, EndReason.FAILURE, None)
    assert end.notices[0] == f"[ERROR] The debate cannot be held. {cause}"
    assert asked(played)[-1] in {*failing, "ready.detractor"}


def test_the_audience_asks_at_most_two_questions_and_both_sides_see_them_in_their_next_turn() -> None:
    played = play_chaired(
        {"r1.audience": '{"questions": ["Who pays for it?", " ", "Who gains by it?", "Who decides on it?"]}'},
        max_rounds=2,
        audience=Participant(tool="opencode"),
    )
    end = outcome(played)
    assert [entry.content for entry in end.log if entry.type == "question"][:2] == [
        "Who pays for it?",
        "Who gains by it?",
    ]
    assert end.notices == ("[WARN] Of the audience's questions in round 1 the first two were taken.",)
    for id_ in ("r2.promoter.1", "r2.detractor.1"):
        assert "The audience asks." in prompt(played, id_)
        assert "Who gains by it?" in prompt(played, id_).partition("The audience asks.")[2]
        assert "Who decides on it?" not in prompt(played, id_)
    for id_ in ("closing.promoter.1", "closing.detractor.1"):
        asked_behind = prompt(played, id_).partition("The audience asks.")[2]
        assert "asks round 2?" in asked_behind
        assert "Who gains by it?" not in asked_behind
    assert "The audience asks." not in prompt(played, "r1.detractor.1")


def test_material_is_shown_to_everybody() -> None:
    part = ContextPart(name="plan.md", size_bytes=9, text="The plan.")
    played = play_chaired(context=(part,), audience=Participant(tool="opencode"))
    assert all("The plan." in prompt(played, id_) for id_ in asked(played))


def test_a_reply_may_be_as_long_as_it_likes() -> None:
    end = outcome(
        play_chaired(
            {"report.1": lambda ask: answer(ask, "long " * 10_000), "r1.promoter.1": action("new_point", "x" * 20_001)},
            reporter=Participant(tool="copilot"),
        )
    )
    assert (len(end.summary), end.summary[-4:]) == (20_000, "\n[…]")
