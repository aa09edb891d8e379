"""Codex as a host, in what only it does."""

from dataclasses import replace

import pytest

from support.hosting import Hosting
from support.manners import CODEX, drive

pytestmark = pytest.mark.npm


def test_our_tools_are_in_the_first_turn_of_a_host_that_does_not_wait_for_them(hosting: Hosting) -> None:
    codex = drive(hosting, CODEX)
    hosting.play(replace(CODEX.model, tool="runs", arguments={}))
    codex.ask("Which runs are there?")
    assert "mcp__sparring" in hosting.desk.endpoint.requests[0].tools
