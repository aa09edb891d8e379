"""Who sits where, and who checks a claim, when some seats, all or none were named."""

from pathlib import Path

import pytest

from sparring.errors import ExitCode, ToolNotFoundError, UsageError
from sparring.formats.chaired_debate.options import ChairedDebateOptions
from sparring.formats.consult.options import ConsultOptions
from sparring.formats.debate.options import DebateOptions
from sparring.formats.fact_check.options import FactCheckOptions
from sparring.formats.jury.options import JuryOptions
from sparring.schema.base import Participant
from sparring.schema.runs import Request
from sparring.seating.options import Options
from support.installed import app_with
from support.workbench import Workbench

pytestmark = pytest.mark.slow


SEATS = ("advocate", "skeptic", "fact_checker", "judge")
BOTH_CLAUDE = "[WARN] claude is both advocate and skeptic, each in a fresh session."
ONE_TOOL = "[WARN] One tool: {} are fresh sessions of {}. What one overlooks, all may."
JUDGE_CLAUDE = "[WARN] The judge is claude, the advocate's own tool, in a fresh session."


@pytest.mark.parametrize(
    ("installed", "named", "seats", "notices"),
    [
        (("claude", "codex", "gemini", "opencode"), {}, "claude codex opencode gemini", ()),
        (("claude", "codex", "gemini"), {}, "claude codex claude gemini", ()),
        (("claude", "codex"), {}, "claude codex codex claude", (JUDGE_CLAUDE,)),
        (("claude",), {}, "claude claude claude claude", (BOTH_CLAUDE, JUDGE_CLAUDE)),
        (("claude", "codex", "gemini"), {"judge": "claude"}, "codex gemini claude claude", ()),
        (("claude", "codex"), {"provider": "ann"}, "ann ann ann ann", None),
        (("claude",), {"provider": "ann", "judge": "bob"}, "ann ann ann bob", None),
        (
            (),
            {"judge": "bob"},
            "bob bob bob bob",
            (BOTH_CLAUDE.replace("claude", "bob"), JUDGE_CLAUDE.replace("claude", "bob")),
        ),
        (("claude",), {"provider": "offline"}, "offline offline offline offline", ()),
        ((), {"judge": "offline"}, "offline offline offline offline", ()),
    ],
)
def test_seats_of_a_jury_go_round_among_the_tools_installed(
    tmp_path: Path, installed: tuple[str, ...], named: dict[str, str], seats: str, notices: tuple[str, ...] | None
) -> None:
    app = app_with(Workbench.below(tmp_path), *installed)
    request = app.request(JuryOptions.model_validate({"claim": "It is tall.", "truth": "It is high.", **named}))
    assert " ".join(getattr(request, seat).tool for seat in SEATS) == seats
    assert notices is None or request.notices == notices


@pytest.mark.parametrize("named", [{"provider": "offline", "judge": "bob"}, {"advocate": "offline"}])
def test_without_a_model_nobody_sits_beside_others_in_a_jury(tmp_path: Path, named: dict[str, str]) -> None:
    app = app_with(Workbench.below(tmp_path), "claude")
    wish = JuryOptions.model_validate({"claim": "It is tall.", "truth": "It is high.", **named})
    with pytest.raises(UsageError, match="offline takes no seat beside AI tools"):
        app.request(wish)


def test_a_model_is_spelled_with_its_tool_or_beside_it_and_not_twice(tmp_path: Path) -> None:
    app = app_with(Workbench.below(tmp_path))
    wish = JuryOptions(
        claim="It is tall.", truth="It is high.", advocate="ann:m-1", provider="bob:m-2", model_judge="m-2"
    )
    request = app.request(wish)
    assert request.advocate == Participant(tool="ann", model="m-1")
    assert request.judge == request.skeptic == Participant(tool="bob", model="m-2")
    with pytest.raises(UsageError, match=r"Two models are named for 'bob': 'm-2' and 'm-1'."):
        app.request(wish.model_copy(update={"model_judge": "m-1"}))
    debate = app.request(DebateOptions(topic="So?", proposer="ann:m-1", challenger="bob", judge="cy:auto"))
    assert debate.proposer == Participant(tool="ann", model="m-1")
    assert (debate.challenger, debate.judge) == (Participant(tool="bob"), Participant(tool="cy"))


@pytest.mark.parametrize(
    ("installed", "named", "judge", "notices"),
    [
        (("claude", "codex", "gemini"), {}, "gemini", ()),
        (
            ("claude", "codex"),
            {},
            "claude",
            ("[WARN] The judge is claude, the proposer's own tool, in a fresh session.",),
        ),
        (
            ("claude", "codex", "opencode", "copilot", "gemini"),
            {"proposer": "opencode", "challenger": "codex"},
            "claude",
            (),
        ),
        (
            ("opencode", "copilot", "codex"),
            {"proposer": "opencode", "challenger": "codex"},
            "copilot",
            ("[WARN] The judge is copilot, of the same family of models (mixed) as opencode, the proposer.",),
        ),
        (
            ("opencode", "copilot", "codex"),
            {"proposer": "codex", "challenger": "copilot", "judge": "opencode:m"},
            "opencode",
            ("[WARN] The judge is opencode, of the same family of models (mixed) as copilot, the challenger.",),
        ),
        (("claude", "codex"), {"judge": "offline"}, "offline", ()),
        (("claude",), {"proposer": "ann", "challenger": "claude", "judge": "bob"}, "bob", ()),
        (
            ("claude", "codex", "gemini"),
            {"devil": "claude"},
            "codex",
            ("[WARN] Devil's advocate: claude argues both sides.",),
        ),
        (("claude",), {}, "claude", (ONE_TOOL.format("both sides and the judge", "claude"),)),
        (("claude",), {"judge": "offline"}, "offline", (ONE_TOOL.format("both sides", "claude"),)),
        ((), {"provider": "ann"}, "ann", ("[WARN] The judge is ann, the proposer's own tool, in a fresh session.",)),
        (
            (),
            {"proposer": "offline", "challenger": "ann"},
            "ann",
            ("[WARN] The judge is ann, the challenger's own tool, in a fresh session.",),
        ),
        ((), {"challenger": "ann", "judge": "bob"}, "bob", ()),
        (("claude", "codex"), {"provider": "codex"}, "codex", (ONE_TOOL.format("both sides and the judge", "codex"),)),
    ],
)
def test_the_judge_of_a_debate_stands_as_far_from_both_sides_as_there_is_one(
    tmp_path: Path, installed: tuple[str, ...], named: dict[str, str], judge: str, notices: tuple[str, ...]
) -> None:
    app = app_with(Workbench.below(tmp_path), *installed)
    request = app.request(DebateOptions.model_validate({"topic": "So?", **named}))
    assert (request.judge.tool, request.notices) == (judge, notices)


def test_a_panel_is_listed_and_warns_of_each_judge_who_is_no_third_party(tmp_path: Path) -> None:
    app = app_with(Workbench.below(tmp_path), "opencode", "codex", "gemini", "copilot")
    judges = "gemini, codex:m-1, offline, offline, copilot:m"
    request = app.request(DebateOptions(topic="So?", proposer="opencode", challenger="codex", judges=judges))
    assert [(judge.tool, judge.model) for judge in request.judges] == [
        ("gemini", None),
        ("codex", "m-1"),
        ("offline", None),
        ("offline", None),
        ("copilot", "m"),
    ]
    assert request.notices == (
        "[WARN] Judge 2 is codex, the challenger's own tool, in a fresh session.",
        "[WARN] Judge 5 is copilot, of the same family of models (mixed) as opencode, the proposer.",
    )


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"judges": "ann,bob", "judge": "cy"}, "The judges are named twice: give one judge, or a panel."),
        ({"judges": "ann,bob", "model_judge": "m"}, "One model cannot be for a panel."),
        ({"judges": "ann,,bob"}, "The list of tools 'ann,,bob' has an empty place."),
        ({"judges": "ann,ann"}, "ann is 2 judges of the panel."),
        ({"judges": "ann:m,bob,ann:m"}, "ann is 2 judges of the panel."),
        ({"judges": "ann,nobody"}, "There is no tool named 'nobody'."),
        ({"judges": ",".join(["offline"] * 6)}, "A panel has at most 5 judges; 6 are named."),
        ({"devil": "ann", "proposer": "bob"}, "The devil's advocate argues both sides."),
        ({"devil": "ann", "challenger": "ann"}, "The devil's advocate argues both sides."),
        ({"devil": "nobody"}, "There is no tool named 'nobody'."),
        ({"proposer": "claude:m", "challenger": "claude"}, "Proposer and challenger must be different tools, both are"),
        ({"blind_openings": True, "rounds": 1}, "Blind openings need a second round"),
    ],
)
def test_a_debate_whose_seats_contradict_each_other_is_refused(
    tmp_path: Path, said: dict[str, object], sentence: str
) -> None:
    app = app_with(Workbench.below(tmp_path), "claude")
    with pytest.raises(UsageError) as refused:
        app.request(DebateOptions.model_validate({"topic": "So?", **said}))
    assert str(refused.value).startswith(sentence)


def test_a_devils_advocate_sits_on_both_sides_with_a_model_for_each(tmp_path: Path) -> None:
    app = app_with(Workbench.below(tmp_path))
    request = app.request(DebateOptions(topic="So?", devil="ann", model_challenger="m-2", judges="bob,bob:m"))
    assert (request.proposer, request.challenger, request.devil) == (
        Participant(tool="ann"),
        Participant(tool="ann", model="m-2"),
        True,
    )
    assert request.judges == (Participant(tool="bob"), Participant(tool="bob", model="m"))


def test_a_side_that_nobody_named_is_of_another_family_where_there_is_one(tmp_path: Path) -> None:
    app = app_with(Workbench.below(tmp_path), "opencode", "copilot", "gemini")
    request = app.request(DebateOptions(topic="So?", proposer="opencode"))
    assert (request.challenger.tool, request.judge.tool) == ("gemini", "copilot")


@pytest.mark.parametrize(
    "options",
    [
        DebateOptions(topic="So?"),
        DebateOptions(topic="So?", challenger="offline"),
        ChairedDebateOptions(topic="So?"),
        FactCheckOptions(claim="It is tall.", evidence=("It is high.",)),
        JuryOptions(claim="It is tall.", truth="It is high."),
        ConsultOptions(question="So?"),
    ],
    ids=lambda options: options.format,
)
def test_where_nobody_has_a_model_nothing_is_asked_and_it_is_said_what_each_tool_needs(
    tmp_path: Path, options: Options[Request]
) -> None:
    app = app_with(Workbench.below(tmp_path))
    with pytest.raises(ToolNotFoundError) as refused:
        app.request(options)
    assert refused.value.exit_code is ExitCode.TOOL_MISSING
    assert str(refused.value).startswith(
        "No AI tool is ready here, and one is enough. What each needs:\n- Claude Code: "
    )
    for tool in ("claude-code", "@openai/codex", "@google/gemini-cli", "opencode-ai", "@github/copilot"):
        assert tool in str(refused.value)


def test_one_tool_is_enough_for_a_chaired_debate(tmp_path: Path) -> None:
    request = app_with(Workbench.below(tmp_path), "claude").request(ChairedDebateOptions(topic="So?", no_web=True))
    assert {seat.tool for seat in (request.promoter, request.detractor, request.chair)} == {"claude"}
    assert ONE_TOOL.format("both debaters and the chair", "claude") in request.notices


ALONE = "[WARN] AI tools of 1 family are installed."
TWO = "[WARN] AI tools of 2 families are installed."
NO_VOTE = "[WARN] offline has no vote: what code finds is told beside the label."


@pytest.mark.parametrize(
    ("installed", "said", "agents", "notices"),
    [
        # One tool of each family is chosen, and a makeshift is told.
        ("claude codex gemini", {}, "claude codex gemini", ()),
        ("claude codex gemini opencode", {"count": 2}, "claude codex", ()),
        ("claude codex", {}, "claude codex claude", (TWO, "[WARN] claude is 2 agents, each in a fresh session.")),
        ("claude", {}, "claude claude claude", (ALONE, "[WARN] claude is 3 agents, each in a fresh session.")),
        (
            "opencode copilot codex",
            {},
            "codex copilot codex",
            (TWO, "[WARN] codex is 2 agents, each in a fresh session."),
        ),
        # A list is taken as it is, and one tool for all as often as is asked for.
        ("", {"agents": "ann, bob:m-1:8b,ann"}, "ann bob:m-1:8b ann", ()),
        ("", {"provider": "ann:m-1"}, "ann:m-1 ann:m-1 ann:m-1", ()),
        ("", {"provider": "ann", "count": 7}, "ann ann ann ann ann ann ann", ()),
        # Offline alone is nobody, and has no vote among others.
        ("", {"agents": "offline"}, "", ()),
        ("", {"agents": "offline,offline"}, "", ()),
        ("", {"provider": "offline"}, "", ()),
        ("", {"agents": "ann,offline,bob"}, "ann bob", (NO_VOTE,)),
    ],
)
def test_agents_of_a_fact_check_are_those_that_were_named_or_one_of_each_family(
    tmp_path: Path, installed: str, said: dict[str, object], agents: str, notices: tuple[str, ...]
) -> None:
    app = app_with(Workbench.below(tmp_path), *installed.split())
    wish = {"claim": "It is tall.", "evidence": ("The tower is tall.",), **said}
    request = app.request(FactCheckOptions.model_validate(wish))
    assert " ".join(f"{each.tool}:{each.model}" if each.model else each.tool for each in request.agents) == agents
    assert request.notices == notices
    if installed.startswith("opencode"):
        assert request.families == ("openai", "mixed", "openai")


def test_one_agent_that_can_read_is_too_few(tmp_path: Path) -> None:
    app = app_with(Workbench.below(tmp_path))
    with pytest.raises(UsageError, match="2 to 7 agents; 1 is named that can read"):
        app.request(FactCheckOptions(claim="It is tall.", evidence=("The tower is tall.",), agents="ann,offline"))
