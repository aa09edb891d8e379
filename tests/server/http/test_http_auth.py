"""What a request has to get past before the protocol sees it, sent as bytes or by a plain HTTP client."""

import json
from collections.abc import Iterator
from pathlib import Path

import anyio
import httpx
import pytest

from sparring.server.http import BOUNDS, HttpLimits
from sparring.server.http_auth import AnonymousConnections, is_loopback
from support.http_server import ACCEPT, HELLO, PLAIN, TOKEN, HostedServer, bearer, connected, spoken, visitor
from support.workbench import PATIENCE_S


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[HostedServer]:
    """A server for every holder of the token."""
    with HostedServer(tmp_path) as server:
        yield server


def opened(tmp_path: Path, bounds: HttpLimits = BOUNDS) -> HostedServer:
    """A server of this machine, for whoever comes."""
    return HostedServer(tmp_path, "", bounds=bounds)


def test_health_is_public_and_other_paths_do_not_exist(guarded: HostedServer) -> None:
    answer = httpx.get(f"{guarded.url}/healthz", verify=PLAIN)
    assert (answer.status_code, answer.text) == (200, "ok\n")
    assert set(answer.headers) == {"date", "content-length", "content-type"}
    for path in ("/", "/mcp/", "/docs", "/runs"):
        assert httpx.get(f"{guarded.url}{path}", verify=PLAIN, headers=bearer()).status_code == 404


def test_foreign_host_names_are_served_only_with_a_token(tmp_path: Path) -> None:
    with opened(tmp_path) as server:

        def status(**headers: str) -> int:
            return httpx.post(f"{server.url}/mcp", verify=PLAIN, json=HELLO, headers=ACCEPT | headers).status_code

        hosts = ("evil.example", "127.0.0.1.evil.example:80", "localhost:8000@evil.example", "evil@localhost", "[::1")
        assert {status(Host=host) for host in (*hosts, "")} <= {400, 421}
        names = ("localhost", "LOCALHOST:1", "127.0.0.1:8000", "127.1.2.3", "[::1]:8000")
        assert {status(Host=name) for name in names} == {200}
        # No page is told that it may come.
        ask = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
        answer = httpx.options(f"{server.url}/mcp", headers=ask)
        assert answer.status_code == 403
        assert not [name for name in answer.headers if name.startswith("access-control")]


def test_with_a_token_any_name_is_served_and_no_page_of_another(guarded: HostedServer) -> None:
    def status(**more: str) -> int:
        headers = ACCEPT | bearer() | more
        return httpx.post(f"{guarded.url}/mcp", verify=PLAIN, json=HELLO, headers=headers).status_code

    assert status(Host="sparring.example") == 200
    assert status(Host="sparring.example", Origin="https://sparring.example") == 200
    assert status(Host="sparring.example", Origin="https://evil.example") == 403
    assert status(Origin="null") == 403


def test_only_the_head_of_a_request_without_the_token_is_read(guarded: HostedServer) -> None:
    head = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n{"
    answer = spoken(guarded, head)  # it is the server that ends it
    assert answer.startswith(b"HTTP/1.1 401 ")
    assert b"connection: close" in answer.lower()


def test_anonymous_connections_of_one_address_are_limited_in_number_and_time(tmp_path: Path) -> None:
    few = HttpLimits(anonymous=2, anonymous_s=0.5, exempt=lambda host: not host)
    with (
        HostedServer(tmp_path, bounds=few) as server,
        httpx.Client(verify=PLAIN, base_url=server.url, headers=ACCEPT) as known,
    ):
        assert known.post("/mcp", json=HELLO, headers=bearer(TOKEN)).status_code == 200
        with connected(server) as first, connected(server) as second, connected(server) as third:
            assert third.recv(4096).startswith(b"HTTP/1.1 429 ")
            assert known.post("/mcp", json=HELLO, headers=bearer(TOKEN)).status_code == 200  # on its connection
            assert [first.recv(1), second.recv(1)] == [b"", b""]  # waits until they are ended
        assert known.post("/mcp", json=HELLO, headers=bearer(TOKEN)).status_code == 200
        assert httpx.get(f"{server.url}/healthz", verify=PLAIN).status_code == 200


def test_connections_by_a_local_proxy_are_not_counted() -> None:
    anonymous = AnonymousConnections(1, is_loopback)
    add = [anonymous.add((host, port)) for host in ("127.0.0.1", "8.8.8.8") for port in (1, 2)]
    assert add == [True, True, True, False]
    anonymous.remove(("8.8.8.8", 1))
    assert anonymous.add(("8.8.8.8", 2))


def test_a_body_may_have_so_many_bytes_and_no_more(tmp_path: Path) -> None:
    with opened(tmp_path, HttpLimits(body_bytes=1_000)) as server:
        for size, statuses in ((1_000, {400}), (1_001, {413})):
            body = b"x" * size
            pieces = iter([body[:600], body[600:]])
            answers = [
                httpx.post(f"{server.url}/mcp", verify=PLAIN, content=sent, headers=ACCEPT) for sent in (body, pieces)
            ]
            assert {answer.status_code for answer in answers} == statuses
    assert {answer.text for answer in answers} == {"Request body too large"}


def test_non_http_input_is_refused_and_a_disconnected_sender_is_dropped(tmp_path: Path) -> None:
    opening = json.dumps(HELLO).encode()
    head = f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: {ACCEPT['Accept']}\r\nContent-Type: application/json\r\n"
    with opened(tmp_path, HttpLimits(sessions=1)) as server:
        assert spoken(server, b"\x16\x03\x01 hello\r\n\r\n").startswith(b"HTTP/1.1 400 ")
        with connected(server) as connection:
            connection.sendall(head.encode() + b"Content-Length: %d\r\n\r\n" % (len(opening) + 1) + opening)
        assert httpx.get(f"{server.url}/healthz", verify=PLAIN).status_code == 200
        # The only session that there may be is free: it was not opened for whoever is gone.
        assert httpx.post(f"{server.url}/mcp", verify=PLAIN, json=HELLO, headers=ACCEPT).status_code == 200


async def test_sessions_are_bounded_and_an_idle_one_ends_to_make_room(tmp_path: Path) -> None:
    with opened(tmp_path, HttpLimits(sessions=1, idle_s=0.5)) as server:
        async with httpx.AsyncClient(verify=PLAIN, base_url=server.url, headers=ACCEPT) as http:
            first = {"Mcp-Session-Id": (await http.post("/mcp", json=HELLO)).headers["mcp-session-id"]}
            with anyio.fail_after(PATIENCE_S):
                while (status := (await http.post("/mcp", json=HELLO)).status_code) != 200:
                    assert status == 503
            assert (await http.post("/mcp", json=HELLO, headers=first)).status_code == 404


@pytest.mark.parametrize("address", ["[::1]:0", "0.0.0.0:0"])
async def test_the_server_listens_at_the_address_that_it_prints(tmp_path: Path, address: str) -> None:
    with HostedServer(tmp_path, address=address) as server:
        assert server.said.startswith(f"Serving http://{address.removesuffix('0')}")
        server.url = server.url.replace("0.0.0.0", "127.0.0.1")  # noqa: S104 -- where it can be reached
        async with visitor(server) as client:
            assert (await client.list_tools()).tools
        assert server.stop() == "Ended."
