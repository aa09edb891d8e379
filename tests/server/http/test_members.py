"""Members of a team: who comes in, and that none of them sees anything of another."""

import hashlib
import signal
from collections.abc import Mapping
from pathlib import Path

import anyio
import anyio.to_thread
import httpx
import pytest
from mcp import Client, MCPError

from sparring.server.results import ToolResult
from sparring.testing.attendance import Attendance
from support.mcp_project import DEBATE, Era, Heard, add_staying_tool, said
from support.team import ACCEPT, ANN, BOB, HELLO, TeamServer, bearer, visitor, write_members
from support.workbench import Workbench

pytestmark = pytest.mark.process


ERAS = pytest.mark.parametrize("era", ["auto", "legacy"])
QUESTION = {"question": "Should it retry?", "tool": "ann"}


def team(tmp_path: Path, text: str = "") -> TeamServer:
    """A server in a project of its own, with these members."""
    bench = Workbench.below(tmp_path)
    return TeamServer(bench, ("--tokens", str(write_members(bench, text))))


def below(folder: Path, name: str = "*") -> list[Path]:
    """The files of that name anywhere below ``folder``."""
    return [file for file in folder.rglob(name) if file.is_file()]


async def refusals(client: Client, calls: Mapping[str, Mapping[str, object]]) -> set[str]:
    """What is said to these calls, each of which must be refused."""
    results = [said(await client.call_tool(tool, dict(arguments))) for tool, arguments in calls.items()]
    assert {result.status for result in results} == {"refused"}
    return {result.text for result in results}


@ERAS
async def test_a_member_debates_and_another_sees_nothing_of_it(tmp_path: Path, era: Era) -> None:
    with team(tmp_path) as server:
        async with visitor(server, ANN, era) as ann:
            debate = said(await ann.call_tool("debate", DEBATE))
            assert debate.status == "finished"
            run_id = debate.run_id
            assert run_id in said(await ann.call_tool("runs")).text
        async with visitor(server, BOB, era) as bob:
            listed = said(await bob.call_tool("runs"))
            assert listed.text == "# Runs, newest first\n\nThere are no runs in this project yet."
            for guessed in (run_id, run_id[:-4], "last", "debate"):
                calls = {"runs": {"run_id": guessed}, "wait": {"run_id": guessed}, "cancel": {"run_id": guessed}}
                told = await refusals(bob, calls | {"debate": {"resume": guessed}})
                assert all("no run" in text or "not the id" in text for text in told)
            with pytest.raises(MCPError):
                await bob.read_resource(f"sparring://runs/{run_id}")
            told = await refusals(bob, {"consult": {"question": "And now?", "session_id": "last"}})
            assert told == {"There is no session to continue: no consultation has left one in this project."}


async def test_the_folder_of_a_team_lies_outside_the_project_and_apart_for_each(tmp_path: Path) -> None:
    with team(tmp_path) as server:
        for token in (ANN, BOB):
            async with visitor(server, token) as member:
                await member.call_tool("consult", QUESTION)
        assert not (server.bench.project / ".sparring").exists()
        kept = Path(server.said.rsplit("kept in ", 1)[1].strip().removesuffix("."))
        assert not kept.is_relative_to(server.bench.project)
        assert sorted(path.relative_to(kept).parts[0] for path in below(kept, "journal.jsonl")) == ["ann", "bob"]
        assert {path.stat().st_mode & 0o077 for path in (kept, kept / "ann", kept / "bob")} == {0}


async def test_a_member_cannot_go_on_with_a_session_that_only_the_tool_knows(tmp_path: Path) -> None:
    with team(tmp_path) as server:
        async with visitor(server, BOB) as bob:
            call = {"question": "And now?", "tool": "ann", "session_id": "7d1c1a52-somebody-elses"}
            assert await refusals(bob, {"consult": call}) == {
                "There is no session '7d1c1a52-somebody-elses' among the last ones."
            }


async def test_a_run_of_one_member_cannot_be_waited_for_or_stopped_by_another(tmp_path: Path) -> None:
    heard, results = Heard(), list[ToolResult]()
    with team(tmp_path) as server, Attendance() as attendance:
        add_staying_tool(server.bench, "cy", attendance)
        async with visitor(server, ANN) as ann, visitor(server, BOB) as bob:

            async def call() -> None:
                results.append(said(await ann.call_tool("consult", QUESTION | {"tool": "cy"}, progress_callback=heard)))

            async with anyio.create_task_group() as group:
                group.start_soon(call)
                await anyio.to_thread.run_sync(attendance.arrivals, 1)
                run_id = await heard.run_id("cy")
                await refusals(bob, {"wait": {"run_id": run_id}, "cancel": {"run_id": run_id}})
                assert attendance.is_present("cy")
                assert said(await ann.call_tool("cancel", {"run_id": run_id})).text.startswith("It was cancelled.")
    assert [result.status for result in results] == ["interrupted"]


async def test_a_session_is_unknown_to_whoever_shows_another_token(tmp_path: Path) -> None:
    with team(tmp_path) as server:
        async with httpx.AsyncClient(base_url=server.url, headers=ACCEPT) as http:
            opened = await http.post("/mcp", json=HELLO, headers=bearer(ANN))
            session = {"Mcp-Session-Id": opened.headers["mcp-session-id"]}
            listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
            own = await http.post("/mcp", json=listing, headers={**bearer(ANN), **session})
            stolen = await http.post("/mcp", json=listing, headers={**bearer(BOB), **session})
            invented = await http.post("/mcp", json=listing, headers={**bearer(BOB), "Mcp-Session-Id": "0" * 32})
            ended = await http.delete("/mcp", headers={**bearer(BOB), **session})
            still = await http.post("/mcp", json=listing, headers={**bearer(ANN), **session})
    assert (opened.status_code, own.status_code, still.status_code) == (200, 200, 200)
    assert stolen.status_code == 404
    assert (stolen.status_code, stolen.content) == (invented.status_code, invented.content)
    assert ended.status_code == 404


async def test_a_missing_and_a_wrong_token_are_refused_alike(tmp_path: Path) -> None:
    wrong = [
        {},
        *({"Authorization": value} for value in ("Bearer", f"Bearer {ANN[:-1]}", f"Bearer {ANN}x")),
        *({"Authorization": value} for value in (f"Basic {ANN}", ANN, f"Bearer {ANN} {BOB}", "Bearer \xe4\xf6")),
        {"X-Token": ANN},
    ]
    with team(tmp_path) as server:
        async with httpx.AsyncClient(base_url=server.url) as http:
            answers = [
                await http.request(method, path, headers=[(k.encode(), v.encode("latin-1")) for k, v in each.items()])
                for each in wrong
                for method, path in (("POST", "/mcp"), ("GET", "/mcp"), ("DELETE", "/mcp"), ("GET", "/anything"))
            ]
            by_query = await http.post("/mcp", params={"token": ANN}, json=HELLO)
            right = await http.post("/mcp", json=HELLO, headers={"authorization": f"bearer {ANN}"} | ACCEPT)
        rest = server.stop()
    shapes = {(each.status_code, each.headers["www-authenticate"], each.content) for each in (*answers, by_query)}
    assert shapes == {(401, "Bearer", b"A token is needed.\n")}
    assert right.status_code == 200
    assert rest == "Ended.\n"


@ERAS
async def test_a_token_is_taken_out_of_whatever_is_sent_kept_and_said(tmp_path: Path, era: Era) -> None:
    with team(tmp_path) as server:
        async with visitor(server, ANN, era) as ann:
            asked = said(await ann.call_tool("consult", QUESTION | {"question": f"Is {BOB} or {ANN} a good token?"}))
            refused = said(await ann.call_tool("consult", QUESTION | {"tool": BOB}))
            transcript = said(await ann.call_tool("runs", {"run_id": asked.run_id}))
        rest = server.stop()
    written = [file.read_bytes() for file in below(tmp_path) if file.name != "members.toml"]
    for token in (ANN, BOB):
        assert token not in asked.text + refused.text + transcript.text + server.said + rest
        assert not [content for content in written if token.encode() in content]


async def test_the_token_of_the_environment_makes_a_team_of_one(tmp_path: Path) -> None:
    bench = Workbench.below(tmp_path)
    bench.extra["SPARRING_HTTP_TOKEN"] = ANN
    with TeamServer(bench, ()) as server:
        assert "for 1 member;" in server.said
        async with visitor(server, ANN) as ann:
            assert said(await ann.call_tool("consult", QUESTION)).status == "finished"
        async with httpx.AsyncClient(base_url=server.url, headers=bearer(BOB)) as http:
            assert (await http.post("/mcp", json=HELLO)).status_code == 401
        assert ANN not in server.said + server.stop()


async def test_a_member_by_digest_comes_in_with_the_token(tmp_path: Path) -> None:
    digest = hashlib.sha256(ANN.encode()).hexdigest()
    with team(tmp_path, f'[members.ann]\ntoken_sha256 = "{digest}"\n') as server:
        async with visitor(server, ANN) as ann:
            assert said(await ann.call_tool("consult", QUESTION)).status == "finished"


@ERAS
async def test_without_tokens_this_machine_is_served_in_the_state_folder_of_the_project(
    tmp_path: Path, era: Era
) -> None:
    bench = Workbench.below(tmp_path)
    with TeamServer(bench, ()) as server:
        async with visitor(server, "", era) as client:
            assert said(await client.call_tool("debate", DEBATE)).status == "finished"
        assert bench.last_debate()["topic"] == DEBATE["topic"]
        server.signal(signal.SIGINT)
        assert server.end() == "Ended.\n"


async def test_two_servers_do_not_serve_one_team(tmp_path: Path) -> None:
    with team(tmp_path) as server:
        file = str(server.bench.root / "members.toml")
        second = server.bench.run_program("serve", "--http", "127.0.0.1:0", "--tokens", file)
        assert second.code == 2
        assert second.err.startswith("Error: Another server serves this team; it keeps the runs in ")
        assert len(second.err.splitlines()) == 1
