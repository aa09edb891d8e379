"""OpenCode as a host, set up by ``sparring install opencode``: what its model is asked, gets and is refused."""

import pytest

from support.hosting import ASKED, DECIDED, DONE, Hosting
from support.manners import LONGER_S, OPENCODE, Driven, drive, skill_is_prompt

pytestmark = pytest.mark.npm

SETTINGS = ".config/opencode/opencode.jsonc"


@pytest.fixture
def opencode(hosting: Hosting) -> Driven:
    return drive(hosting, OPENCODE)


def offered(opencode: Driven) -> list[str]:
    """The tools of ours that the model was offered first."""
    first = next(request for request in opencode.hosting.desk.endpoint.requests if request.tools)
    return [tool for tool in first.tools if tool.startswith(OPENCODE.spelled(""))]


def test_the_command_hands_over_what_was_typed_and_a_call_that_tells_its_progress_may_take_longer(
    opencode: Driven,
) -> None:
    OPENCODE.hurry(opencode.hosting)
    opencode.hosting.slow_down(LONGER_S, call_budget_s=44)
    words = f"{ASKED} \"quoted\" 'twice' $1 $(ls) --force and a=b"
    ran = opencode.debate(words)
    assert (ran.code, ran.out.strip()) == (0, DONE), ran.err
    asked = [request for request in opencode.hosting.desk.endpoint.requests if request.tools]
    assert skill_is_prompt(asked, words), asked[0].prompt
    (result,) = opencode.results
    assert DECIDED in result


def test_a_server_that_must_be_asked_for_is_refused_without_a_terminal(opencode: Driven) -> None:
    opencode.hosting.write_by_hand(SETTINGS, permission={"sparring_*": "ask"})
    ran = opencode.debate()
    assert offered(opencode) != []
    assert "permission requested: sparring_debate (*); auto-rejecting" in ran.err
    assert (ran.code, ran.out) == (0, "")
    assert not (opencode.hosting.bench.project / ".opencode").exists()
