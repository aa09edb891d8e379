"""A model endpoint on loopback: speaks the model APIs and their batches, remembers every request, misbehaves."""

import json
import select
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

from msgspec import Struct, field

from sparring.testing.batches import BatchDesk, Played
from sparring.testing.dialects import AS_SENT, DIALECTS, READ_TOKENS, REPORTED_COST, Dialect, Json


class Request(Struct, frozen=True):
    """A request to a model, as it arrived."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Json
    dialect: Dialect

    @property
    def prompt(self) -> str:
        """Prompt of the user."""
        return self.dialect.prompt(self.body)

    @property
    def model(self) -> str:
        """Model that is asked."""
        return self.dialect.model(self.path, self.body)

    @property
    def tools(self) -> list[str]:
        """Names of the tools that the model may call."""
        return self.dialect.tools(self.body)

    @property
    def results(self) -> list[str]:
        """Results of the tools that the model called, in order."""
        return self.dialect.results(self.body)

    def __contains__(self, text: str) -> bool:
        """Return whether ``text`` occurs in the text for the model."""
        return json.dumps(text, ensure_ascii=False)[1:-1] in json.dumps(self.body, ensure_ascii=False)


class Say(Struct, frozen=True):
    """Answer; a function gets the prompt. ``pieces`` cuts the stream short, which then ends or, stalled, stays open.

    ``prompt_tokens`` is reported as read, with any prompt; by default the endpoint's figure for every request.
    ``model`` is reported as the one that answers; by default the requested one. ``cost`` is reported as the price
    in dollars, as OpenRouter reports it, where the API is chat completions; by default none is.
    """

    text: str | Callable[[str], str]
    pieces: int | None = None
    stalled: bool = False
    prompt_tokens: object = AS_SENT
    model: str = ""
    cost: float | None = None


class Call(Struct, frozen=True):
    """Call a tool; for OpenAI's API ``NAMESPACE/NAME``, or ``/NAME``, if its argument is JSON and not text."""

    tool: str
    argument: str


class Refuse(Struct, frozen=True):
    """Answer with an error status."""

    status: int
    kind: str
    message: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


class Hang(Struct, frozen=True):
    """Accept the request and never answer, until the endpoint is closed."""


class Reset(Struct, frozen=True):
    """Drop the connection with a TCP reset."""


class Send(Struct, frozen=True):
    """Answer with exactly these bytes, with their length if it is ``whole``; ``stalled`` then leaves it open."""

    pieces: tuple[bytes, ...] = ()
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    whole: bool = False
    stalled: bool = False


class Page(Struct, frozen=True):
    """An answer to a request that is no question."""

    status: int
    content: bytes


Behaviour = Say | Call | Refuse | Hang | Reset | Send
Behave = Callable[[Request], Behaviour]


class _Server(ThreadingHTTPServer):
    daemon_threads = False  # closing waits for the handlers, so that none outlives its test

    request_queue_size = 128

    def __init__(self, behave: Behave, *, keeps_alive: bool, tls: ssl.SSLContext | None) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.is_encrypted = tls is not None
        if tls is not None:
            self.socket = tls.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)
        self.behave = behave
        self.batches = BatchDesk(self._played)
        self.keeps_alive = keeps_alive
        self.prompt_tokens: object = AS_SENT
        self.pages: dict[str, Page] = {}
        self.pages_asked: list[str] = []
        self.closing = threading.Event()
        self.connections = 0
        self.open: set[socket.socket] = set()
        self.left = threading.Event()

    def stop_listening_to(self, connection: socket.socket) -> None:
        """End a connection that could serve a further request, once its present one is answered."""
        with suppress(OSError):  # the client has left
            connection.shutdown(socket.SHUT_RD)

    def _played(self, path: str, body: Json) -> Played:
        """Return the result of a question of a batch that goes to ``path``."""
        dialect = next(dialect for dialect in DIALECTS if dialect.serves(path))
        request = Request("POST", path, {}, body, dialect)
        match self.behave(request):
            case Say(text):
                answer = text if isinstance(text, str) else text(request.prompt)
                return Played("said", dialect.whole(answer, body))
            case Refuse(status, kind, message):
                return Played("refused", dialect.error(kind, message), status)
            case Hang():
                return Played("expired")
            case _:
                return Played("cancelled")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60
    disable_nagle_algorithm = True  # an answer is written in two pieces, on connections that are used again
    server: _Server  # pyright: ignore[reportIncompatibleVariableOverride]  # the base class cannot know our server

    def setup(self) -> None:
        super().setup()
        self.server.connections += 1
        self.server.open.add(self.connection)
        if self.server.closing.is_set():
            self.server.stop_listening_to(self.connection)

    def finish(self) -> None:
        self.server.open.discard(self.connection)
        super().finish()

    def handle(self) -> None:
        try:
            super().handle()
        except (ConnectionError, ssl.SSLError):
            self.close_connection = True  # the client refused the certificate or the response

    def do_GET(self) -> None:
        if self._is_about_batches(b""):
            return
        path = urlsplit(self.path).path
        self.server.pages_asked.append(path)
        page = self.server.pages.get(path) or self.server.pages.get(f"…/{path.rpartition('/')[2]}")
        if page is not None:
            self._send_content(page.status, page.content, {})
        else:
            self._send_json(404, {"error": {"message": "no such page", "type": "not_found_error"}}, {})

    def do_POST(self) -> None:
        length = int(self.headers["content-length"])
        if len(raw := self.rfile.read(length)) < length:
            self.close_connection = True  # the client was ended before its request was complete
            return None
        if self._is_about_batches(raw):
            return None
        path = urlsplit(self.path).path  # of a whole URL, too, as a proxy gets it
        dialect = next((dialect for dialect in DIALECTS if dialect.serves(path)), None)
        if dialect is None:
            return self.do_GET()
        request = Request("POST", self.path, dict(self.headers.items()), json.loads(raw), dialect)
        try:
            self._play(self.server.behave(request), request)
        except ConnectionError:
            self.close_connection = True  # the client was ended, which is what some tests are about
            self.server.left.set()
        return None

    def _is_about_batches(self, content: bytes) -> bool:
        headers = {name.lower(): value for name, value in self.headers.items()}
        asked = urlsplit(self.path)
        reply = self.server.batches.serve(self.command, asked.path, content, headers, asked.query)
        if reply is not None:
            self._send_content(reply.status, reply.body, {})
        return reply is not None

    def _play(self, behaviour: Behaviour, request: Request) -> None:
        match behaviour:
            case Refuse(status, kind, message, headers):
                self._send_json(status, request.dialect.error(kind, message), headers)
            case Hang():
                self._stay()
            case Reset():
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.connection.close()
                self.close_connection = True
            case Say(text):
                answer = text if isinstance(text, str) else text(request.prompt)
                self._say(behaviour, answer, request)
            case Call(tool, argument):
                body = request.body | {READ_TOKENS: self.server.prompt_tokens}
                self._send_events(request.dialect.call(tool, argument, body), request.dialect)
            case Send():
                self._send(behaviour)

    def _say(self, say: Say, text: str, request: Request) -> None:
        read = self.server.prompt_tokens if say.prompt_tokens == AS_SENT else say.prompt_tokens
        body = request.body | {READ_TOKENS: read} | ({"model": say.model} if say.model else {})
        body |= {} if say.cost is None else {REPORTED_COST: say.cost}
        if request.dialect.wants_stream(request.path, request.body) or say.pieces is not None:
            pieces = request.dialect.stream(text, body)[: say.pieces]
            self._send_events(pieces, request.dialect, ended=not say.stalled)
        else:
            self._send_json(200, request.dialect.whole(text, body), {})
        if say.stalled:
            self._stay()

    def _send(self, send: Send) -> None:
        self.send_response(send.status)
        length = {"content-length": str(sum(map(len, send.pieces)))} if send.whole else {"connection": "close"}
        for name, value in {**length, **send.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        for piece in send.pieces:
            self.wfile.write(piece)
        if send.stalled:
            self._stay()

    def _stay(self) -> None:
        """Say nothing more until the endpoint is closed or the client leaves."""
        self.close_connection = True
        while not self.server.closing.is_set():
            readable, _, _ = select.select([self.connection], [], [], 0.005)
            if readable and not self.connection.recv(1, socket.MSG_PEEK):
                self.server.left.set()
                return

    def _send_events(self, events: Iterable[bytes], dialect: Dialect, *, ended: bool = True) -> None:
        self.send_response(200)
        self.send_header("content-type", dialect.content_type)
        if self.server.keeps_alive:
            self.send_header("transfer-encoding", "chunked")
            events = (b"%x\r\n%b\r\n" % (len(piece), piece) for piece in (*events, *([b""] if ended else ())))
        else:
            self.send_header("connection", "close")
        self.end_headers()
        for event in events:
            self.wfile.write(event)

    def _send_json(self, status: int, body: Json, headers: Mapping[str, str]) -> None:
        self._send_content(status, json.dumps(body).encode(), headers)

    def _send_content(self, status: int, content: bytes, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
        """Stay silent."""


class ModelEndpoint:
    """A server that listens from its construction until it is closed.

    Attributes:
        behaviour: Its answer, or a function that decides for each request; may be changed at any time.
        first: Answers to the first requests, each used once.
        requests: Received requests, in order.
        prompt_tokens: Tokens that are reported as read for every request; by default an estimate of its size.

    A connection may serve a further request, except after a stream of events: then only with
    ``keeps_alive``, because the end of events is better visible on a closed one. Not all are closed: Bun (1.3) sends
    the next request on a connection whose end was announced, every fifth time when they come close together.
    """

    def __init__(
        self, behaviour: Behaviour | Behave, *, keeps_alive: bool = False, tls: ssl.SSLContext | None = None
    ) -> None:
        self.behaviour = behaviour
        self.first: list[Behaviour] = []
        self.requests: list[Request] = []
        self._arrived = threading.Condition()
        self._server = _Server(self._remember_and_behave, keeps_alive=keeps_alive, tls=tls)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.005})
        self._thread.start()

    @property
    def url(self) -> str:
        """Address of the endpoint, without a path."""
        return f"http{'s' if self._server.is_encrypted else ''}://127.0.0.1:{self._server.server_address[1]}"

    @property
    def prompt_tokens(self) -> object:
        """See the class."""
        return self._server.prompt_tokens

    @prompt_tokens.setter
    def prompt_tokens(self, reported: object) -> None:
        self._server.prompt_tokens = reported

    @property
    def batches(self) -> BatchDesk:
        """Submitted batches; their questions are among ``requests`` when they are answered."""
        return self._server.batches

    @property
    def connections(self) -> int:
        """Number of connections made."""
        return self._server.connections

    def list_models(self, *models: str) -> None:
        """Publish a list of models, in the forms of OpenAI's API and of Ollama's; by default there is none."""
        listed = [{"id": model, "object": "model"} for model in models]
        self.list_models_as(json.dumps({"object": "list", "data": listed}).encode())
        self.show("/api/tags", {"models": [{"name": model, "model": model} for model in models]})

    def list_models_as(self, content: bytes) -> None:
        """Have just these bytes as the list of models."""
        self._server.pages["…/models"] = Page(200, content)

    def show(self, path: str, body: Json, *, status: int = 200) -> None:
        """Have a page at ``path``, for GET and for POST; ``…/NAME`` stands for that name behind any path."""
        self._server.pages[path] = Page(status, json.dumps(body).encode())

    @property
    def pages_asked(self) -> list[str]:
        """The paths of requests that were no questions, in order."""
        return self._server.pages_asked

    def wait_until_left(self, *, timeout_s: float = 60) -> None:
        """Return as soon as a client has closed a connection on which an answer was still to come."""
        if not self._server.left.wait(timeout_s):
            raise TimeoutError(f"nobody left within {timeout_s} s")

    @property
    def request(self) -> Request:
        """The only request there was."""
        (request,) = self.requests
        return request

    def wait_for(self, count: int, *, timeout_s: float = 60) -> list[Request]:
        """All requests, as soon as there are ``count`` of them."""
        with self._arrived:
            if not self._arrived.wait_for(lambda: len(self.requests) >= count, timeout=timeout_s):
                raise TimeoutError(f"{len(self.requests)} of {count} requests within {timeout_s} s")
            return list(self.requests)

    def close(self) -> None:
        """Stop listening, let go of everything that hangs, and wait for it to end."""
        self._server.closing.set()
        self._server.shutdown()
        for connection in tuple(self._server.open):
            self._server.stop_listening_to(connection)
        self._server.server_close()
        self._thread.join()

    def _remember_and_behave(self, request: Request) -> Behaviour:
        with self._arrived:
            self.requests.append(request)
            self._arrived.notify_all()
            behaviour = self.first.pop(0) if self.first else self.behaviour
        return behaviour(request) if callable(behaviour) else behaviour

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
