"""Typed requests to an agent, each of which succeeds or raises the reason of its failure.

The messages of the package ``acp`` travel as lines, over a conversation with a bound. Agents print banners and
logs among their messages, so everything that does not claim to be JSON-RPC is skipped, on a line of its own or
around a message. A broken message ends the conversation, because it may be a part of the answer or its end, unless it
is recognisably neither.
"""

import json
import re
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Literal, TypeVar

from acp import PROTOCOL_VERSION, RequestError
from acp import schema as protocol
from acp.connection import Connection
from msgspec import Struct
from pydantic import BaseModel, Field, StrictInt, StrictStr, ValidationError

from sparring import __version__
from sparring.processes.children import OUTPUT_LIMIT, Conversation, OutputOverflowError
from sparring.providers.receiving.causes import ValidOrNone, cause_of, code_of_status
from sparring.providers.receiving.framing import cleaned, objects_in
from sparring.providers.receiving.printed import code_of
from sparring.schema.consultation import FailureCode


class AgentFailedError(Exception):
    """The agent cannot answer, or cannot do what the request needs.

    Attributes:
        code: Kind of the failure.
        detail: A sentence for people, as the agent wrote it: neither redacted nor cut.
    """

    def __init__(self, code: FailureCode, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail


class AgentEndedError(AgentFailedError):
    """The agent has closed its output, most likely by ending, before it had answered."""


class _RpcError(BaseModel):
    code: StrictInt
    message: StrictStr


class _Frame(BaseModel):
    """As much of a message as the package relies on without looking."""

    id: StrictInt | StrictStr | None = None
    method: StrictStr | None = None
    error: _RpcError | None = None


class AgentTransport:
    """A ``Transport`` of the package. Never raises into it: it would write the agent's output to our standard error.

    Attributes:
        fault: Why the messages ended before the agent did; None as long as there is no such reason.
    """

    def __init__(self, conversation: Conversation, tool: str) -> None:
        self._conversation = conversation
        self._tool = tool
        self._received: deque[dict[str, Any]] = deque()
        self.fault: AgentFailedError | None = None

    async def send(self, message: dict[str, Any]) -> None:
        """Send one message. Only the response shows whether it arrives."""
        await self._conversation.send(json.dumps(message).encode())

    async def receive(self) -> dict[str, Any] | None:
        """Return the next message, or None after the last: the agent ended its output, or ``fault`` has the reason."""
        try:
            while not self._received and (line := await self._conversation.receive()) is not None:
                self._received.extend(_messages(line))
            if self._received:
                return self._received.popleft()
        except OutputOverflowError:
            detail = f"{self._tool} printed more than {OUTPUT_LIMIT // 2**20} MiB and was stopped."
            self.fault = AgentFailedError(FailureCode.PARSE, detail)
        except ValueError:  # pydantic's is one of them
            detail = f"{self._tool} sent a message that cannot be parsed."
            self.fault = AgentFailedError(FailureCode.PARSE, detail)
        return None

    async def close(self) -> None:
        """Do nothing: the owner of the conversation ends it."""


_UPDATE = re.compile(r'"sessionUpdate"\s*+:\s*+"(?P<kind>\w+)"')
_TEXT_UPDATE = "agent_message_chunk"


def _messages(line: bytes) -> Iterable[dict[str, Any]]:
    """Return the messages in ``line``, mostly one; none if it is noise.

    Raises:
        ValueError: A message is broken, and may be a part of the answer or its end.
    """
    text = cleaned(line.decode("utf-8", errors="replace"))
    if '"jsonrpc"' not in text:
        return ()
    messages = [each for each in objects_in(text) if "jsonrpc" in each]
    if not messages:
        update = _UPDATE.search(text)
        if update is None or update["kind"] == _TEXT_UPDATE:
            raise ValueError("a broken message")
    for message in messages:
        _Frame.model_validate(message)
    return messages


Category = Literal["mode", "model", "thought_level"]
"""Category of an option, in the protocol's words."""


class Choice(Struct, frozen=True):
    """An option of an agent with its values.

    Attributes:
        option: Id of the option; None when it has a request of its own.
        current: The current value.
        values: The possible values.
    """

    option: str | None
    current: str
    values: tuple[str, ...]


class _Model(BaseModel):
    id: str = Field(alias="modelId")


class _Models(BaseModel):
    current: str = Field(alias="currentModelId")
    available: tuple[_Model, ...] = Field(alias="availableModels")


class SessionState(protocol.LoadSessionResponse):
    """State of a session as an agent reports it when it begins, continues, or has an option set.

    Attributes:
        session_id: Only in the answer for a new session.
        models: From before models became options (Gemini CLI 0.61.0); the package no longer has it.
    """

    session_id: str = Field(default="", alias="sessionId")
    models: _Models | None = None

    def choice(self, category: Category) -> Choice | None:
        """Return the choices in that category; None if there are none."""
        for option in self.config_options or ():
            if isinstance(option, protocol.SessionConfigOptionSelect) and option.category == category:
                return Choice(option.id, option.current_value, tuple(_values(option.options)))
        if category == "model" and self.models:
            return Choice(None, self.models.current, tuple(model.id for model in self.models.available))
        if category == "mode" and self.modes:
            return Choice(None, self.modes.current_mode_id, tuple(mode.id for mode in self.modes.available_modes))
        return None


def _values(options: Iterable[protocol.SessionConfigSelectOption | protocol.SessionConfigSelectGroup]) -> Iterable[str]:
    for option in options:
        if isinstance(option, protocol.SessionConfigSelectGroup):
            yield from (member.value for member in option.options)
        else:
            yield option.value


class PromptResponse(BaseModel):
    """The end of a turn; the reason and the usage may be of another type, and are unknown then."""

    stop_reason: ValidOrNone[str] = Field(default=None, alias="stopReason")
    usage: ValidOrNone[protocol.Usage] = None


_Reply = TypeVar("_Reply", bound=BaseModel)

_AUTH_REQUIRED = -32000
_BY_RPC_CODE = {
    _AUTH_REQUIRED: FailureCode.AUTH,
    -32002: FailureCode.SESSION_NOT_FOUND,
    -32601: FailureCode.UNSUPPORTED,
}
_BY_ERROR_NAME = {"ContextOverflowError": FailureCode.CONTEXT_TOO_LONG}  # opencode 1.18.33
_HTTP_ERRORS = range(400, 600)


class _Nothing(BaseModel):
    """An answer in which nothing matters."""


class _ErrorData(BaseModel):
    """Details of an error beyond its message; the protocol leaves their place to agents."""

    details: str = ""
    name: str = Field(default="", alias="errorName")


class _SetModelRequest(BaseModel):
    """``session/set_model``, from before models became configuration options; the package no longer has it."""

    session_id: str = Field(alias="sessionId")
    model_id: str = Field(alias="modelId")


class Agent:
    """The requests that we make. Each raises ``AgentFailedError`` when the agent refuses or is no longer there."""

    def __init__(self, connection: Connection, transport: AgentTransport, tool: str) -> None:
        self._connection = connection
        self._transport = transport
        self._tool = tool
        self._login_hints: tuple[str, ...] = ()

    async def initialize(self, *, may_read: bool) -> protocol.InitializeResponse:
        """Agree on the protocol, and learn what the agent can do."""
        offered = protocol.ClientCapabilities(
            fs=protocol.FileSystemCapabilities(read_text_file=may_read, write_text_file=False)
        )
        request = protocol.InitializeRequest(
            protocol_version=PROTOCOL_VERSION,
            client_capabilities=offered,
            client_info=protocol.Implementation(name="sparring", version=__version__),
        )
        response = await self._request("initialize", request, protocol.InitializeResponse)
        if response.protocol_version != PROTOCOL_VERSION:
            detail = f"{self._tool} speaks version {response.protocol_version} of the protocol, not {PROTOCOL_VERSION}."
            raise AgentFailedError(FailureCode.UNSUPPORTED, detail)
        methods = response.auth_methods or ()
        self._login_hints = tuple(method.description or method.name for method in methods)
        return response

    async def new_session(self, cwd: str) -> SessionState:
        """Begin a session without MCP servers."""
        return await self._request("session/new", protocol.NewSessionRequest(cwd=cwd, mcp_servers=[]), SessionState)

    async def continue_session(self, session_id: str, cwd: str, *, resumes: bool) -> SessionState:
        """Continue a session; an agent that cannot resume one loads it, and repeats its past first."""
        method, asks = ("resume", protocol.ResumeSessionRequest) if resumes else ("load", protocol.LoadSessionRequest)
        request = asks(session_id=session_id, cwd=cwd, mcp_servers=[])
        state = await self._request(f"session/{method}", request, SessionState)
        return state.model_copy(update={"session_id": session_id})

    async def set_option(self, session_id: str, option: str, value: str) -> SessionState:
        """Set one option; the returned state has the values of all of them."""
        request = protocol.SetSessionConfigOptionSelectRequest(session_id=session_id, config_id=option, value=value)
        return await self._request("session/set_config_option", request, SessionState)

    async def set_mode(self, session_id: str, mode: str) -> None:
        """Put a session into a mode, for an agent that does not have modes among its options."""
        await self._request(
            "session/set_mode", protocol.SetSessionModeRequest(session_id=session_id, mode_id=mode), _Nothing
        )

    async def set_model(self, session_id: str, model: str) -> None:
        """Choose the model, for an agent that does not have models among its options."""
        await self._request("session/set_model", _SetModelRequest(sessionId=session_id, modelId=model), _Nothing)

    async def prompt(self, session_id: str, text: str) -> PromptResponse:
        """Ask, and wait for the end of the turn. Text meanwhile comes as notifications."""
        block = protocol.TextContentBlock(type="text", text=text)
        return await self._request(
            "session/prompt", protocol.PromptRequest(session_id=session_id, prompt=[block]), PromptResponse
        )

    async def cancel(self, session_id: str) -> None:
        """Ask the agent to stop; it answers the prompt when it has."""
        notification = protocol.CancelNotification(session_id=session_id)
        with suppress(ConnectionError):  # then it has stopped
            await self._connection.send_notification("session/cancel", _parameters(notification))

    async def _request(self, method: str, request: BaseModel, response: type[_Reply]) -> _Reply:
        try:
            result: Any = await self._connection.send_request(method, _parameters(request))
            return response.model_validate({} if result is None else result)
        except RequestError as error:
            raise AgentFailedError(self._code(error), self._reason(error)) from error
        except ValidationError as error:
            place = ".".join(str(part) for part in error.errors()[0]["loc"])
            detail = f"{self._tool} answered {method} with what cannot be parsed: {place or 'no object'}."
            raise AgentFailedError(FailureCode.PARSE, detail) from error
        except ConnectionError as error:  # the package's word for the end of the messages
            detail = f"{self._tool} ended before it had answered {method}."
            raise self._transport.fault or AgentEndedError(FailureCode.EXIT, detail) from error

    @staticmethod
    def _code(error: RequestError) -> FailureCode:
        by_name = _BY_ERROR_NAME.get(_data(error).name)
        # Gemini CLI 0.61.0 uses the HTTP status of its endpoint as code; the protocol leaves such numbers free.
        by_status = code_of_status(error.code) if error.code in _HTTP_ERRORS else None
        by_cause = code_of(cause_of({"message": str(error), "error": error.data}))
        return by_name or by_status or _BY_RPC_CODE.get(error.code) or by_cause or FailureCode.UNKNOWN

    def _reason(self, error: RequestError) -> str:
        hints = self._login_hints if error.code == _AUTH_REQUIRED else ()
        sentences = (str(error), _data(error).details, *(f"To sign in: {hint}" for hint in hints))
        return ". ".join(sentence.rstrip(".") for sentence in sentences if sentence)


def _data(error: RequestError) -> _ErrorData:
    try:
        return _ErrorData.model_validate(error.data)
    except ValidationError:
        return _ErrorData()


def _parameters(model: BaseModel) -> dict[str, Any]:
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)
