"""One HTTP request, whose response is read piece by piece and with bounds.

The only module that uses the HTTP client; it translates all errors of the client. It uses the connections of httpcore,
on which httpx is built: the pool and the client above them take longer than the rest of a request. Nothing of a request
but its host gets into an error, because its headers contain a key. Redirects are never followed: a key goes to its own
address, or nowhere. A proxy is one that the environment names; this machine itself is never reached by one.
Decompression stops at the limit of a response: a few kilobytes can unpack to gigabytes.
"""

import os
import re
import select
import socket
import ssl
import zlib
from collections import defaultdict
from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable, Generator, Iterator, Mapping
from contextlib import aclosing, asynccontextmanager, contextmanager, suppress
from functools import lru_cache, partial
from ipaddress import ip_address, ip_network
from typing import Any, TypeVar, cast
from urllib.parse import urlsplit

import anyio
import httpcore
import httpx
from msgspec import Struct

from sparring import errors
from sparring.providers.api.endpoints import is_loopback

_SCHEMES = frozenset({"http", "https", "socks5", "socks5h"})


def proxy_for(url: str, environment: Mapping[str, str]) -> str | None:
    """Return the URL of the proxy for ``url``, None when there is none. It may contain a password.

    Raises:
        SettingsError: The proxy in the environment is of an unknown kind.
    """
    target = urlsplit(url)
    variable = next((name for name in _variables(target.scheme, environment) if environment[name].strip()), None)
    if variable is None or is_loopback(target.hostname or ""):
        return None
    if _is_exempt(target.hostname or "", environment.get("no_proxy") or environment.get("NO_PROXY") or ""):
        return None
    text = environment[variable].strip()
    proxy = text if "://" in text else f"http://{text}"
    if not _is_proxy(proxy):
        raise errors.SettingsError(f"{variable} is not the address of a proxy.")
    return proxy


def _is_proxy(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in _SCHEMES and bool(parts.hostname and httpx.URL(url).host) and parts.port != 0
    except (ValueError, httpx.InvalidURL):  # no port is above 65535
        return False


def _variables(scheme: str, environment: Mapping[str, str]) -> Iterator[str]:
    """The variables of ``environment`` that may name a proxy; one in small letters stands for that in capitals."""
    for name in (f"{scheme}_proxy", "all_proxy"):
        yield from [spelled for spelled in (name, name.upper()) if spelled in environment][:1]


def _is_exempt(host: str, exempt: str) -> bool:
    host = host.lower().rstrip(".")
    return any(_is_covered(host, name.strip().lower()) for name in exempt.split(","))


def _is_covered(host: str, name: str) -> bool:
    """Return whether ``name`` of ``no_proxy`` covers ``host``: a name and those below it, an address, a network."""
    if not name or name == "*":
        return name == "*"
    with suppress(ValueError):
        return ip_address(host) in ip_network(name.strip("[]"), strict=False)
    name = re.sub(r":\d+$", "", name).removeprefix("*").strip(".")
    return bool(name) and (host == name or host.endswith(f".{name}"))


_PLAIN = frozenset({"", "identity"})
_PACKED = frozenset({"deflate", "gzip", "x-gzip"})
_HEADER = 2
"""Bytes of zlib by which a header shows itself."""

_EITHER_FORMAT = 32 + zlib.MAX_WBITS  # the first bytes identify the format


def unpacking(encoding: str, limit: int) -> Callable[[bytes], bytes]:
    """Return a function that decompresses one piece after the other, with an empty one for the end.

    We request no compression; a gateway may use it nevertheless.

    Raises:
        OutputError: At once for an unknown compression; from the function, when the pieces are not of that kind
            or unpack to more than ``limit`` bytes.
        ConnectionFailedError: From the function, when the data end early.
    """
    packing = encoding.strip().lower()
    if packing in _PLAIN:
        return bytes  # as it is
    if packing not in _PACKED:
        raise errors.OutputError("the answer's compression was not requested")
    return _Inflating(limit, may_be_bare=packing == "deflate")


class _Inflating:
    """Unpacks gzip, of one member or several (RFC 1952), and deflate, with and without the header of zlib."""

    def __init__(self, limit: int, *, may_be_bare: bool) -> None:
        self._limit = limit
        self._room = limit
        self._may_be_bare = may_be_bare
        self._begun = b""
        self._inflating = zlib.decompressobj(_EITHER_FORMAT)

    def __call__(self, piece: bytes) -> bytes:
        if not piece and not self._inflating.eof:
            raise errors.ConnectionFailedError("the compressed answer is incomplete")
        pieces: list[bytes] = []
        while piece:
            if self._inflating.eof:
                piece = piece.lstrip(b"\0")  # padding
                if not piece:
                    break
                self._begun, self._inflating = b"", zlib.decompressobj(_EITHER_FORMAT)
            pieces.append(self._inflated(piece))
            self._room -= len(pieces[-1])
            if self._room < 0:
                raise errors.OutputError(f"more than {self._limit // 2**20} MiB came")
            piece = self._inflating.unused_data if self._inflating.eof else b""
        return b"".join(pieces)

    def _inflated(self, piece: bytes) -> bytes:
        before, self._begun = self._begun, (self._begun + piece)[:_HEADER]
        try:
            return self._inflating.decompress(piece, self._room + 1)
        except zlib.error as error:
            if not self._may_be_bare or len(before) == _HEADER:
                raise errors.OutputError("the answer's compression does not match its header") from error
        self._may_be_bare, self._inflating = False, zlib.decompressobj(-zlib.MAX_WBITS)
        return self._inflated(before + piece)


_WIDTH = 4
"""Measured for 64 requests with answers of 0.2 s: fewer leave gaps, and many more are all of them again."""

_PATIENCE_S = 0.1
"""Longest wait for earlier requests, which may be held up by a network that does not answer."""


class _Limiter:
    """Semaphore for a few requests at a time, which lets others through after a moment.

    Dozens of requests that one thread prepares are all ready only when the last one is. Without a limit they are sent
    together, and their answers arrive together: first there is nothing to do, and then everything at
    once. With it, a few are sent earlier, and are answered while the others are prepared.
    """

    def __init__(self) -> None:
        self._turns = anyio.Semaphore(_WIDTH, fast_acquire=True)

    @asynccontextmanager
    async def passing(self) -> AsyncGenerator[Callable[[], None]]:
        """Wait for a turn. It ends with the block, or earlier when the yielded function is called."""
        has_turn = await self._has_come()

        def end() -> None:
            nonlocal has_turn
            if has_turn:
                has_turn = False
                self._turns.release()

        try:
            yield end
        finally:
            end()

    async def _has_come(self) -> bool:
        """Wait for a turn for a moment; whether it has come."""
        try:
            self._turns.acquire_nowait()  # without a limit of time, which would cost more
        except anyio.WouldBlock:
            with anyio.move_on_after(_PATIENCE_S) as waiting:
                await self._turns.acquire()
            return not waiting.cancelled_caught
        return True


RESPONSE_LIMIT = 8 * 1024 * 1024
"""Most bytes of a response that are read, packed or unpacked."""

_CONNECT_S = 15.0
_REST_S = 0.5  # for the end of a response of which everything that matters is there
_CLOSE_S = 1.0
_KEPT_S = 60.0
"""Seconds after which an unused connection is not used again."""

T = TypeVar("T")


class HttpCall(Struct, frozen=True):
    """A request: POST with ``content``, GET without any.

    Attributes:
        first_byte_s: Seconds until the response must have begun, including the time to send the request.
        stall_s: Seconds without a byte after which a response counts as dead.
        limit: Most bytes of a response that are read, packed or unpacked.
        address: The IP address to connect to, without a proxy. None looks up the host of ``url``. In both
            cases the request names that host, and the server needs a certificate for it.
    """

    url: str
    headers: Mapping[str, str]
    content: bytes
    first_byte_s: float
    stall_s: float
    limit: int = RESPONSE_LIMIT
    address: str | None = None

    def __repr__(self) -> str:
        # Headers hold keys, and the content what a user wrote.
        return f"HttpCall({self.url!r})"

    @property
    def scheme(self) -> str:
        """``http`` or ``https``."""
        return urlsplit(self.url).scheme

    @property
    def place(self) -> str:
        """Host and port of the request, for people."""
        return urlsplit(self.url).netloc


class Response:
    """A response whose head has arrived.

    Attributes:
        headers: Its headers; a name is found in any case.
        pieces: The decompressed body, as it arrives. Reading it raises ``ConsultTimeoutError`` when nothing came for
            ``stall_s``, ``ConnectionFailedError`` when it broke off, ``OutputError`` when it is larger than
            ``HttpCall.limit`` or cannot be decompressed.
    """

    def __init__(self, response: httpcore.Response, call: HttpCall) -> None:
        self._response = response
        self._call = call
        self.headers: Mapping[str, str] = httpx.Headers(response.headers)
        self.pieces = self._read()

    @property
    def status(self) -> int:
        """Its HTTP status."""
        return self._response.status

    async def rest(self) -> bytes:
        """Return the rest of the body; raises like reading ``pieces``."""
        return b"".join([piece async for piece in self.pieces])

    async def finish(self) -> None:
        """Read the small rest, so that the connection can be used again. Errors are ignored."""
        with anyio.move_on_after(_REST_S):
            with suppress(errors.ConsultError):
                await self.rest()

    async def _read(self) -> AsyncGenerator[bytes]:
        unpack = unpacking(self.headers.get("content-encoding", ""), self._call.limit)
        received = 0
        with _translated(self._call):
            stream = cast("AsyncIterable[bytes]", self._response.stream)
            async with aclosing(cast("AsyncGenerator[bytes]", aiter(stream))) as raw:
                async for piece in raw:
                    received += len(piece)
                    if received > self._call.limit:
                        raise errors.OutputError(f"more than {self._call.limit // 2**20} MiB came")
                    yield unpack(piece)
        unpack(b"")


_SENT_TOGETHER = 65_536


class _Stream(httpcore.AsyncNetworkStream):
    """Stream of bytes that sends the head and the body of a request together: each sending costs a system call."""

    def __init__(self, inner: httpcore.AsyncNetworkStream) -> None:
        self._inner = inner
        self._unsent = bytearray()
        self._polling = _polling(inner.get_extra_info("socket"))

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109 -- httpcore's interface
        """Send ``buffer`` before the next reading, or now if there is much to send."""
        self._unsent += buffer
        if len(self._unsent) > _SENT_TOGETHER:
            await self._send(timeout)

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109 -- httpcore's interface
        """Return the bytes that have come, at least one; none at the end."""
        if self._unsent:
            with suppress(httpcore.WriteError):  # a server may refuse a request before it has read all of it
                await self._send(timeout)
        return await self._inner.read(max_bytes, timeout)

    async def _send(self, limit_s: float | None) -> None:
        sent, self._unsent = bytes(self._unsent), bytearray()
        await self._inner.write(sent, limit_s)

    async def aclose(self) -> None:
        """Close the stream; what was not sent is dropped."""
        await self._inner.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 -- httpcore's interface
    ) -> httpcore.AsyncNetworkStream:
        """Return the encrypted stream."""
        await self._send(timeout)
        return _Stream(await self._inner.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> object:
        """Return a fact about the stream, see httpcore."""
        if info == "is_readable" and self._polling is not None:  # httpcore asks before each request
            return bool(self._polling.poll(0))
        return self._inner.get_extra_info(info)


class _Backend(httpcore.AsyncNetworkBackend):
    def __init__(self) -> None:
        self._inner = cast("httpcore.AsyncNetworkBackend", httpcore.AnyIOBackend())

    async def connect_tcp(self, *args: Any, **options: Any) -> httpcore.AsyncNetworkStream:
        """Return a connection to an address, see httpcore."""
        return _Stream(await self._inner.connect_tcp(*args, **options))


def _polling(connected: socket.socket | None) -> "select.poll | None":
    """Return a check for bytes or an end that nobody has read; None where the system has none."""
    if connected is None or not hasattr(select, "poll"):
        return None
    polling = select.poll()
    polling.register(connected, select.POLLIN)
    return polling


_Place = tuple[str, str, str | None, str | None]
"""Scheme, host with port, proxy, and address of a connection."""


class HttpClient:
    """Client that keeps connections for later requests. Close it in the event loop in which it was used."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._proxy_for = lru_cache(maxsize=64)(partial(proxy_for, environment=environment))
        self._idle = defaultdict[_Place, list[httpcore.AsyncConnectionInterface]](list)
        self._pools = dict[tuple[str, str | None], httpcore.AsyncConnectionPool]()
        self._limiter = _Limiter()

    @asynccontextmanager
    async def send(self, call: HttpCall) -> AsyncGenerator[Response]:
        """Put ``call``. When the block ends the connection is kept, or closed if anything is left on it.

        Raises:
            ConnectionFailedError: There is no connection, or it broke before the response began.
            ConsultTimeoutError: The response did not begin in time.
            SettingsError: The proxy or the certificates that the environment names cannot be used.
        """
        place = self._place(call)
        timeouts: dict[str, float | None] = {"connect": _CONNECT_S, "read": None, "write": None, "pool": None}
        connection: httpcore.AsyncConnectionInterface | None = None
        try:
            async with self._limiter.passing() as sent:
                with _translated(call):
                    request = _request(call, timeouts, sent)
                    connection = await self._kept(place) or self._new(request.url.origin, place)
                    asking = connection.handle_async_request(request)
                    response = await _within(call.first_byte_s, asking, "no answer began within")
            # Looked up whenever bytes are waited for, which costs less than a limit of our own for every piece.
            timeouts["read"] = call.stall_s
            answered = Response(response, call)
            try:
                yield answered
            finally:
                with anyio.move_on_after(_CLOSE_S, shield=True):
                    await answered.pieces.aclose()
                    await response.aclose()
        finally:
            if connection is not None:
                await self._keep(place, connection)

    async def aclose(self) -> None:
        """Close all connections, also when the caller is cancelled."""
        connections = [connection for idle in self._idle.values() for connection in idle]
        self._idle.clear()
        await _close(*connections)

    def _place(self, call: HttpCall) -> _Place:
        proxy = None if call.address else self._proxy_for(call.url)
        return call.scheme, call.place, proxy, call.address

    async def _kept(self, place: _Place) -> httpcore.AsyncConnectionInterface | None:
        """Return a connection of an earlier request that the server has not closed."""
        idle = self._idle[place]
        while idle:
            connection = idle.pop()
            if not connection.has_expired():
                return connection
            await _close(connection)
        return None

    async def _keep(self, place: _Place, connection: httpcore.AsyncConnectionInterface) -> None:
        if connection.is_available():
            self._idle[place].append(connection)
        else:
            await _close(connection)

    def _new(self, origin: httpcore.Origin, place: _Place) -> httpcore.AsyncConnectionInterface:
        """Return a connection that is opened by its first request.

        A pool only makes connections: one that also kept them would scan all of them for each request.
        """
        scheme, _, proxy, _ = place
        if (pool := self._pools.get((scheme, proxy))) is None:
            pool = httpcore.AsyncConnectionPool(
                ssl_context=_trusted(scheme, self._environment),
                proxy=_proxy_at(proxy),
                keepalive_expiry=_KEPT_S,
                network_backend=_Backend(),
            )
            self._pools[scheme, proxy] = pool
        try:
            return pool.create_connection(origin)
        except ImportError as error:
            raise errors.SettingsError("The proxy speaks SOCKS, which needs the package `socksio`.") from error


async def _close(*connections: httpcore.AsyncConnectionInterface) -> None:
    """Close them within ``_CLOSE_S`` seconds in all, also when the caller is cancelled."""
    with anyio.move_on_after(_CLOSE_S, shield=True):
        for connection in connections:
            await connection.aclose()


def _proxy_at(url: str | None) -> httpcore.Proxy | None:
    if url is None:
        return None
    proxy = httpx.Proxy(url)
    return httpcore.Proxy(_core_url(proxy.url), auth=proxy.raw_auth)


def _core_url(url: httpx.URL) -> httpcore.URL:
    return httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)


@lru_cache(maxsize=64)
def _parsed(url: str, address: str | None) -> tuple[httpcore.URL, httpx.URL]:
    """Return the URL to connect to, and the one that is asked: a model is asked at the same one again and again."""
    asked = httpx.URL(url)
    return _core_url(asked.copy_with(host=address) if address else asked), asked


def _request(call: HttpCall, timeouts: Mapping[str, float | None], sent: Callable[[], None]) -> httpcore.Request:
    """The request for ``call``; ``sent`` is called as soon as all of it is on its way."""

    async def content() -> AsyncGenerator[bytes]:
        yield call.content
        sent()

    url, asked = _parsed(call.url, call.address)
    headers = [
        (b"Host", asked.netloc),
        *((name.encode("ascii"), text.encode("ascii")) for name, text in call.headers.items()),
    ]
    extensions = dict[str, object](timeout=timeouts)
    if call.address:
        extensions["sni_hostname"] = asked.raw_host.decode("ascii")
    if not call.content:
        return httpcore.Request(b"GET", url, headers=headers, extensions=extensions)
    headers.append((b"Content-Length", b"%d" % len(call.content)))
    return httpcore.Request(b"POST", url, headers=headers, content=content(), extensions=extensions)


def _trusted(scheme: str, environment: Mapping[str, str]) -> ssl.SSLContext:
    file, folder = environment.get("SSL_CERT_FILE"), environment.get("SSL_CERT_DIR")
    if scheme == "http":
        # Nothing is encrypted there, and reading the certificates takes longer than a request.
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if not file and not folder:
        return httpx.create_ssl_context(trust_env=False)
    try:
        with errors.raising_exhausted():
            return ssl.create_default_context(cafile=file or None, capath=folder or None)
    except OSError as error:  # SSLError is a subclass
        raise errors.SettingsError("SSL_CERT_FILE or SSL_CERT_DIR contains no readable certificates.") from error


async def _within(seconds: float, awaited: Awaitable[T], what: str) -> T:
    with anyio.move_on_after(seconds):
        return await awaited
    raise errors.ConsultTimeoutError(f"{what} {seconds:g} s")


_BROKEN = (
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpcore.TimeoutException,
    httpcore.UnsupportedProtocol,
    httpx.InvalidURL,
    OSError,
    UnicodeError,  # of a host such as ``xn--``
)


@contextmanager
def _translated(call: HttpCall) -> Generator[None]:
    try:
        with errors.raising_exhausted():
            yield
    except httpcore.LocalProtocolError:
        # Not chained: its text repeats the header that it is about.
        raise errors.ConnectionFailedError(f"the request to {call.place} cannot be sent as it is") from None
    except httpcore.ReadTimeout as error:
        raise errors.ConsultTimeoutError(f"nothing more came for {call.stall_s:g} s") from error
    except (httpcore.ConnectError, httpcore.ConnectTimeout, httpcore.ProxyError) as error:
        bottom = _bottom(error)
        message = f"{call.place} cannot be reached: {_text(bottom)}"
        is_refused = isinstance(bottom, ConnectionRefusedError)
        raise errors.ConnectionFailedError(message, is_refused=is_refused) from error
    except _BROKEN as error:
        raise errors.ConnectionFailedError(f"the connection to {call.place} broke: {_cause(error)}") from error


def _cause(error: BaseException) -> str:
    """Return the text of the innermost cause of ``error``."""
    return _text(_bottom(error))


def _bottom(error: BaseException) -> BaseException:
    """Return the innermost error of the operating system or of the encryption."""
    while not isinstance(error, ssl.SSLCertVerificationError):
        under = _first(error) or error.__cause__ or error.__context__
        if under is None:
            break
        error = under
    return error


def _text(error: BaseException) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return error.verify_message
    if isinstance(error, OSError) and (error.errno or 0) > 0:
        return os.strerror(error.errno or 0)
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def _first(error: BaseException) -> BaseException | None:
    if not isinstance(error, BaseExceptionGroup):
        return None
    return cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
