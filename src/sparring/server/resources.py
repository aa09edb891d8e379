"""The resources: the list of runs, the report of each, whole or page by page, and the page that shows a result.

A page of a report is the same as from the tool ``runs``, for hosts that cut long resources.
Graphical hosts show an MCP App: one document for every result, which a host gives to its frame as data. It requests
no domain, so it has none; hosts without apps ignore it.
"""

import re
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ResourceNotFoundError

from sparring import __version__
from sparring.errors import SparringError, UsageError
from sparring.server import session
from sparring.server.results import RUNS_ADDRESS, ToolResult
from sparring.server.session import ServerSession

if TYPE_CHECKING:
    from sparring.server.answers import Answers

REPORT = RUNS_ADDRESS + "/{run_id}"
_PAGED = "{?page}"
_MARKDOWN = "text/markdown"

APP = "ui://sparring/run.html"
SHOWN_AS_PAGE = {"ui": {"resourceUri": APP}}
"""Metadata of tools whose results are pages."""

_AN_APP = "text/html;profile=mcp-app"
_APP_PROTOCOL = "2026-01-26"


def offer_resources(server: MCPServer[ServerSession]) -> None:
    """Make the resources those of ``server``."""
    server.resource(RUNS_ADDRESS, name="runs", title="Runs", mime_type=_MARKDOWN)(newest_runs)
    server.resource(RUNS_ADDRESS + _PAGED, name="runs_page", title="Runs, a page of them", mime_type=_MARKDOWN)(runs)
    server.resource(REPORT + _PAGED, name="report", title="Report of a run", mime_type=_MARKDOWN)(report)
    server.resource(APP, name="page", title="Result of a run", mime_type=_AN_APP)(app)


def app() -> str:
    """The result of a run as a page."""
    from sparring.reports.page.elements import document, element  # noqa: PLC0415 -- only hosts that show pages ask

    waiting = element("main", element("p", "Waiting for the result …", role="status"), id="main")
    hello = {
        "appInfo": {"name": "sparring", "version": __version__},
        "appCapabilities": {},
        "protocolVersion": _APP_PROTOCOL,
    }
    return document("sparring", waiting, data=hello, scripts=("app.js",))


async def newest_runs() -> str:
    """This project's runs, newest first: the first page."""
    return await runs()


async def runs(page: str = "") -> str:
    """This project's runs, newest first, page by page."""
    return await _read_resource(lambda answers: _paged(answers.runs(_number(page or "1"))))


async def report(run_id: str, page: str = "") -> str:
    """Return the decision of a run with its transcript, or one page of the transcript."""
    if not page:
        return await _read_resource(lambda answers: answers.report(run_id))
    return await _read_resource(lambda answers: _paged(answers.transcript(run_id, _number(page))))


async def _read_resource(read: Callable[["Answers"], Awaitable[str]]) -> str:
    try:
        return await read(session.answers())
    except SparringError as error:
        raise ResourceNotFoundError(session.current().refusal(error).text) from error


async def _paged(shown: Awaitable[ToolResult]) -> str:
    """A page, with the address of the next one in place of the tool to call for it."""
    result = await shown
    if result.page == result.pages:
        return result.text
    address = f"{RUNS_ADDRESS}/{result.run_id}" if result.run_id else RUNS_ADDRESS
    return f"{result.text}\n\nNext page: {address}?page={result.page + 1}\n"


def _number(page: str) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", page):
        raise UsageError("A page is a number.", hint="Leave it out to begin with the first.")
    return int(page)
