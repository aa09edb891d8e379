"""Hosts that show our tools and refuse to run what nobody allowed: Claude Code, Codex and Copilot CLI."""

import json

import pytest
from msgspec.structs import replace

from sparring.testing.model_endpoint import Call
from support.hosting import DONE
from support.manners import MANNERS, Driven

pytestmark = pytest.mark.npm

REFUSING = [pytest.param(manner, id=manner.name) for manner in MANNERS if manner.refusal]


@pytest.mark.parametrize("driven", REFUSING, indirect=True)
def test_tools_without_approval_are_refused_except_reading_ones_of_documented_hosts(driven: Driven) -> None:
    model = driven.manner.model
    lists = Call(model.spelled("runs"), json.dumps({}))
    driven.hosting.play(replace(model, before=(*model.before, lists)))

    # Not by the skill's name: that allows Claude Code the tools that the skill needs.
    ran = driven.unallowed.ask("Let ann and bob debate.")

    assert (ran.code, ran.out.strip().splitlines()[-1]) == (0, DONE), ran.err
    listed, debated = driven.results
    assert ("There are no runs in this project yet." in listed) == driven.manner.reads_freely, listed
    assert (driven.manner.refusal in listed) != driven.manner.reads_freely
    assert driven.manner.refusal in debated
    assert not (driven.hosting.bench.project / driven.manner.folder).exists()
