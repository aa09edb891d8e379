"""A host that is asked: it reads what its turn says, page by page, and answers what its role is to say."""

from collections.abc import Callable, Mapping

from mcp import Client
from msgspec import Struct, field

from sparring.server.results import ToolResult
from support.mcp_project import said
from support.playing import SUMMARY, ballot
from support.workbench import DECISIVE, RESPONSE

Words = Callable[[ToolResult], str]
"""Function that returns the host's answer to a turn of its own."""


def debating(turn: ToolResult) -> str:
    """Return the answer of a seat of a debate: the same as that of the scripted tools of a workbench."""
    seat, _, rest = turn.ask_id.partition(".")
    if seat.startswith("judge"):
        return ballot(rest.partition(".")[0], arguments=DECISIVE)
    if "summary" in rest:
        return SUMMARY
    return {"r1.proposer": "For it: `README.md:1` says so.", "r1.challenger": RESPONSE}.get(
        turn.ask_id, "I concede: it needs a test." if rest == "proposer" else "Flaw: Still against it."
    )


class Answering(Struct):
    """The host that ``client`` stands for.

    Attributes:
        words: What it says.
        turns: What it was asked, in this order; of each the first page.
    """

    client: Client
    words: Words = debating
    turns: list[ToolResult] = field(default_factory=list[ToolResult])

    @property
    def asked(self) -> list[str]:
        """The ids of what it was asked."""
        return [turn.ask_id for turn in self.turns]

    async def call(self, tool: str, arguments: Mapping[str, object]) -> ToolResult:
        """Call a tool, and whatever its results tell to call, until one is final."""
        return await self.follow(said(await self.client.call_tool(tool, dict(arguments))))

    async def follow(self, result: ToolResult) -> ToolResult:
        """Do what ``result`` and those after it tell, until one is final."""
        while result.status in {"running", "your_turn"}:
            if result.status == "running":
                result = said(await self.client.call_tool("wait", {"run_id": result.run_id}))
            else:
                self.turns.append(result)
                result = await self.answer(result, self.words(result))
        return result

    async def answer(self, turn: ToolResult, text: str) -> ToolResult:
        """Answer ``turn``."""
        arguments = {"run_id": turn.run_id, "ask_id": turn.ask_id, "text": text}
        return said(await self.client.call_tool("answer", arguments))

    async def pages(self, turn: ToolResult) -> list[ToolResult]:
        """Every page of ``turn``, read as each page says."""
        pages = [turn]
        while pages[-1].page < turn.pages:
            call = {"run_id": turn.run_id, "page": pages[-1].page + 1}
            pages.append(said(await self.client.call_tool("wait", call)))
        return pages
