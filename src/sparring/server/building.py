"""The server as an object of the SDK: its name, and everything that it offers."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from mcp.server import MCPServer

from sparring import __version__
from sparring.server import prompts, resources, tools
from sparring.server.limits import ServerLimits
from sparring.server.session import ServerSession, remember
from sparring.settings import Settings

INSTRUCTIONS = """\
sparring asks other AI tools, safely, and lets them argue.
- debate: a decision with good arguments on both sides. Two tools argue, a judge picks a side. Takes minutes.
- chaired_debate: a question of fact, argued for and against with web sources that code checks. Takes longer.
- fact_check: is a claim supported by evidence? Several tools look, code checks every quote. Needs the evidence.
- jury: does a claim (headline, summary) say the same as the truth it is drawn from? Needs both texts.
- review: what is wrong with a change or a plan? Families of tools look blind, and try to refute each other.
- verify: the same questions answered by code alone, at once: quotes, numbers, dates, changed words. Asks no model.
- consult: one question to another tool, or to several side by side: a second opinion in one call.
Each result has a status, and a next that says what to call:
- "running": no answer yet. Call wait until it is another one, and do nothing else meanwhile.
- "your_turn": a seat is yours ("host"), and the text is its prompt; read all its pages. Hand it to a fresh sub-agent if
  you have them, else answer it yourself; give the answer to answer.
- "interrupted": call the same tool with resume, unless the user stopped it.
- "refused": nothing was done. Correct what the sentence names, or show it.
- "finished" or "failed": the result. Show its first lines as they are.
- set: further options of a tool, e.g. ["effort=high"]; ["help"] lists them.
- runs: earlier runs and their transcripts. cancel: stop one; its tool with resume goes on with it.
The tools asked read only what you write and hand over as context ("diff", "file=PATH"): include what they must know."""


def build_server(
    settings: Settings | None = None, limits: ServerLimits | None = None, *, session: ServerSession | None = None
) -> MCPServer[ServerSession]:
    """Return the server. Missing arguments are read from the process when the first call needs them.

    ``session`` is an open one that the caller owns; by default the server has its own.
    """

    @asynccontextmanager
    async def lifespan(_: MCPServer[ServerSession]) -> AsyncGenerator[ServerSession]:
        if session is not None:
            yield session
            return
        async with ServerSession.open(settings, limits) as own:
            yield own

    server = MCPServer[ServerSession](
        "sparring",
        title="sparring",
        version=__version__,
        instructions=INSTRUCTIONS,
        tools=tools.all_tools(),
        lifespan=lifespan,
        log_level="WARNING",
        middleware=[remember, prompts.admit],
    )
    for prompt in prompts.all_prompts():
        server.add_prompt(prompt)
    resources.offer_resources(server)
    server.completion()(prompts.completed)
    return server
