"""Which tools take the seats that the user did not name, and which may answer for those that failed."""

from typing import Any

import pytest

from sparring.formats.consult.options import ConsultOptions
from sparring.formats.debate.options import DebateOptions
from sparring.schema.base import Role
from sparring.schema.runs import Run
from support import debating
from support.installed import app_with
from support.playing import FAILS, ended
from support.workbench import Workbench

pytestmark = pytest.mark.slow


def prefer(bench: Workbench, name: str, preference: int) -> None:
    bench.add_program(name, "exit 1")
    text = (
        f'kind = "cli"\ntitle = "{name.title()}"\nfamily = "own-{name}"\noutput = "text"\npreference = {preference}\n'
    )
    (bench.providers / f"{name}.toml").write_text(f'{text}[command]\nprogram = "{name}"\n', encoding="utf-8")


def debate(**named: Any) -> DebateOptions:
    return DebateOptions.model_validate({"topic": "So?", "proposer": "claude", "challenger": "codex", **named})


def test_the_judge_that_was_not_named_is_of_another_family_and_preferred(bench: Workbench) -> None:
    prefer(bench, "able", 0)
    prefer(bench, "zoe", 5)
    app = app_with(bench, "claude", "codex", "gemini")
    assert app.request(debate()).judge.tool == "zoe"
    assert app.request(ConsultOptions(question="So?")).asked[0].tool == "zoe"


def test_only_seats_that_were_not_named_have_spare_tools_and_these_sit_nowhere(bench: Workbench) -> None:
    app = app_with(bench, "claude", "codex", "gemini", "opencode")
    request = app.request(debate())
    sitting = {each.participant.tool for each in request.needed()}
    assert request.unnamed == (Role.JUDGE,)
    assert request.spare
    assert not sitting & {*request.spare}
    named = app.request(debate(seat=("judge=gemini",)))
    assert (named.unnamed, named.spare, named.tool_families) == ((), (), {})


def unjudged() -> Run:
    """A debate of claude against codex, in which gemini failed to judge."""
    judged = {f"judge1.{order}.1": FAILS for order in ("ab", "ba")}
    return ended(debating.request(), debating.played(judged))


@pytest.mark.parametrize(
    ("ready", "expected"),
    [("claude codex gemini opencode", "opencode"), ("claude codex gemini", "claude"), ("gemini", None)],
)
def test_a_retry_is_offered_with_a_tool_that_can_answer_for_those_that_failed(
    bench: Workbench, ready: str, expected: str | None
) -> None:
    assert app_with(bench, *ready.split()).find_substitute(unjudged()) == expected


def test_without_a_failure_no_substitute_is_offered(bench: Workbench) -> None:
    run = ended(debating.request(), debating.played())
    assert app_with(bench, "opencode").find_substitute(run) is None
