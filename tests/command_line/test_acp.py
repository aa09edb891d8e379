"""An agent that a user has made a provider, asked by the whole program."""

import json
import sys

import pytest

from sparring.testing import acp_agent
from sparring.testing.acp_agent import Scenario
from support.workbench import Workbench

pytestmark = pytest.mark.process


def add_agent(bench: Workbench, scenario: Scenario) -> None:
    """Put a provider file ``zed`` into the user's folder."""
    argv = json.dumps([acp_agent.__file__, scenario.argument()])
    text = f'kind = "acp"\nfamily = "none"\ntitle = "Zed"\nprogram = {json.dumps(sys.executable)}\nargv = {argv}\n'
    (bench.providers / "zed.toml").write_text(text, encoding="utf-8")


def test_an_agent_answers_on_the_command_line(bench: Workbench) -> None:
    add_agent(bench, Scenario(options={"thought_level": ("medium",)}, steps=(("say", "So it is."),)))
    done = bench.run("consult", "Is it so?", "--tool", "zed", "--json")
    assert (done.code, done.json["response"]) == (0, "So it is.")
