"""Hosts that show our tools and refuse to run what nobody allowed: Claude Code, Codex and Copilot CLI."""

from dataclasses import replace

import pytest

from support.hosting import DONE
from support.manners import MANNERS, Driven

pytestmark = [
    pytest.mark.npm,
    pytest.mark.parametrize(
        "driven",
        [pytest.param(manner, id=manner.name) for manner in MANNERS if manner.refusal],
        indirect=True,
    ),
]


def test_a_debate_that_nobody_allowed_is_refused(driven: Driven) -> None:
    # Not by the skill's name: that allows Claude Code the tools that the skill needs.
    ran = driven.unallowed.ask("Let ann and bob debate.")

    assert (ran.code, ran.out.strip().splitlines()[-1]) == (0, DONE), ran.err
    assert driven.manner.refusal in driven.results[-1]
    assert not (driven.hosting.bench.project / driven.manner.folder).exists()


def test_what_only_reads_runs_without_being_allowed_where_the_page_says_so(driven: Driven) -> None:
    driven.hosting.play(replace(driven.manner.model, tool="runs", arguments={}))

    driven.unallowed.debate()

    result = driven.results[-1]
    assert ("There are no runs in this project yet." in result) == driven.manner.reads_freely, result
    assert (driven.manner.refusal in result) != driven.manner.reads_freely
