"""Who has the token comes in, and it is known to nobody else."""

from pathlib import Path

import httpx

from support.http_server import ACCEPT, HELLO, PLAIN, TOKEN, HostedServer, bearer, visitor
from support.mcp_project import said

QUESTION = {"question": "Should it retry?", "tool": "ann"}


async def test_a_missing_and_a_wrong_token_are_refused_alike(tmp_path: Path) -> None:
    schemes = ("Bearer", f"Bearer {TOKEN[:-1]}", f"Bearer {TOKEN}x", f"Basic {TOKEN}", TOKEN, f"Bearer {TOKEN} {TOKEN}")
    wrong = [{}, {"X-Token": TOKEN}, {"Authorization": "Bearer \xe4\xf6"}]
    wrong += [{"Authorization": value} for value in schemes]
    elsewhere = (("GET", "/mcp"), ("DELETE", "/mcp"), ("GET", "/anything"))
    with HostedServer(tmp_path) as server:
        async with httpx.AsyncClient(verify=PLAIN, base_url=server.url) as http:
            answers = [await http.post("/mcp", headers=httpx.Headers(each, encoding="latin-1")) for each in wrong]
            answers += [await http.request(*where, headers=bearer(f"{TOKEN}x")) for where in elsewhere]
            answers.append(await http.post("/mcp", params={"token": TOKEN}, json=HELLO))
            right = await http.post("/mcp", json=HELLO, headers={"authorization": f"bearer {TOKEN}"} | ACCEPT)
    shapes = {(each.status_code, each.headers["www-authenticate"], each.content) for each in answers}
    assert shapes == {(401, "Bearer", b"A token is needed.\n")}
    assert right.status_code == 200


def holding(folder: Path, text: str) -> list[Path]:
    """The files below ``folder`` that hold ``text``."""
    return [file for file in folder.rglob("*") if file.is_file() and text.encode() in file.read_bytes()]


async def test_the_token_is_redacted_from_everything_sent_stored_and_shown(tmp_path: Path) -> None:
    with HostedServer(tmp_path) as server:
        async with visitor(server) as client:
            asked = said(await client.call_tool("consult", QUESTION | {"question": f"Is {TOKEN} a good token?"}))
            refused = said(await client.call_tool("consult", QUESTION | {"tool": TOKEN}))
            transcript = said(await client.call_tool("runs", {"run_id": asked.run_id}))
        rest = server.stop()
    assert TOKEN not in asked.text + refused.text + transcript.text + server.said + rest
    assert holding(tmp_path, TOKEN) == []
    assert len(holding(tmp_path, "a good token?")) > 0
