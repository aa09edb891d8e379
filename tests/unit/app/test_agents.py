"""Who checks a claim when nobody, one tool or a list of tools was named."""

from pathlib import Path

import pytest

from sparring.formats.fact_check.options import FactCheckOptions
from sparring.schema.base import Participant
from support.installed import app_with
from support.workbench import Workbench

pytestmark = pytest.mark.process


EVIDENCE = ("The tower is tall.",)
ALONE = "[WARN] AI tools of 1 family are installed: agent 2 is offline, which is rule-based."
TWO = "[WARN] AI tools of 2 families are installed: agent 3 is offline, which is rule-based."


@pytest.mark.parametrize(
    ("installed", "count", "agents", "notices"),
    [
        (("claude", "codex", "gemini"), None, "claude codex gemini", ()),
        (("claude", "codex", "gemini", "opencode"), 2, "claude codex", ()),
        (("claude", "codex"), None, "claude codex offline", (TWO,)),
        (("claude",), None, "claude offline claude", (ALONE, "[WARN] claude is 2 agents, each in a fresh session.")),
        (
            ("claude", "codex"),
            6,
            "claude codex offline claude codex claude",
            (
                TWO,
                "[WARN] claude is 3 agents, each in a fresh session.",
                "[WARN] codex is 2 agents, each in a fresh session.",
            ),
        ),
        (
            (),
            None,
            "offline offline offline",
            ("[WARN] No AI tool is installed: offline, which is rule-based, is all 3 agents.",),
        ),
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
    assert len({app.roster.spec(agent.tool).family for agent in request.agents}) == 3
    assert [agent.tool for agent in request.agents].count("offline") == 1


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
