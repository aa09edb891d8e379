"""Members of a team: who comes in, and that none of them sees anything of another."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

import anyio
import httpx
import pytest
from mcp import Client, MCPError

from sparring.errors import UsageError
from sparring.server.results import ToolResult
from support.mcp_project import DEBATE, NEVER, Heard, said
from support.team import ACCEPT, ANN, BOB, HELLO, HostedTeam, bearer, visitor

QUESTION = {"question": "Should it retry?", "tool": "ann"}


def below(folder: Path, name: str = "*") -> list[Path]:
    """The files of that name anywhere below ``folder``."""
    return [file for file in folder.rglob(name) if file.is_file()]


async def refusals(client: Client, calls: Mapping[str, Mapping[str, object]]) -> set[str]:
    """What is said to these calls, each of which must be refused."""
    results = [said(await client.call_tool(tool, dict(arguments))) for tool, arguments in calls.items()]
    assert {result.status for result in results} == {"refused"}
    return {result.text for result in results}


async def test_a_member_debates_and_another_sees_nothing_of_it(tmp_path: Path) -> None:
    with HostedTeam(tmp_path) as server:
        async with visitor(server, ANN) as ann:
            debate = said(await ann.call_tool("debate", DEBATE))
            assert debate.status == "finished"
            run_id = debate.run_id
            assert run_id in said(await ann.call_tool("runs")).text
        async with visitor(server, BOB) as bob:
            listed = said(await bob.call_tool("runs"))
            assert listed.text == "# Runs, newest first\n\nThere are no runs in this project yet."
            for guessed in (run_id, run_id[:-4], "last", "debate"):
                calls = {"runs": {"run_id": guessed}, "wait": {"run_id": guessed}, "cancel": {"run_id": guessed}}
                told = await refusals(bob, calls | {"debate": {"resume": guessed}})
                assert all("no run" in text or "not the id" in text for text in told)
            with pytest.raises(MCPError):
                await bob.read_resource(f"sparring://runs/{run_id}")
            for session, sentence in (
                ("last", "There is no session to continue: no consultation has left one in this project."),
                ("7d1c1a52-somebody-elses", "There is no session '7d1c1a52-somebody-elses' among the last ones."),
            ):
                call = QUESTION | {"session_id": session} | ({"tool": ""} if session == "last" else {})
                assert await refusals(bob, {"consult": call}) == {sentence}
            await bob.call_tool("consult", QUESTION)
        assert not server.bench.state.exists()
        assert sorted(path.relative_to(server.kept).parts[0] for path in below(server.kept, "journal.jsonl")) == [
            "ann",
            "bob",
        ]
        folders = (server.kept, server.kept / "ann", server.kept / "bob")
        assert {path.stat().st_mode & 0o077 for path in folders} == {0}


async def test_a_run_of_one_member_cannot_be_waited_for_or_stopped_by_another(tmp_path: Path) -> None:
    heard, results = Heard(), list[ToolResult]()
    with HostedTeam(tmp_path) as server:
        server.bench.add_tool("cy", NEVER)
        async with visitor(server, ANN) as ann, visitor(server, BOB) as bob:

            async def call() -> None:
                results.append(said(await ann.call_tool("consult", QUESTION | {"tool": "cy"}, progress_callback=heard)))

            async with anyio.create_task_group() as group:
                group.start_soon(call)
                run_id = await heard.run_id("cy  asked")
                await refusals(bob, {"wait": {"run_id": run_id}, "cancel": {"run_id": run_id}})
                assert results == []
                assert said(await ann.call_tool("cancel", {"run_id": run_id})).text.startswith("It was cancelled.")
    assert [result.status for result in results] == ["interrupted"]


async def test_a_session_is_unknown_to_whoever_shows_another_token(tmp_path: Path) -> None:
    with HostedTeam(tmp_path) as server:
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
    with HostedTeam(tmp_path) as server:
        async with httpx.AsyncClient(base_url=server.url) as http:
            answers = [
                await http.request("POST", "/mcp", headers=[(k.encode(), v.encode("latin-1")) for k, v in each.items()])
                for each in wrong
            ]
            answers += [
                await http.request(method, path, headers=bearer(f"{ANN}x"))
                for method, path in (("GET", "/mcp"), ("DELETE", "/mcp"), ("GET", "/anything"))
            ]
            answers.append(await http.post("/mcp", params={"token": ANN}, json=HELLO))
            right = await http.post("/mcp", json=HELLO, headers={"authorization": f"bearer {ANN}"} | ACCEPT)
    shapes = {(each.status_code, each.headers["www-authenticate"], each.content) for each in answers}
    assert shapes == {(401, "Bearer", b"A token is needed.\n")}
    assert right.status_code == 200


async def test_a_token_is_taken_out_of_whatever_is_sent_kept_and_said(tmp_path: Path) -> None:
    with HostedTeam(tmp_path) as server:
        async with visitor(server, ANN) as ann:
            asked = said(await ann.call_tool("consult", QUESTION | {"question": f"Is {BOB} or {ANN} a good token?"}))
            refused = said(await ann.call_tool("consult", QUESTION | {"tool": BOB}))
            transcript = said(await ann.call_tool("runs", {"run_id": asked.run_id}))
        rest = server.stop()
    written = [file.read_bytes() for file in below(tmp_path) if file.name != "members.toml"]
    for token in (ANN, BOB):
        assert token not in asked.text + refused.text + transcript.text + server.said + rest
        assert not [content for content in written if token.encode() in content]


async def test_a_member_by_digest_comes_in_with_the_token(tmp_path: Path) -> None:
    digest = hashlib.sha256(ANN.encode()).hexdigest()
    with HostedTeam(tmp_path, f'[members.ann]\ntoken_sha256 = "{digest}"\n') as server:
        assert "for 1 member;" in server.said
        async with visitor(server, ANN) as ann:
            assert (await ann.list_tools()).tools


async def test_without_tokens_this_machine_is_served_in_the_state_folder_of_the_project(tmp_path: Path) -> None:
    with HostedTeam(tmp_path, "") as server:
        async with visitor(server) as client:
            assert said(await client.call_tool("debate", DEBATE)).status == "finished"
        assert server.bench.last_debate()["topic"] == DEBATE["topic"]
        assert server.stop() == "Ended."


def test_two_servers_do_not_serve_one_team(tmp_path: Path) -> None:
    with HostedTeam(tmp_path), pytest.raises(UsageError) as refused, HostedTeam(tmp_path):
        pass
    assert str(refused.value) == f"Another server serves this team; it keeps the runs in {tmp_path / 'kept' / 'team'}."
