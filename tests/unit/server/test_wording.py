import pytest

from sparring.errors import RunNotFoundError, UsageError
from sparring.server.wording import error_for_agents, for_agents

OFFERED = frozenset({"model", "truth", "with"})


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Name one with `--model`.", "Name one with `model`."),
        ("For all (--with offline), or for none.", "For all (with offline), or for none."),
        ("Type it, or judge a table of claims with `sparring batch`.", ""),
        ("Left out: a.env (--set allow_secret_files=true shows them).", "Left out: a.env."),
        ("Leave something out, or raise it on the command line with --max-kib.",) * 2,
        ("Look there. See `sparring runs list`. Then ask.", "Look there. Then ask."),
        ("'sparring runs list' shows all.", ""),
        ("A well--known range, 2--3.",) * 2,
    ],
)
def test_messages_for_the_command_line_are_reworded_for_tools(said: str, told: str) -> None:
    assert for_agents(said, OFFERED) == told


def test_an_error_keeps_its_cause_and_loses_a_hint_that_agents_cannot_follow() -> None:
    assert error_for_agents(RunNotFoundError("No run x.", hint="'sparring runs list' shows all.")) == "No run x."
    assert error_for_agents(UsageError("No truth.", hint="Give it with --truth.")) == "No truth. Give it with truth."
    assert error_for_agents(UsageError("No `sparring x` here.")) == "No `sparring x` here."
