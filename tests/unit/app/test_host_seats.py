"""Where the agent that called sits, by name or since nobody else is there, and what the user is told about it."""

import pytest

from sparring.errors import ToolNotFoundError, UnsupportedError
from sparring.formats.chaired_debate.options import ChairedDebateOptions
from sparring.formats.consult.options import ConsultOptions
from sparring.formats.debate.options import DebateOptions
from sparring.formats.fact_check.options import FactCheckOptions
from sparring.formats.jury.options import JuryOptions
from sparring.participants.options import Options, ReadingSides
from sparring.schema.base import RepoAccess
from sparring.schema.runs import Request
from support.installed import app_with
from support.texts import texts
from support.workbench import Workbench

pytestmark = pytest.mark.slow

ANY = "an-agent"
DECIDES = "[WARN] The judge is host, the calling agent: it has no fresh session and knows the conversation."


@pytest.mark.parametrize(("installed", "named", "seats", "notices"), texts("seats")["host"])
def test_the_host_judges_two_tools_and_sits_everywhere_where_there_is_none(
    bench: Workbench, installed: str, named: dict[str, str], seats: str, notices: list[str] | None
) -> None:
    app = app_with(bench, *installed.split(), client=ANY)
    request = app.request(DebateOptions.model_validate({"topic": "So?", **named}))
    assert " ".join(seat.tool for seat in (request.proposer, request.challenger, request.judge)) == seats
    assert notices is None or list(request.notices) == notices


@pytest.mark.parametrize(
    ("client", "kin"),
    [
        ("copilot-cli", ()),
        (
            "claude-code",
            ("[WARN] The judge is host, of the same family of models (claude) as claude, the proposer.",),
        ),
    ],
)
def test_a_host_is_related_only_to_its_own_family(bench: Workbench, client: str, kin: tuple[str, ...]) -> None:
    request = app_with(bench, "claude", "codex", client=client).request(DebateOptions(topic="So?"))
    assert (request.judge.tool, request.notices) == ("host", (*kin, DECIDES))


@pytest.mark.parametrize(
    ("client", "family"),
    [("codex-mcp-client", "gpt"), ("gemini-cli-mcp-client", "gemini"), ("opencode", ""), ("", "")],
)
def test_the_family_of_the_host_is_that_of_the_tool_it_is(bench: Workbench, client: str, family: str) -> None:
    assert app_with(bench, client=client).roster.family("host") == family


@pytest.mark.process
def test_access_cannot_be_set_for_the_host(bench: Workbench) -> None:
    seats = DebateOptions(
        topic="So?", proposer="host", challenger="claude", seat=("judge=offline",), repo_access=ReadingSides.READ
    )
    request = app_with(bench, "claude", client=ANY, has_git=True).request(seats)
    seen = "[WARN] host is not given the project's files: it sees of them what its own user lets it see."
    assert (request.repo_access, request.notices) == (RepoAccess.READ, (seen,))


def test_without_tools_the_host_or_its_sub_agents_take_every_seat(bench: Workbench) -> None:
    app = app_with(bench, client=ANY)
    jury = app.request(JuryOptions(claim="It is tall.", truth="It is high."))
    check = app.request(FactCheckOptions(claim="It is tall.", evidence=("It is high.",)))
    chaired = app.request(ChairedDebateOptions(topic="So?"))
    seats = (jury.advocate, jury.skeptic, jury.fact_checker, jury.judge, *check.agents)
    assert {seat.tool for seat in (*seats, *(each for _, each in chaired.participants))} == {"host"}
    assert check.notices == ("[WARN] One reader: all agents are host, the calling agent, or fresh sub-agents of it.",)
    with pytest.raises(ToolNotFoundError):
        app.request(ConsultOptions(question="So?"))


def test_a_jury_of_one_conversation_is_reported(bench: Workbench) -> None:
    wish = JuryOptions(claim="It is tall.", truth="It is high.", participants="host")
    request = app_with(bench, client=ANY).request(wish)
    assert request.notices == (
        "[WARN] host is both advocate and skeptic, in one conversation.",
        "[WARN] The judge is host, which is the advocate too, in the same conversation.",
        DECIDES,
    )


def test_a_host_as_chair_is_reported_and_a_host_that_argues_gets_another_chair(bench: Workbench) -> None:
    app = app_with(bench, client=ANY)
    chaired = app.request(ChairedDebateOptions(topic="So?", participants="ann,bob,host"))
    assert DECIDES.replace("judge", "chair") in chaired.notices
    arguing = app.request(ChairedDebateOptions(topic="So?", participants="host,bob"))
    assert arguing.chair.tool == "bob"
    assert "The promoter (host) cannot search the web, and has to label what it cannot source." in arguing.notices
    both = app.request(ChairedDebateOptions(topic="So?", participants="ann,host,host"))
    assert "[WARN] The chair is host, which is the detractor too, in the same conversation." in both.notices


@pytest.mark.parametrize(
    "options",
    [
        DebateOptions(topic="So?", proposer="ann", challenger="bob", seat=("judge=host",)),
        FactCheckOptions(claim="So?", evidence=("So.",), participants="ann,host"),
        JuryOptions(claim="It is tall.", truth="It is high.", participants="ann", seat=("judge=host",)),
        ChairedDebateOptions(topic="So?", participants="ann,bob,host"),
    ],
    ids=lambda options: options.format,
)
def test_there_is_no_host_without_a_calling_agent(bench: Workbench, options: Options[Request]) -> None:
    with pytest.raises(UnsupportedError, match=r"^host is the agent that calls over MCP; .* or name another tool\.$"):
        app_with(bench).request(options)


def test_no_tool_of_the_users_can_be_taken_for_the_host(bench: Workbench) -> None:
    bench.add_tool("host", [{"response": "I am no agent."}])
    (bench.providers / "me.toml").write_text('kind = "host"\nfamily = "mine"\ntitle = "Me"\n', encoding="utf-8")
    roster = app_with(bench, client=ANY).roster
    assert roster.host is None
    assert [problem.reason for problem in roster.providers.problems] == [
        "'host' is the agent that calls over MCP: that name and that kind belong together"
    ] * 2


def test_a_user_may_state_the_family_of_the_host(bench: Workbench) -> None:
    file = bench.providers / "host.toml"
    file.write_text('kind = "host"\nfamily = "mine"\ntitle = "My agent"\n', encoding="utf-8")
    roster = app_with(bench, client="claude-code").roster
    assert (roster.host, roster.spec("host").family) == ("host", "mine")
    with pytest.raises(UnsupportedError, match="in a run only"):
        roster.consultant("host")
