"""The HTTP client: bounds, what it says about what goes wrong, and when its connections are closed."""

import gzip
import shutil
import socket
import traceback
import zlib
from collections.abc import Generator
from contextlib import aclosing
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest

from sparring.errors import ConnectionFailedError, OutputError, SettingsError
from sparring.providers.api.connections import Connections
from sparring.providers.api.http import HttpCall, HttpClient, unpacking
from sparring.testing.model_endpoint import ModelEndpoint, Say, Send
from support.apis import KEY
from support.certificates import self_signed

CHAT = b'{"messages": [{"role": "user", "content": "Well?"}], "model": "m"}'


@pytest.fixture
def endpoint() -> Generator[ModelEndpoint]:
    with ModelEndpoint(Say("Yes."), keeps_alive=True) as listening:
        yield listening


def call(url: str, *, key: str = KEY, content: bytes = CHAT) -> HttpCall:
    return HttpCall(url, {"authorization": f"Bearer {key}"}, content, first_byte_s=60, stall_s=60)


async def read(asking: HttpClient, asked: HttpCall) -> tuple[int, bytes]:
    async with asking.send(asked) as response:
        return response.status, await response.rest()


async def answer(asked: HttpCall, variables: dict[str, str] | None = None) -> tuple[int, bytes]:
    async with aclosing(HttpClient(variables or {})) as asking:
        return await read(asking, asked)


async def fault(asked: HttpCall, variables: dict[str, str] | None = None) -> Exception:
    with pytest.raises((ConnectionFailedError, SettingsError)) as caught:
        await answer(asked, variables)
    return caught.value


async def test_a_failed_connection_is_reported_in_a_sentence(endpoint: ModelEndpoint) -> None:
    place = endpoint.url.removeprefix("http://")
    for url, variables, said in (
        ("http://no-such-host.invalid/v1", {}, "no-such-host.invalid cannot be reached: "),
        (f"https://{place}/v1", {}, f"{place} cannot be reached: "),  # which speaks HTTP only
        ("https://xn--/v1", {}, "xn-- cannot be reached: "),
        (f"http://127.0.0.1/{'a' * 100_000}", {}, "the connection to 127.0.0.1 broke: "),
        ("https://api.example/v1", {"https_proxy": endpoint.url}, "api.example cannot be reached: "),
        ("https://api.example", {"all_proxy": "socks5://me:secret@127.0.0.1:1"},
            "The proxy speaks SOCKS, which needs the package `socksio`."),
        ("https://127.0.0.1:1", {"SSL_CERT_FILE": __file__},
            "SSL_CERT_FILE or SSL_CERT_DIR contains no readable certificates."),
    ):  # fmt: skip
        assert str(await fault(call(url), variables)).startswith(said)


async def test_a_key_is_in_no_error_and_no_traceback(endpoint: ModelEndpoint) -> None:
    found = await fault(call(f"{endpoint.url}/v1/chat/completions", key=f"{KEY}\nx"))
    assert str(found) == f"the request to {endpoint.url.removeprefix('http://')} cannot be sent as it is"
    assert KEY not in "".join(traceback.format_exception(found))


async def test_a_connection_that_was_closed_while_it_waited_is_made_again(endpoint: ModelEndpoint) -> None:
    async with aclosing(HttpClient({})) as asking:
        for _ in range(2):
            endpoint.first = [Send((b"x",), whole=True, headers={"connection": "close"})]
            assert await read(asking, call(f"{endpoint.url}/v1/chat/completions")) == (200, b"x")
    assert endpoint.connections == 2


def test_what_is_unpacked_is_bounded_in_all_and_not_piece_by_piece() -> None:
    unpack = unpacking("gzip", 100)
    with pytest.raises(OutputError):
        b"".join(unpack(bytes([byte])) for byte in gzip.compress(bytes(range(150))))


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
@pytest.mark.parametrize(
    ("encoding", "packed"),
    [
        ("gzip", gzip.compress(b"one ", mtime=0) + gzip.compress(b"two", mtime=0) + bytes(8)),
        ("deflate", zlib.compress(b"one two")),
        ("deflate", zlib.compress(b"one two", wbits=-15)),
    ],
)
def test_several_members_and_bare_deflate_are_unpacked_in_any_pieces(encoding: str, packed: bytes, size: int) -> None:
    unpack = unpacking(encoding, 100)
    pieces = [packed[start : start + size] for start in range(0, len(packed), size)]
    assert b"".join(map(unpack, (*pieces, b""))) == b"one two"


async def test_servers_that_take_no_request_do_not_hold_up_those_that_do(endpoint: ModelEndpoint) -> None:
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        unread = call(f"http://127.0.0.1:{deaf.getsockname()[1]}/v1", content=bytes(8 * 2**20))
        async with aclosing(HttpClient({})) as asking, anyio.create_task_group() as tasks:
            for _ in range(8):
                tasks.start_soon(read, asking, unread)
            await anyio.lowlevel.checkpoint()
            assert (await read(asking, call(f"{endpoint.url}/v1/chat/completions")))[0] == 200
            tasks.cancel_scope.cancel()


async def test_a_request_goes_through_the_proxy_of_the_environment(endpoint: ModelEndpoint) -> None:
    status, _ = await answer(call("http://api.example/v1/chat/completions"), {"http_proxy": endpoint.url})
    assert (status, endpoint.request.headers["Host"]) == (200, "api.example")


@pytest.mark.process
@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate")
async def test_certificates_of_the_environment_are_trusted_and_others_are_not(tmp_path: Path) -> None:
    certificate, serving = self_signed(tmp_path, "127.0.0.1", "IP:127.0.0.1")
    with ModelEndpoint(Say("Yes."), tls=serving) as endpoint:
        asked = call(f"{endpoint.url}/v1/chat/completions")
        said = str(await fault(asked))
        status, _ = await answer(asked, {"SSL_CERT_FILE": str(certificate)})
    place = endpoint.url.removeprefix("https://")
    assert (said, status) == (f"{place} cannot be reached: self-signed certificate", 200)


async def test_connections_are_closed_by_their_last_user(endpoint: ModelEndpoint) -> None:
    connections, asked = Connections({}), call(f"{endpoint.url}/v1/chat/completions")
    async with connections.acquired():
        async with connections.acquired():
            await read(connections.client, asked)
        await read(connections.client, asked)
        client_then = connections.client
    async with connections.acquired():
        assert connections.client is not client_then
        await read(connections.client, asked)
    assert endpoint.connections == 2
