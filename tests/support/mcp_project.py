"""The MCP server in a project of its own: in this process or as a real one, and what it says checked in both halves."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import anyio
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.types import CallToolResult, ResourceLink, TextContent
from msgspec import Struct, field

from sparring.schema.debate import LastDebate
from sparring.server.building import build_server
from sparring.server.limits import ServerLimits
from sparring.server.results import RESULT_LIMIT, ToolResult
from sparring.settings import Settings
from sparring.testing import fake_cli
from sparring.testing.workspace import Attendance
from support.workbench import Workbench

Era = Literal["auto", "legacy"]
SERVER: tuple[str, ...] = (sys.executable, "-m", "sparring.server")
BOUND_S = 60
"""Seconds after which a test that waits fails; never reached when all is well."""

PATIENT = (*(sys.executable, "-c"), f"from sparring.server.__main__ import main; main(last_answers_s={BOUND_S})")
"""A server that gives the last answers, after the end of its input, as long as a busy machine may need."""

DEBATE = {"topic": "Should it retry?", "proposer": "ann", "challenger": "bob", "seat": ["judge=cy"]}
AT_ONCE = ServerLimits(call_s=0)
"""Of a server whose calls wait for nothing."""

NEVER = [{"response": "Never.", "delay_s": 3600}]
"""Reply of a scripted tool whose run is stopped, or ends with the server."""


def project(root: Path) -> Workbench:
    """A workbench whose tools are scripted and whose PATH is empty, so that nothing can be started."""
    return Workbench.below(root, PATH=str(root / "nothing"))


def client(bench: Workbench, era: Era = "auto", limits: ServerLimits | None = None) -> Client:
    """A client of a server in this process."""
    return Client(build_server(Settings.read(bench.environment, bench.project), limits), mode=era)


def stdio_client(bench: Workbench, **environment: str) -> Client:
    """A client of a real server, which has nothing of our environment but what a host passes on."""
    command, *arguments = SERVER
    server = StdioServerParameters(
        command=command, args=arguments, env=bench.environment | environment, cwd=bench.project
    )
    return Client(server)


def add_staying_tool(bench: Workbench, name: str, attendance: Attendance, *traits: str) -> None:
    """A tool whose program reports in at ``attendance`` and never answers; ``traits`` as ``fake_cli.stay`` has them."""
    bench.add_cli(name, fake_cli.__file__, "stay", attendance.address, name, *traits)


def add_waiting_tool(bench: Workbench, name: str, attendance: Attendance, answer: str) -> None:
    """A tool whose program reports in at ``attendance`` and gives ``answer`` when it is released there."""
    bench.add_cli(name, fake_cli.__file__, "wait", attendance.address, name, answer)


def said(result: CallToolResult) -> ToolResult:
    """Return the structured result, after checks that hold for every result."""
    structured = ToolResult.model_validate(result.structured_content)
    whole = next(block.text for block in result.content if isinstance(block, TextContent))
    assert whole.endswith(_rest(structured))
    first = whole.removesuffix(_rest(structured))
    links = [block.uri for block in result.content if isinstance(block, ResourceLink)]
    has_report = structured.status == "finished" and structured.run_id
    assert links == ([f"sparring://runs/{structured.run_id}"] if has_report else [])
    assert len(result.content) == 1 + len(links)
    assert len(json.dumps(result.structured_content, ensure_ascii=False)) < RESULT_LIMIT
    assert len(whole) < RESULT_LIMIT
    # What came of it, or warns, stands before the text, and in it no more.
    assert bool(first) == bool(structured.outcome or structured.warnings), whole
    assert all(field not in structured.text for field in (structured.next, structured.recommendation) if field)
    assert bool(result.is_error) == structured.is_error, structured.text
    return structured


def _rest(structured: ToolResult) -> str:
    """Return the end of the text half, behind the fields."""
    return "\n\n".join(part for part in (structured.text, structured.next) if part)


def last_debate(bench: Workbench) -> LastDebate:
    """The state file of the last debate."""
    return LastDebate.model_validate_json((bench.state / "debate" / "last-debate.json").read_bytes())


class Heard(Struct):
    """The messages of progress that a client got; give it to ``call_tool`` as callback."""

    beats: list[float] = field(default_factory=list[float])
    messages: list[str] = field(default_factory=list[str])
    _news: anyio.Event = field(default_factory=anyio.Event)

    async def __call__(self, progress: float, total: float | None, message: str | None) -> None:
        assert total is None
        assert message is not None
        self.beats.append(progress)
        self.messages.append(message)
        news, self._news = self._news, anyio.Event()
        news.set()

    async def first(self, fits: Callable[[str], bool]) -> str:
        """Wait for a message that ``fits`` and return it."""
        with anyio.fail_after(BOUND_S):
            while not (found := [message for message in self.messages if fits(message)]):
                await self._news.wait()
        return found[0]

    async def run_id(self, words: str = "") -> str:
        """Wait for a message with these ``words``, and return the id of its run."""
        message = await self.first(lambda message: words in message)
        return message.split()[0]
