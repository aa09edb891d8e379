"""An agent as a few typed requests, each of which succeeds or says why not."""

from contextlib import suppress
from typing import Any, TypeVar

from acp import PROTOCOL_VERSION, RequestError
from acp.connection import Connection
from acp.schema import (
    CancelNotification,
    ClientCapabilities,
    FileSystemCapabilities,
    Implementation,
    InitializeRequest,
    InitializeResponse,
    LoadSessionRequest,
    NewSessionRequest,
    PromptRequest,
    PromptResponse,
    ResumeSessionRequest,
    SetSessionConfigOptionSelectRequest,
    SetSessionModeRequest,
    TextContentBlock,
)
from pydantic import BaseModel, Field, ValidationError

from sparring import __version__
from sparring.consult.acp.ending import AgentEndedError, AgentFailedError
from sparring.consult.acp.offers import SessionState
from sparring.consult.acp.transport import AgentTransport
from sparring.consult.outputs.classification import code_of_status
from sparring.schema.consultation import FailureCode

_Model = TypeVar("_Model", bound=BaseModel)

_AUTH_REQUIRED = -32000
_BY_RPC_CODE = {
    _AUTH_REQUIRED: FailureCode.AUTH,
    -32002: FailureCode.NOT_FOUND,  # of the session
    -32601: FailureCode.UNSUPPORTED,
}
_BY_ERROR_NAME = {"ContextOverflowError": FailureCode.CONTEXT_TOO_LONG}  # opencode 1.18.33
_HTTP_ERRORS = range(400, 600)


class _Nothing(BaseModel):
    """An answer in which nothing matters."""


class _ErrorData(BaseModel):
    """What agents say besides the message of an error; where, the protocol leaves to them."""

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

    async def initialize(self, *, may_read: bool) -> InitializeResponse:
        """Agree on the protocol, and learn what the agent can do."""
        offered = ClientCapabilities(fs=FileSystemCapabilities(read_text_file=may_read, write_text_file=False))
        request = InitializeRequest(
            protocol_version=PROTOCOL_VERSION,
            client_capabilities=offered,
            client_info=Implementation(name="sparring", version=__version__),
        )
        response = await self._request("initialize", request, InitializeResponse)
        if response.protocol_version != PROTOCOL_VERSION:
            detail = f"{self._tool} speaks version {response.protocol_version} of the protocol, not {PROTOCOL_VERSION}."
            raise AgentFailedError(FailureCode.UNSUPPORTED, detail)
        methods = response.auth_methods or ()
        self._login_hints = tuple(method.description or method.name for method in methods)
        return response

    async def new_session(self, cwd: str) -> SessionState:
        """Begin a session without MCP servers."""
        return await self._request("session/new", NewSessionRequest(cwd=cwd, mcp_servers=[]), SessionState)

    async def resume_session(self, session_id: str, cwd: str) -> SessionState:
        """Continue a session; nothing of its past is told."""
        request = ResumeSessionRequest(session_id=session_id, cwd=cwd, mcp_servers=[])
        state = await self._request("session/resume", request, SessionState)
        return state.model_copy(update={"session_id": session_id})

    async def load_session(self, session_id: str, cwd: str) -> SessionState:
        """Continue a session; its past is told first."""
        request = LoadSessionRequest(session_id=session_id, cwd=cwd, mcp_servers=[])
        state = await self._request("session/load", request, SessionState)
        return state.model_copy(update={"session_id": session_id})

    async def set_option(self, session_id: str, option: str, value: str) -> SessionState:
        """Set one option; the state that comes back tells what all of them are now."""
        request = SetSessionConfigOptionSelectRequest(session_id=session_id, config_id=option, value=value)
        return await self._request("session/set_config_option", request, SessionState)

    async def set_mode(self, session_id: str, mode: str) -> None:
        """Put a session into a mode, for an agent that does not have modes among its options."""
        await self._request("session/set_mode", SetSessionModeRequest(session_id=session_id, mode_id=mode), _Nothing)

    async def set_model(self, session_id: str, model: str) -> None:
        """Choose the model, for an agent that does not have models among its options."""
        await self._request("session/set_model", _SetModelRequest(sessionId=session_id, modelId=model), _Nothing)

    async def prompt(self, session_id: str, text: str) -> PromptResponse:
        """Ask, and wait for the end of the turn. What is said meanwhile comes as notifications."""
        block = TextContentBlock(type="text", text=text)
        return await self._request(
            "session/prompt", PromptRequest(session_id=session_id, prompt=[block]), PromptResponse
        )

    async def cancel(self, session_id: str) -> None:
        """Ask the agent to stop; it answers the prompt when it has."""
        notification = CancelNotification(session_id=session_id)
        with suppress(ConnectionError):  # then it has stopped
            await self._connection.send_notification("session/cancel", _parameters(notification))

    async def _request(self, method: str, request: BaseModel, response: type[_Model]) -> _Model:
        try:
            result: Any = await self._connection.send_request(method, _parameters(request))
            return response.model_validate({} if result is None else result)
        except RequestError as error:
            raise AgentFailedError(self._code(error), self._reason(error)) from error
        except ValidationError as error:
            place = ".".join(str(part) for part in error.errors()[0]["loc"])
            detail = f"{self._tool} answered {method} with what cannot be understood: {place or 'no object'}."
            raise AgentFailedError(FailureCode.PARSE, detail) from error
        except ConnectionError as error:  # the package's word for the end of the messages
            detail = f"{self._tool} ended before it had answered {method}."
            raise self._transport.fault or AgentEndedError(FailureCode.EXIT, detail) from error

    @staticmethod
    def _code(error: RequestError) -> FailureCode:
        by_name = _BY_ERROR_NAME.get(_data(error).name)
        # Gemini CLI 0.61.0 puts the HTTP status of its endpoint there; the protocol leaves such numbers free.
        by_status = code_of_status(error.code) if error.code in _HTTP_ERRORS else None
        return by_name or by_status or _BY_RPC_CODE.get(error.code, FailureCode.EXIT)

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
