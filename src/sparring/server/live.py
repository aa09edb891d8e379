"""The page of a run over HTTP, updated while the run goes on.

The journal is followed as ``sparring runs watch`` follows it, so that watching changes nothing. An event only
announces news to the browser; it then requests the page again and takes over the new parts. So a run
becomes HTML in one place, and updates need no more trust than the page itself.
"""

import hmac
import json
import re
import secrets
import socket
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import uvicorn
from starlette.datastructures import Headers
from starlette.requests import Request as StarletteRequest
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from sparring.engine.capabilities import NoteTaking
from sparring.errors import RunNotFoundError, SparringError
from sparring.formats.registry import FORMATS
from sparring.formats.views import page
from sparring.reports.page.elements import policy
from sparring.reports.progress import place_line
from sparring.schema.base import utc_now
from sparring.schema.runs import Run, RunStatus
from sparring.schema.transcript import NOTE_LIMIT
from sparring.server.stop_signals import cancel_on_signal
from sparring.store.following import LOOK_EVERY_S, RunWatcher, Waiting
from sparring.store.history import load_run

RUNS_PATH = "/runs/"

_SCRIPTS = ("page.js", "live.js")
_AFTER_END_S = 30.0
"""Seconds after the end of a run in which its page can still be fetched by a browser that follows or opens it."""

_WANTED = re.compile(r"/runs/([^/]+?)(/events|/note)?")
_NOTE_BYTES = 8 * NOTE_LIMIT
"""Most bytes of a note that is sent: more cannot be one."""
_PRIVATE = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class RunPages:
    """Serves the pages of runs to clients that are already authorised.

    Args:
        find: Returns the folder of the run of that id; raises ``SparringError`` where there is none.
        note: Adds a note for the participants of the run of that id; None where readers may not.
    """

    def __init__(self, find: Callable[[str], Path], note: Callable[[str, str], object] | None = None) -> None:
        self._find = find
        self._note = note
        self._closed = anyio.Event()
        self._changed = anyio.Event()
        self._listeners = 0
        self._end_shown = False

    def close(self) -> None:
        """Let no page wait any longer."""
        self._closed.set()

    async def wait_until_left(self) -> None:
        """Return when no client waits for news, and the page of the finished run has been fetched."""
        while self._listeners or not self._end_shown:
            await self._changed.wait()
        await anyio.sleep(LOOK_EVERY_S)  # a browser that was just notified of the end is about to fetch it

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["method"] == "POST":
            response = await self._noted(StarletteRequest(scope, receive))
        else:
            response = await self._answer(scope["method"], scope["path"])
        await response(scope, receive, send)

    async def _noted(self, request: StarletteRequest) -> Response:
        """Take a note. A browser sends the origin of the page that posts; a request without one is refused."""
        wanted = _WANTED.fullmatch(request.url.path)
        if self._note is None or not wanted or wanted[2] != "/note" or "origin" not in request.headers:
            return _plain("There is no such page.")
        body = b""
        async for chunk in request.stream():
            body += chunk
            if len(body) > _NOTE_BYTES:
                return PlainTextResponse("The note is too long.\n", 413, _PRIVATE)
        try:
            await anyio.to_thread.run_sync(self._note, wanted[1], body.decode(errors="replace"))
        except SparringError as error:
            return PlainTextResponse(f"{error}\n", 409, _PRIVATE)
        return Response(status_code=204, headers=_PRIVATE)

    async def _answer(self, method: str, path: str) -> Response:
        wanted = _WANTED.fullmatch(path)
        if method != "GET" or not wanted or wanted[2] == "/note":
            return _plain("There is no such page.")
        try:
            folder = await anyio.to_thread.run_sync(self._find, wanted[1])
            if wanted[2]:
                return StreamingResponse(self._events(folder), media_type="text/event-stream", headers=_PRIVATE)
            run = await anyio.to_thread.run_sync(load_run, folder)
            shown = await anyio.to_thread.run_sync(_shown, run)
        except SparringError as error:
            return _plain(str(error))
        self._count(ends_shown=run.status is not RunStatus.RUNNING)
        return shown

    async def _events(self, folder: Path) -> AsyncGenerator[str]:
        """Yield the number of turns and the active speakers, whenever they change; then the end of the run."""
        watching, turns, note_activity = RunWatcher(folder), 0, tuple[Waiting, ...]()
        kind = (await anyio.to_thread.run_sync(load_run, folder)).header.kind
        more = {"notes": True} if self._note and FORMATS[kind].capability(NoteTaking) else {}
        with self._listening():
            while not self._closed.is_set():
                news = await anyio.to_thread.run_sync(watching.read_new_turns)
                turns += len(news.turns)
                if news.turns or news.is_over or news.waiting != note_activity:
                    name = "over" if news.is_over else "more" if news.turns else "asked"
                    yield f"event: {name}\ndata: {_progress(turns, news.waiting, more)}\n\n"
                    note_activity = news.waiting
                # At the end it is the page that goes.
                with anyio.move_on_after(None if news.is_over else LOOK_EVERY_S):
                    await self._closed.wait()

    @contextmanager
    def _listening(self) -> Generator[None]:
        self._count(1)
        try:
            yield
        finally:
            self._count(-1)

    def _count(self, more: int = 0, *, ends_shown: bool = False) -> None:
        self._listeners += more
        self._end_shown |= ends_shown
        changed, self._changed = self._changed, anyio.Event()
        changed.set()


def _progress(turns: int, waiting: tuple[Waiting, ...], more: Mapping[str, object]) -> str:
    """The data of an event: one line of JSON. Seconds are those so far: the clocks of two machines may differ."""
    now = utc_now()
    speaking = [{"who": place_line(each.place), "s": round((now - each.since).total_seconds())} for each in waiting]
    return json.dumps({"turns": turns, "speaking": speaking, **more})


def _shown(run: Run) -> Response:
    """Return the page; only that of an unfinished run may request more."""
    is_running = run.status is RunStatus.RUNNING
    scripts = _SCRIPTS if is_running else _SCRIPTS[:1]
    allowed = f"{policy(scripts=scripts, connects=is_running)}; frame-ancestors 'none'"
    markup = page(run, scripts=scripts, connects=is_running)
    return HTMLResponse(markup, headers={**_PRIVATE, "Content-Security-Policy": allowed})


def _plain(text: str) -> Response:
    return PlainTextResponse(f"{text}\n", 404, _PRIVATE)


class QuietServer(uvicorn.Server):
    """Serves ``app`` by HTTP alone, prints nothing, and leaves the signals to its caller."""

    def __init__(self, app: Callable[[Scope, Receive, Send], Awaitable[None]], **more: Any) -> None:
        config = uvicorn.Config(
            app,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=1,
            **more,
        )
        super().__init__(config)

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Do nothing: uvicorn's own handlers would end connections that still wait for a run."""
        yield


class _Guard:
    """Admits requests that know the address, and none from foreign pages.

    The secret is in the path, so no cookie is needed, which a browser would send to every server of this machine.
    """

    def __init__(self, pages: RunPages, authority: str, secret: str) -> None:
        self._pages = pages
        self._authority = authority
        self._secret = secret

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers, (_, shown, path) = Headers(scope=scope), f"{scope['path']}//".split("/", 2)
        is_ours = headers.get("host") == self._authority
        is_ours &= headers.get("origin", f"http://{self._authority}") == f"http://{self._authority}"
        if not is_ours or not hmac.compare_digest(shown.encode(), self._secret.encode()):
            await _plain("There is no such page.")(scope, receive, send)
            return
        await self._pages({**scope, "path": f"/{path.removesuffix('//')}"}, receive, send)


async def serve_page(
    folder: Path,
    asked: AsyncIterator[object],
    hello: Callable[[str], None],
    *,
    after_end_s: float = _AFTER_END_S,
    note: Callable[[str, str], object] | None = None,
) -> bool:
    """Serve the page of the run in ``folder`` on loopback until it is over and was seen; False: asked to end.

    Args:
        folder: The folder of the run.
        asked: Stream of requests to end.
        hello: Called with the address when the server listens.
        after_end_s: Most seconds that the page remains after the run.
        note: Adds a note of the reader; None where readers may not.
    """
    pages, is_over = RunPages(lambda run_id: _only(folder, run_id), note), False
    with socket.create_server(("127.0.0.1", 0)) as listening:
        authority, secret = f"127.0.0.1:{listening.getsockname()[1]}", secrets.token_urlsafe(32)
        server = QuietServer(_Guard(pages, authority, secret))
        async with anyio.create_task_group() as group:
            group.start_soon(server.serve, [listening])
            hello(f"http://{authority}/{secret}{RUNS_PATH}{folder.name}")
            async with anyio.create_task_group() as asking:
                asking.start_soon(cancel_on_signal, asked, asking.cancel_scope)
                await _wait_until_seen(folder, pages, after_end_s)
                asking.cancel_scope.cancel()
                is_over = True
            pages.close()
            server.should_exit = True
    return is_over


def _only(folder: Path, run_id: str) -> Path:
    if run_id != folder.name:
        raise RunNotFoundError("There is no such page.")
    return folder


async def _wait_until_seen(folder: Path, pages: RunPages, after_end_s: float) -> None:
    watching = RunWatcher(folder)
    while not (await anyio.to_thread.run_sync(watching.read_new_turns)).is_over:  # noqa: ASYNC110 -- a file sends no events
        await anyio.sleep(LOOK_EVERY_S)
    with anyio.move_on_after(after_end_s):
        await pages.wait_until_left()
