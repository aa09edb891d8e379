"""What a request has to get past before the protocol sees it, sent as bytes or by a plain HTTP client."""

import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import anyio
import httpx
import pytest

from support import impatient_server
from support.team import ACCEPT, ANN, HELLO, TeamServer, bearer, visitor, write_members
from support.workbench import PATIENCE_S, Workbench

pytestmark = pytest.mark.process


@pytest.fixture
def open_server(tmp_path: Path) -> Iterator[TeamServer]:
    """A server of this machine, for whoever comes, with bounds that are easily reached."""
    program = (sys.executable, str(Path(impatient_server.__file__)))
    with TeamServer(Workbench.below(tmp_path), (), program) as server:
        yield server
        assert server.stop() == "Ended.\n"  # and not a line about anybody who came


@pytest.fixture
def team_server(tmp_path: Path) -> Iterator[TeamServer]:
    """A server of a team."""
    bench = Workbench.below(tmp_path)
    with TeamServer(bench, ("--tokens", str(write_members(bench)))) as server:
        yield server
        assert server.stop() == "Ended.\n"


def spoken(server: TeamServer, *parts: bytes) -> bytes:
    """All that the server says to these bytes until it closes the connection."""
    where = urlsplit(server.url)
    assert where.hostname
    with socket.create_connection((where.hostname, where.port or 0), timeout=PATIENCE_S) as connection:
        for part in parts:
            connection.sendall(part)
        said = b""
        while more := connection.recv(65_536):
            said += more
    return said


def test_health_is_told_to_everybody_and_says_nothing_else(team_server: TeamServer) -> None:
    answer = httpx.get(f"{team_server.url}/healthz")
    assert (answer.status_code, answer.text) == (200, "ok\n")
    assert set(answer.headers) == {"date", "content-length", "content-type"}


def test_there_is_nothing_elsewhere(team_server: TeamServer) -> None:
    answers = [httpx.get(f"{team_server.url}{path}", headers=bearer(ANN)) for path in ("/", "/mcp/", "/docs", "/team")]
    assert {answer.status_code for answer in answers} == {404}


def test_a_name_that_leads_here_is_served_only_where_a_token_proves_who_comes(open_server: TeamServer) -> None:
    hosts = ("evil.example", "127.0.0.1.evil.example:80", "localhost:8000@evil.example", "[::1", "")
    statuses = {
        httpx.post(f"{open_server.url}/mcp", json=HELLO, headers=ACCEPT | {"Host": host}).status_code for host in hosts
    }
    assert statuses <= {400, 421}
    names = ("localhost", "LOCALHOST:1", "127.0.0.1:8000", "127.1.2.3", "[::1]:8000")
    for name in names[:2]:
        answer = httpx.post(f"{open_server.url}/mcp", json=HELLO, headers=ACCEPT | {"Host": name})
        assert answer.status_code == 200
    for name in names[2:]:
        answer = httpx.post(f"{open_server.url}/mcp", json={}, headers=ACCEPT | {"Host": name})
        assert answer.status_code not in {403, 421}


def test_a_team_is_served_by_any_name_of_its_own_and_to_no_page_of_another(team_server: TeamServer) -> None:
    def status(**more: str) -> int:
        headers = ACCEPT | bearer(ANN) | more
        return httpx.post(f"{team_server.url}/mcp", json=HELLO, headers=headers).status_code

    assert status(Host="team.example") == 200
    assert status(Host="team.example", Origin="https://team.example") == 200
    assert status(Host="team.example", Origin="https://evil.example") == 403
    assert status(Origin="null") == 403


def test_no_page_is_told_that_it_may_come(open_server: TeamServer) -> None:
    ask = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    answer = httpx.options(f"{open_server.url}/mcp", headers=ask)
    assert answer.status_code == 403
    assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.parametrize("declared", [True, False])
def test_a_body_that_is_too_large_is_refused(open_server: TeamServer, *, declared: bool) -> None:
    body = b"x" * 10_001
    content = body if declared else iter([body[:5_000], body[5_000:]])
    answer = httpx.post(f"{open_server.url}/mcp", content=content, headers=ACCEPT)
    assert (answer.status_code, answer.text) == (413, "A request may have 10,000 bytes.\n")


def test_a_body_that_does_not_come_is_not_waited_for(open_server: TeamServer) -> None:
    head = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n"
    assert spoken(open_server, head, b"{").startswith(b"HTTP/1.1 408 ")


@pytest.mark.parametrize("parts", [(), (b"GET /healthz HTTP/1.1\r\nHost:",)])
def test_a_head_that_does_not_come_is_not_waited_for(open_server: TeamServer, parts: tuple[bytes, ...]) -> None:
    assert spoken(open_server, *parts) == b""


def test_a_second_head_on_a_connection_is_not_waited_for_either(open_server: TeamServer) -> None:
    said = spoken(open_server, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", b"GET /hea")
    assert said.count(b"HTTP/1.1 200 ") == 1
    assert said.endswith(b"ok\n")


def test_what_is_not_http_is_refused_without_a_word_in_the_log(open_server: TeamServer) -> None:
    assert spoken(open_server, b"\x16\x03\x01 hello\r\n\r\n").startswith(b"HTTP/1.1 400 ")


def test_a_sender_who_is_gone_is_forgotten(open_server: TeamServer) -> None:
    where = urlsplit(open_server.url)
    assert where.hostname
    with socket.create_connection((where.hostname, where.port or 0)) as connection:
        connection.sendall(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
    assert httpx.get(f"{open_server.url}/healthz").status_code == 200


async def test_sessions_are_bounded_and_end_when_nobody_uses_them(open_server: TeamServer) -> None:
    async with httpx.AsyncClient(base_url=open_server.url, headers=ACCEPT) as http:
        opened = [await http.post("/mcp", json=HELLO) for _ in range(3)]
        assert [answer.status_code for answer in opened] == [200, 200, 503]
        with anyio.fail_after(PATIENCE_S):
            while (await http.post("/mcp", json=HELLO)).status_code != 200:
                pass
        ended = {"Mcp-Session-Id": opened[0].headers["mcp-session-id"]}
        assert (await http.post("/mcp", json=HELLO, headers=ended)).status_code == 404


@pytest.mark.parametrize("address", ["[::1]:0", "localhost:0", "0.0.0.0:0"])
async def test_it_listens_where_it_says(tmp_path: Path, address: str) -> None:
    bench = Workbench.below(tmp_path)
    arguments = ("--tokens", str(write_members(bench)))
    with TeamServer(bench, arguments, address=address) as server:
        assert server.said.startswith(f"Serving http://{address.removesuffix('0')}")
        server.url = server.url.replace("0.0.0.0", "127.0.0.1")  # noqa: S104 -- where it can be reached
        async with visitor(server, ANN) as ann:
            assert (await ann.list_tools()).tools
        assert server.stop() == "Ended.\n"
