"""The server as the SDK has it: what it calls itself, and all that it offers."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from mcp.server import MCPServer

from sparring import __version__
from sparring.server.desk import Desk
from sparring.server.pace import Pace
from sparring.server.tools import all_tools, report
from sparring.settings import Settings

INSTRUCTIONS = """\
sparring asks other AI tools, safely, and lets them argue.
- debate: a decision with good arguments on both sides. Two tools argue, a judge picks a side. Takes minutes.
- chaired_debate: a question of fact, argued for and against with web sources that code checks. Takes longer.
- fact_check: is a claim supported by evidence? Several tools look, code checks every quote. Needs the evidence.
- jury: does a claim (headline, summary) say the same as the truth it is drawn from? Needs both texts.
- verify: the same questions answered by code alone, at once: quotes, numbers, dates, changed words. Asks nobody.
- consult: one question to another tool, or to several side by side: a second opinion in one call.
- A result with status "running" is not final: call wait with its run_id until it is another one.
- runs: earlier runs and their transcripts. cancel: stop one; its tool with resume goes on with it.
The tools asked read only what you write and hand over as context ("diff", "file=PATH"): include what they must know."""


def build_server(settings: Settings | None = None, pace: Pace | None = None) -> MCPServer[Desk]:
    """The server. What is not given is read from the process when the first call needs it."""

    @asynccontextmanager
    async def lifespan(_: MCPServer[Desk]) -> AsyncGenerator[Desk]:
        async with Desk.open(settings, pace) as desk:
            yield desk

    server = MCPServer[Desk](
        "sparring",
        title="sparring",
        version=__version__,
        instructions=INSTRUCTIONS,
        tools=all_tools(),
        lifespan=lifespan,
        log_level="WARNING",
    )
    server.resource("sparring://runs/{run_id}", title="Report of a run", mime_type="text/markdown")(report)
    return server
