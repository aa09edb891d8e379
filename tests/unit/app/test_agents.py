"""Who checks a claim when nobody, one tool or a list of tools was named."""

from pathlib import Path

import pytest

from sparring.errors import UsageError
from sparring.formats.fact_check.options import FactCheckOptions
from sparring.schema.base import Participant
from support.installed import app_with
from support.workbench import Workbench

pytestmark = pytest.mark.slow


EVIDENCE = ("The tower is tall.",)
ALONE = "[WARN] AI tools of 1 family are installed."
TWO = "[WARN] AI tools of 2 families are installed."


@pytest.mark.parametrize(
    ("installed", "count", "agents", "notices"),
    [
        (("claude", "codex", "gemini"), None, "claude codex gemini", ()),
        (("claude", "codex", "gemini", "opencode"), 2, "claude codex", ()),
        (
            ("claude", "codex"),
            None,
            "claude codex claude",
            (TWO, "[WARN] claude is 2 agents, each in a fresh session."),
        ),
        (("claude",), None, "claude claude claude", (ALONE, "[WARN] claude is 3 agents, each in a fresh session.")),
    ],
)
def test_one_tool_of_each_family_is_chosen_and_a_makeshift_is_told(
    tmp_path: Path, installed: tuple[str, ...], count: int | None, agents: str, notices: tuple[str, ...]
) -> None:
    app = app_with(Workbench.below(tmp_path), *installed)
    request = app.request(FactCheckOptions(claim="It is tall.", evidence=EVIDENCE, count=count))
    assert " ".join(agent.tool for agent in request.agents) == agents
    assert request.notices == notices


def test_of_two_tools_of_one_family_only_the_first_is_chosen(tmp_path: Path) -> None:
    app = app_with(Workbench.below(tmp_path), "opencode", "copilot", "codex")
    request = app.request(FactCheckOptions(claim="It is tall.", evidence=EVIDENCE))
    assert [agent.tool for agent in request.agents] == ["codex", "copilot", "codex"]
    assert request.families == ("openai", "mixed", "openai")


def test_a_list_is_taken_as_it_is_with_models_and_repetitions(tmp_path: Path) -> None:
    app = app_with(Workbench.below(tmp_path))
    request = app.request(FactCheckOptions(claim="It is tall.", evidence=EVIDENCE, agents="ann, bob:m-1:8b,ann"))
    assert request.agents == (Participant(tool="ann"), Participant(tool="bob", model="m-1:8b"), Participant(tool="ann"))
    assert request.notices == ()


@pytest.mark.parametrize(("count", "number"), [(None, 3), (7, 7)])
def test_one_tool_for_all_is_taken_as_often_as_is_asked_for(tmp_path: Path, count: int | None, number: int) -> None:
    app = app_with(Workbench.below(tmp_path))
    request = app.request(FactCheckOptions(claim="It is tall.", evidence=EVIDENCE, provider="ann:m-1", count=count))
    assert request.agents == (Participant(tool="ann", model="m-1"),) * number


@pytest.mark.parametrize("agents", ["offline", "offline,offline"])
def test_offline_alone_is_nobody(tmp_path: Path, agents: str) -> None:
    app = app_with(Workbench.below(tmp_path))
    assert app.request(FactCheckOptions(claim="It is tall.", evidence=EVIDENCE, agents=agents)).agents == ()
    assert app.request(FactCheckOptions(claim="It is tall.", evidence=EVIDENCE, provider="offline")).agents == ()


def test_offline_among_others_has_no_vote(tmp_path: Path) -> None:
    app = app_with(Workbench.below(tmp_path))
    request = app.request(FactCheckOptions(claim="It is tall.", evidence=EVIDENCE, agents="ann,offline,bob"))
    assert [agent.tool for agent in request.agents] == ["ann", "bob"]
    assert request.notices == ("[WARN] offline has no vote: what code finds is told beside the label.",)
    with pytest.raises(UsageError, match="2 to 7 agents; 1 is named that can read"):
        app.request(FactCheckOptions(claim="It is tall.", evidence=EVIDENCE, agents="ann,offline"))
