"""A real little agent, written on the package that real ones are written on: ``python acp_agent.py SCENARIO``.

A scenario is JSON. Its fields on the session take effect when one begins; its steps are taken, in order, for every
prompt. A step is a verb, which is the name of a method of ``_Turn``, and its arguments. ``acp_in_process`` is the same
agent without a process.
"""

import asyncio
import json
import os
import socket
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import acp
from acp import RequestError
from acp import schema as protocol
from acp.agent.router import build_agent_router
from acp.connection import Connection
from msgspec import Struct
from pydantic import BaseModel, Field

SESSION = "session-1"
_OPTIONS = ("allow_always", "allow_once", "reject_once", "reject_always")


class Scenario(BaseModel):
    """Behaviour of the agent.

    Attributes:
        before: Bytes that it prints before protocol messages.
        is_silent: It reads, and never answers anything.
        loads: It can load sessions, and repeats their past.
        resumes: It can resume sessions.
        options: Options with their values, by category.
        is_stubborn: It accepts a choice and keeps the old value.
        modes: Modes in the older way.
        models: Models in the older way.
        error: The code of the error that every session begins with.
        login: Ways to sign in.
        permission_kinds: The options that it offers with a request for permission.
        tokens: Total, input, output and cached tokens that it reports.
    """

    before: str = ""
    is_silent: bool = False
    version: int = 1
    session: str = SESSION
    loads: bool = False
    resumes: bool = False
    options: dict[str, tuple[str, ...]] = {}
    is_stubborn: bool = False
    modes: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    error: int | None = None
    login: tuple[str, ...] = ()
    permission_kinds: tuple[str, ...] = _OPTIONS
    tokens: tuple[int, int, int, int] | None = None
    stop: str = "end_turn"
    steps: tuple[tuple[Any, ...], ...] = (("tell",),)

    def argument(self) -> str:
        """Return the program's argument; ASCII, since half a character is a scenario too."""
        return json.dumps(self.model_dump())


class AgentWorld(Struct, frozen=True):
    """Surroundings of an agent.

    Attributes:
        write: Puts bytes on its standard output, past the protocol.
        die: Ends it with an exit code and its last words on the standard error.
    """

    environment: Mapping[str, str]
    cwd: str
    write: Callable[[bytes], Awaitable[None]]
    die: Callable[[int, str], Awaitable[None]]


class _SetModel(BaseModel):
    model_id: str = Field(alias="modelId")


class _LegacySession(protocol.NewSessionResponse):
    models: dict[str, Any] | None = None


class LittleAgent:
    """An agent that plays its scenario."""

    def __init__(self, scenario: Scenario, world: AgentWorld) -> None:
        self._scenario = scenario
        self.world = world
        self.asked_to_stop = asyncio.Event()
        self.connection: Connection | None = None
        self.seen: dict[str, Any] = {}
        self.chosen = {category: values[0] for category, values in scenario.options.items()}

    async def initialize(
        self,
        protocol_version: int,
        client_capabilities: protocol.ClientCapabilities | None = None,
        client_info: protocol.Implementation | None = None,
        **kwargs: Any,
    ) -> protocol.InitializeResponse:
        del protocol_version, kwargs
        fs = client_capabilities.fs if client_capabilities else None
        self.seen["client"] = [client_info.name if client_info else "", bool(fs and fs.read_text_file)]
        resume = protocol.SessionResumeCapabilities() if self._scenario.resumes else None
        return protocol.InitializeResponse(
            protocol_version=self._scenario.version,
            agent_capabilities=protocol.AgentCapabilities(
                load_session=self._scenario.loads, session_capabilities=protocol.SessionCapabilities(resume=resume)
            ),
            auth_methods=[
                protocol.AuthMethodAgent(id=hint, name="Sign in", description=hint) for hint in self._scenario.login
            ],
        )

    async def new_session(self, cwd: str, **kwargs: Any) -> protocol.NewSessionResponse:
        self._begin("new", cwd, kwargs)
        scenario = self._scenario
        modes = [protocol.SessionMode(id=mode, name=mode.title()) for mode in scenario.modes]
        models = [{"modelId": model, "name": model} for model in scenario.models]
        return _LegacySession(
            session_id=scenario.session,
            modes=protocol.SessionModeState(current_mode_id=scenario.modes[0], available_modes=modes)
            if modes
            else None,
            models={"currentModelId": scenario.models[0], "availableModels": models} if models else None,
            config_options=self._options(),
        )

    async def load_session(self, cwd: str, session_id: str, **kwargs: Any) -> protocol.LoadSessionResponse:
        self._begin("load", cwd, kwargs)
        await self.turn(session_id).say("What was said long ago.")
        return protocol.LoadSessionResponse(config_options=self._options())

    async def resume_session(self, cwd: str, session_id: str, **kwargs: Any) -> protocol.ResumeSessionResponse:
        del session_id
        self._begin("resume", cwd, kwargs)
        return protocol.ResumeSessionResponse(config_options=self._options())

    async def set_session_mode(self, session_id: str, mode_id: str, **kwargs: Any) -> protocol.SetSessionModeResponse:
        del session_id, kwargs
        self.chosen["mode"] = mode_id
        return protocol.SetSessionModeResponse()

    async def set_model(self, model_id: str) -> dict[str, Any]:
        self.chosen["model"] = model_id
        return {}

    async def set_config_option(
        self, config_id: str, session_id: str, value: str, **kwargs: Any
    ) -> protocol.SetSessionConfigOptionResponse:
        del session_id, kwargs
        if not self._scenario.is_stubborn:
            self.chosen[config_id.removeprefix("the-")] = value
        return protocol.SetSessionConfigOptionResponse(config_options=self._options())

    async def prompt(
        self, session_id: str, prompt: list[protocol.TextContentBlock], **kwargs: Any
    ) -> protocol.PromptResponse:
        del kwargs
        self.seen["prompt"] = [block.text for block in prompt]
        turn = self.turn(session_id)
        for verb, *arguments in self._scenario.steps:
            await getattr(turn, verb)(*arguments)
        total, read, written, cached = self._scenario.tokens or (0, 0, 0, 0)
        usage = protocol.Usage(total_tokens=total, input_tokens=read, output_tokens=written, cached_read_tokens=cached)
        # Not validated: a wrong reason is a scenario too.
        return protocol.PromptResponse.model_construct(
            stop_reason=self._scenario.stop,  # pyright: ignore[reportArgumentType]  # the same
            usage=usage if self._scenario.tokens else None,
        )

    async def cancel(self, session_id: str, **kwargs: Any) -> None:
        del session_id, kwargs
        self.asked_to_stop.set()

    def turn(self, session_id: str) -> "_Turn":
        assert self.connection is not None
        return _Turn(self, self.connection, session_id, self._scenario)

    def _begin(self, how: str, cwd: str, others: dict[str, Any]) -> None:
        if self._scenario.error is not None:
            raise RequestError(self._scenario.error, "Not now.", {"details": "Try later."})
        self.seen["session"] = [how, cwd, others.get("mcp_servers")]

    def _options(self) -> list[Any]:
        return [self._option(category, values) for category, values in self._scenario.options.items()]

    def _option(self, category: str, values: tuple[str, ...]) -> protocol.SessionConfigOptionSelect:
        offered = [protocol.SessionConfigSelectOption(value=value, name=value.title()) for value in values]
        grouped = [protocol.SessionConfigSelectGroup(group="all", name="All", options=offered)]
        return protocol.SessionConfigOptionSelect(
            type="select",
            id=f"the-{category}",
            name=category,
            category=category,  # pyright: ignore[reportArgumentType]  # the same
            current_value=self.chosen[category],
            options=grouped if category == "model" else offered,
        )


class _Turn:
    """Actions of an agent while it answers a prompt."""

    def __init__(self, agent: LittleAgent, connection: Connection, session_id: str, scenario: Scenario) -> None:
        self._agent = agent
        self._connection = connection
        self._session_id = session_id
        self._scenario = scenario

    async def tell(self) -> None:
        """Say what the agent has seen of the world."""
        seen = {
            **self._agent.seen,
            "chosen": self._agent.chosen,
            "environment": dict(self._agent.world.environment),
            "cwd": self._agent.world.cwd,
        }
        await self.say(json.dumps(seen))

    async def say(self, text: str, message_id: str | None = None) -> None:
        chunk = acp.update_agent_message_text(text)
        await self._update(chunk.model_copy(update={"message_id": message_id}))

    async def think(self, text: str) -> None:
        await self._update(acp.update_agent_thought_text(text))

    async def show(self) -> None:
        await self._update(acp.update_agent_message(acp.image_block("aGk=", "image/png")))

    async def pay(self, amount: float, currency: str) -> None:
        await self._update(
            protocol.UsageUpdate(
                session_update="usage_update", used=1, size=2, cost=protocol.Cost(amount=amount, currency=currency)
            )
        )

    async def call(self, kind: str, title: str, status: str, *paths: str) -> None:
        """Make a call of an own tool without asking."""
        await self.notify("session/update", {"update": _call("tool_call", kind, title, paths)})
        done: dict[str, Any] = {
            "sessionUpdate": "tool_call_update",
            "toolCallId": f"call-{title}",
            "status": status,
            "locations": [],
        }
        await self.notify("session/update", {"update": done})

    async def ask(self, kind: str, title: str, *paths: str) -> None:
        """Ask for permission, and say what came back."""
        await self.say(await self._asked(kind, title, *paths))

    async def beg(self, kind: str, title: str, *paths: str) -> None:
        """Ask for permission, and say nothing."""
        await self._asked(kind, title, *paths)

    async def _asked(self, kind: str, title: str, *paths: str) -> str:
        options = [{"optionId": f"{kind}!", "name": kind, "kind": kind} for kind in self._scenario.permission_kinds]
        params = {"toolCall": _call("tool_call_update", kind, title, paths), "options": options}
        return await self._requested("session/request_permission", params)

    async def read(self, path: str, line: int | None = None, limit: int | None = None) -> None:
        """Ask for a file, and say it."""
        try:
            params = {"sessionId": self._session_id, "path": path, "line": line, "limit": limit}
            response = await self._connection.send_request("fs/read_text_file", params)
        except RequestError as error:
            await self.say(f"[{error.code}] {error.data}\n")
        else:
            await self.say(response["content"])

    async def measure(self, path: str) -> None:
        """Ask for a file, and say how long it is."""
        response = await self._requested("fs/read_text_file", {"path": path})
        await self.say(f"{len(json.loads(response)['content'])}\n" if response.startswith("{") else response)

    async def request(self, method: str, params: dict[str, Any]) -> None:
        """Make any request, and write the response into the answer."""
        await self.say(await self._requested(method, params))

    async def _requested(self, method: str, params: dict[str, Any]) -> str:
        try:
            response = await self._connection.send_request(method, {"sessionId": self._session_id, **params})
        except RequestError as error:
            return f"[{error.code}] {error}"
        return json.dumps(response, sort_keys=True)

    async def notify(self, method: str, params: dict[str, Any]) -> None:
        await self._connection.send_notification(method, {"sessionId": self._session_id, **params})

    async def write(self, text: str) -> None:
        """Write a line to the standard output, past the protocol."""
        await self._agent.world.write(text.encode("utf-8", "surrogateescape") + b"\n")

    async def flood(self) -> None:
        """Write for ever, and no line end."""
        while True:
            await self._agent.world.write(b"x" * 65536)

    async def refuse(self, code: int, message: str, data: Any = None) -> None:
        raise RequestError(code, message, data)

    async def die(self, code: int, last_words: str) -> None:
        await self._agent.world.die(code, last_words)

    async def stay(self, address: str, *traits: str) -> None:
        """Report in and stay until asked to stop; trait ``stubborn``: even then."""
        host, port = address.split(":")
        with socket.create_connection((host, int(port))) as connection:
            connection.sendall(b"agent\n")
            await self._agent.asked_to_stop.wait()
            connection.sendall(b"asked to stop\n")
            if "stubborn" in traits:
                await asyncio.Event().wait()

    async def repeat(self, session_id: str) -> None:
        """Say something in another session."""
        await self._agent.turn(session_id).say("Not for you.")

    async def _update(self, update: BaseModel) -> None:
        shape = update.model_dump(mode="python", by_alias=True, exclude_none=True)
        await self.notify("session/update", {"update": shape})


def _call(update: str, kind: str, title: str, paths: Sequence[object]) -> dict[str, Any]:
    locations = [{"path": path} for path in paths]
    call = {"toolCallId": f"call-{title}", "title": title, "kind": kind, "status": "pending", "locations": locations}
    return {"sessionUpdate": update, **call}


def connected(agent: LittleAgent, *streams: Any) -> Connection:
    """The agent's side of a talk over ``streams``: a transport of the package, or a writer and a reader."""
    router = build_agent_router(agent, use_unstable_protocol=True)  # pyright: ignore[reportArgumentType]  # a part of one
    router.route_request("session/set_model", _SetModel, agent, "set_model")
    agent.connection = Connection(router, *streams, listening=False)
    return agent.connection


async def _write(content: bytes) -> None:
    while content:
        try:
            content = content[os.write(1, content) :]
        except BlockingIOError:
            continue  # the package has made it so


async def _die(code: int, last_words: str) -> None:
    sys.stderr.write(last_words)
    sys.stderr.flush()
    os._exit(code)


def main(scenario: Scenario) -> None:
    """Be that agent until the standard input ends."""
    sys.stdout.write(scenario.before)
    sys.stdout.flush()
    if scenario.is_silent:
        sys.stdin.buffer.read()
        return
    asyncio.run(_serve(LittleAgent(scenario, AgentWorld(os.environ, str(Path.cwd()), _write, _die))))


async def _serve(agent: LittleAgent) -> None:
    reader, writer = await acp.stdio_streams(limit=2**26)
    await connected(agent, writer, reader).main_loop()


if __name__ == "__main__":
    main(Scenario.model_validate(json.loads(sys.argv[1])))
