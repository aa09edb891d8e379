"""Many clients of one server at once, each of which calls it again as soon as it is answered."""

import anyio
from mcp import Client
from msgspec import Struct, field

from support.http_server import Reachable, visitor
from support.mcp_project import Era, said

_ERAS: tuple[Era, Era] = ("auto", "legacy")
_CONSULT = {"question": "Should it retry?"}
_VERIFY = {"claim": "It retries 3 times.", "evidence": ["It retries a failed request 4 times."]}
_ONE_IN = 5
"""One call of so many is checked by code, the others ask a tool."""


class Crowd(Struct):
    """Clients, ``count`` of them, that ask ``tool``.

    Attributes:
        calls: How many were answered as they should.
        problems: What went wrong instead.
    """

    server: Reachable
    tool: str
    count: int
    calls: int = 0
    problems: list[str] = field(default_factory=list[str])
    there: int = 0
    all_there: anyio.Event = field(default_factory=anyio.Event)
    go_home: anyio.Event = field(default_factory=anyio.Event)

    async def come(self, most_calls: int | None = None) -> None:
        """Bring everybody, wait until all are there, and let them call until they shall go home."""
        async with anyio.create_task_group() as group:
            for number in range(self.count):
                group.start_soon(self._one, number, most_calls)

    async def _one(self, number: int, most_calls: int | None) -> None:
        try:
            async with visitor(self.server, era=_ERAS[number % 2]) as client:
                await client.list_tools()
                self.there += 1
                if self.there == self.count:
                    self.all_there.set()
                await self.all_there.wait()
                made = 0
                while not self.go_home.is_set() and made != most_calls:
                    await self._call(client, number + made)
                    made += 1
        except Exception as error:  # noqa: BLE001 -- whatever it is, it is counted
            self.problems.append(f"{type(error).__name__}: {error}")
            self.all_there.set()

    async def _call(self, client: Client, number: int) -> None:
        verifies = number % _ONE_IN == 0
        tool, arguments = ("verify", _VERIFY) if verifies else ("consult", _CONSULT | {"tool": self.tool})
        result = said(await client.call_tool(tool, dict(arguments)))
        if result.status == "finished":
            self.calls += 1
        else:
            self.problems.append(result.text)
