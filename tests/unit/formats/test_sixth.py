"""A format from elsewhere: added to the registry it is estimated, held, kept, listed and resumed like any other."""

import json
from collections.abc import Generator
from pathlib import Path

import pytest

from sparring.app import App
from sparring.app.application import OpenRun
from sparring.cli.runs import exit_code
from sparring.engine.runner import Deliberation, ThreadedJournal, deliberate
from sparring.errors import ExitCode, StateCorruptError
from sparring.formats.registry import FORMATS
from sparring.prompts import PromptLibrary
from sparring.schema.base import Participant
from sparring.schema.runs import Limits, Outcome, RunEvent, RunStatus
from sparring.settings import Settings
from sparring.store.history import load_run
from sparring.testing.crashes import cancelled_at
from support.mcp_project import client, project, said
from support.sixth import POLL
from support.sixth.records import PollOutcome, PollRequest, PollStatus, Vote
from support.workbench import Workbench

TOPIC = "Should a failed request be sent again?"


@pytest.fixture(autouse=True)
def _poll() -> Generator[None]:
    FORMATS.add(POLL)
    yield
    if "poll" in FORMATS:
        FORMATS.remove("poll")


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    bench = project(tmp_path)
    for name, vote in (("ann", "Yes."), ("bob", "Cannot say")):
        bench.add_tool(name, [{"match": {"attempt": 1}, "response": "It depends."}, {"response": vote}])
    return bench


@pytest.fixture
def app(bench: Workbench) -> App:
    return App(Settings.read(bench.environment, bench.project))


def request() -> PollRequest:
    return PollRequest(topic=TOPIC, first=Participant(tool="ann"), second=Participant(tool="bob"))


async def hold(app: App, run: OpenRun, events: list[RunEvent]) -> Outcome:
    rules = FORMATS[run.header.kind].rules(run.header.request, PromptLibrary())
    with run.journal as journal:
        asked, kept = app.roster.consultant_of_run(None), ThreadedJournal(journal)
        whole = Deliberation(run.run_id, rules, asked, kept, Limits(), events.append, app.roster)
        return await deliberate(whole, run.progress)


VOTED = PollOutcome(status=PollStatus.SPLIT, votes=(Vote.YES, Vote.CANNOT_SAY))


async def test_a_new_format_can_be_run_interrupted_listed_resumed_and_read(app: App) -> None:
    begun, events = app.begin(request()), list[RunEvent]()
    assert begun.header.estimate
    assert begun.header.estimate.usual == 2
    assert await cancelled_at(8, lambda: hold(app, begun, events))
    (listed,), whole = app.runs(), app.run("last")
    assert (whole.status, whole.header.request) == (RunStatus.INTERRUPTED, request())
    assert (listed.run_id, listed.kind, listed.status, listed.topic) == (begun.run_id, "poll", whole.status, TOPIC)
    assert await hold(app, app.reopen(begun.run_id), events) == VOTED
    finished = app.run(begun.run_id)
    assert (finished.outcome, exit_code(finished)) == (VOTED, ExitCode.NO_VERDICT)
    assert [turn.ask_id for turn in finished.transcript.turns] == ["vote.1.1", "vote.2.1", "vote.1.2", "vote.2.2"]
    assert (app.runs()[0].outcome, app.runs()[0].topic) == ("split", TOPIC)


async def test_where_the_format_is_missing_its_runs_are_refused_by_name(app: App) -> None:
    run = app.begin(request())
    await hold(app, run, [])
    FORMATS.remove("poll")
    assert app.runs() == ()
    with pytest.raises(StateCorruptError, match=r"line 1: This version of sparring has no format 'poll'\. "):
        load_run(run.journal.folder)


def test_a_new_format_has_a_command_like_any_other(bench: Workbench) -> None:
    assert "poll" in bench.run("--help").out
    assert "--first" in bench.run("poll", "--help-all").out
    done = bench.run("poll", TOPIC, "--first", "ann", "--second", "bob", "--effort", "low", "--json")
    assert (done.code, done.json["votes"], done.json["winner"]) == (4, ["yes", "cannot say"], None), done.err
    (listed,) = bench.run("runs", "list", "--json").json["runs"]
    assert (listed["kind"], listed["outcome"], listed["topic"]) == ("poll", "split", TOPIC)
    assert "- ann: yes" in bench.run("runs", "show", "last").out
    assert json.loads((bench.state / "poll" / "last-poll.json").read_text(encoding="utf-8")) == done.json
    assert bench.run("poll", TOPIC, "--effort", "huge").err.startswith("Error: The effort must be one of low, medium")


async def test_a_new_format_has_an_mcp_tool_like_any_other(bench: Workbench) -> None:
    async with client(bench) as host:
        (tool,) = [tool for tool in (await host.list_tools()).tools if tool.name == "poll"]
        assert list(tool.input_schema["properties"]) == ["topic", "first", "second", "resume", "estimate", "set"]
        done = said(await host.call_tool("poll", {"topic": TOPIC, "first": "ann", "second": "bob"}))
        assert (done.status, "- bob: cannot say" in done.text) == ("finished", True)
        again = said(await host.call_tool("poll", {"resume": done.run_id}))
        assert again.text == done.text
        refused = said(await host.call_tool("debate", {"resume": done.run_id}))
        assert (refused.status, "is not a debate" in refused.text) == ("refused", True)
