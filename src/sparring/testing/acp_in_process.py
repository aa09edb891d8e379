"""The agent of ``acp_agent`` without a process: the same lines, through memory instead of pipes.

``AcpConsultant(..., converse=in_process(scenario))`` asks it. Tests of a process itself (its start, signals, what
remains) need the program.
"""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, cast

import anyio
import anyio.abc
from anyio.streams.buffered import BufferedByteReceiveStream

from sparring.processes import children, supervision
from sparring.processes.call_folders import CallFolder
from sparring.providers.acp.consultant import Converse
from sparring.testing.acp_agent import AgentWorld, LittleAgent, Scenario, connected

_CHUNKS = 64
"""Chunks that may be under way in each direction; a writer of more waits for the reader, as with a pipe."""


class _Pipe:
    def __init__(self) -> None:
        self._into, self._out = anyio.create_memory_object_stream[bytes](_CHUNKS)
        self.sending = cast("anyio.abc.ByteSendStream", self._into)  # it has the same methods
        self.receiving = BufferedByteReceiveStream(self._out)

    def end(self) -> None:
        self._into.close()

    def close(self) -> None:
        self._into.close()
        self._out.close()


class _Agent:
    """The agent as its client sees a process, with the ``Transport`` that the agent itself uses."""

    def __init__(self, scenario: Scenario, command: children.Command) -> None:
        self._scenario = scenario
        self._pipes = self._heard, self._sent, self._errors = _Pipe(), _Pipe(), _Pipe()
        self.stdin, self.stdout, self.stderr = self._heard.sending, self._sent.receiving, self._errors.receiving
        self._dying, self._ended = anyio.Event(), anyio.Event()
        self.exit_code = 0
        world = AgentWorld(command.env, str(command.cwd), self._sent.sending.send, self._die)
        self._connection = connected(LittleAgent(scenario, world), self)

    async def wait(self) -> None:
        await self._ended.wait()

    async def live(self) -> None:
        """Run the agent until its input ends, it dies or is killed; cancelling the caller ends no process."""
        with anyio.CancelScope(shield=True):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._serve)
                await self._dying.wait()
                tasks.cancel_scope.cancel()
            await self._connection.close()
        self._sent.end()
        self._errors.end()
        self._ended.set()

    def kill(self) -> None:
        self._dying.set()

    async def _serve(self) -> None:
        await self._sent.sending.send(self._scenario.before.encode())
        if self._scenario.is_silent:
            while await self.receive() is not None:
                pass
        else:
            await self._connection.main_loop()
        self._dying.set()

    async def _die(self, code: int, last_words: str) -> None:
        await self._errors.sending.send(last_words.encode())
        self.exit_code = code
        self._dying.set()
        await anyio.sleep_forever()

    def leave(self) -> None:
        """Let go of all streams."""
        for pipe in self._pipes:
            pipe.close()

    async def send(self, message: dict[str, Any]) -> None:
        await self._sent.sending.send(json.dumps(message).encode() + b"\n")

    async def receive(self) -> dict[str, Any] | None:
        try:
            return json.loads(await self._heard.receiving.receive_until(b"\n", 2**26))
        except (anyio.EndOfStream, anyio.IncompleteRead):
            return None

    async def close(self) -> None:
        """Nothing to do: ``live`` closes what there is."""


def in_process(scenario: Scenario) -> Converse:
    """Return a function that begins conversations with an agent in ``scenario``, with any program in the command."""

    @asynccontextmanager
    async def converse(
        command: children.Command, _: CallFolder, __: supervision.ConsultTerms
    ) -> AsyncGenerator[children.Conversation]:
        agent = _Agent(scenario, command)
        conversation = children.Conversation(agent.stdin, agent.stdout, agent.stderr, agent.wait)
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(agent.live)
                tasks.start_soon(conversation.stderr.read)
                try:
                    yield conversation
                finally:
                    with anyio.CancelScope(shield=True):
                        await conversation.part()
                    agent.kill()
        finally:
            agent.leave()
        conversation.exit_code = agent.exit_code

    return converse
