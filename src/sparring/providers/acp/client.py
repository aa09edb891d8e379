"""The client side of a conversation with an agent: its updates, its requests to us, and our answers.

Read access to the project is granted if it was allowed, and nothing more. Files are read only for an agent that may see
the project. Nothing is written, and nothing is run.
"""

import os
import re
from collections.abc import Sequence
from io import StringIO
from pathlib import Path, PureWindowsPath
from typing import Any

from acp import RequestError
from acp import schema as protocol
from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from msgspec import Struct, field
from pydantic import BaseModel, Field, ValidationError

from sparring.errors import UsageError
from sparring.providers.cli.confinement import ReadFile
from sparring.providers.cli.output import text_of
from sparring.providers.receiving.causes import ForeignText, ValidOrNone
from sparring.schema.base import RepoAccess
from sparring.schema.consultation import DETAIL_LIMIT
from sparring.text import redaction, secret_shapes, tidying

_PARAGRAPH = "\n\n"


class _Location(BaseModel):
    path: ForeignText


class ToolCall(BaseModel):
    """Call of one of an agent's own tools; later updates add missing fields."""

    id: str = Field(alias="toolCallId", default="")
    kind: str | None = None
    title: ForeignText | None = None
    status: str | None = None
    locations: tuple[_Location, ...] | None = None

    def __str__(self) -> str:
        return tidying.one_line(f"{self.kind or 'other'} {self.title or ''}", DETAIL_LIMIT // 2)

    def paths(self) -> tuple[str, ...]:
        """Return the paths that the call reads or changes."""
        return tuple(location.path for location in self.locations or ())


class _Content(BaseModel):
    type: ValidOrNone[str] = None
    text: Any = None


class _Chunk(BaseModel):
    content: _Content
    message_id: ValidOrNone[str] = Field(default=None, alias="messageId")


class _UsageUpdate(BaseModel):
    cost: ValidOrNone[protocol.Cost] = None


class _Update(BaseModel):
    kind: str = Field(alias="sessionUpdate")


class _Notification(BaseModel):
    session_id: ValidOrNone[str] = Field(default=None, alias="sessionId")
    update: dict[str, Any]


class SessionUpdates(Struct):
    """Updates of one session from ``begin`` on: earlier ones are the past of a continued session.

    Attributes:
        calls: Calls of the agent's own tools, by their ids.
        allowed: Ids of those for which permission was granted.
        cost: Cost of the session so far; None when the agent does not report it.
        left_out: Whether it sent content that is no text.
        is_broken: Whether a part of its answer cannot be parsed.
    """

    calls: dict[str, ToolCall] = field(default_factory=dict[str, ToolCall])
    allowed: set[str] = field(default_factory=set[str])
    cost: protocol.Cost | None = None
    left_out: bool = False
    is_broken: bool = False
    _session_id: str | None = None
    _messages: list[list[str]] = field(default_factory=list[list[str]])
    _message_id: str | None = None
    _is_interrupted: bool = True

    def begin(self, session_id: str) -> None:
        """Listen to that session from now on."""
        self._session_id = session_id

    def text(self) -> str:
        """The whole text; messages that a thought, a tool call or another id separates are paragraphs."""
        return _PARAGRAPH.join("".join(message) for message in self._messages)

    def receive_update(self, notification: Any) -> None:
        """Take in the parameters of one ``session/update``.

        Kinds that are not known are passed over, and what cannot be parsed, unless it is a part of the answer.
        """
        try:
            received = _Notification.model_validate(notification)
        except ValidationError:
            return
        if received.session_id not in (None, self._session_id):
            return
        try:
            self._apply_update(received.update)
        except ValidationError:
            self.is_broken = self.is_broken or received.update.get("sessionUpdate") == "agent_message_chunk"

    def known(self, call: ToolCall) -> ToolCall:
        """Return ``call`` completed from earlier updates."""
        earlier = self.calls.get(call.id)
        return call if earlier is None else earlier.model_copy(update=_updated_fields(call))

    def _apply_update(self, update: dict[str, Any]) -> None:
        match _Update.model_validate(update).kind:
            case "agent_message_chunk":
                self._append(_Chunk.model_validate(update))
            case "tool_call" | "tool_call_update":
                call = ToolCall.model_validate(update)
                self.calls[call.id] = self.known(call)
                self._is_interrupted = True
            case "agent_thought_chunk":
                self._is_interrupted = True
            case "usage_update":
                self.cost = _UsageUpdate.model_validate(update).cost
            case _:
                pass  # plans, commands, modes: not for the answer

    def _append(self, chunk: _Chunk) -> None:
        if chunk.content.type not in (None, "text"):
            self.left_out = True
            return
        if (text := text_of(chunk.content.text)) is None:
            self.is_broken = True
            return
        if self._is_interrupted or chunk.message_id != self._message_id:
            self._messages.append([])
        self._is_interrupted, self._message_id = False, chunk.message_id
        self._messages[-1].append(text)


def _updated_fields(call: ToolCall) -> dict[str, Any]:
    # An empty list of locations is what opencode 1.18.33 gives with a request for permission, having named them before.
    fields = {name: getattr(call, name) for name in call.model_fields_set}
    return {name: value for name, value in fields.items() if value not in (None, ())}


_LOOKING = frozenset({"read", "search"})


_OTHER_GRAMMAR = re.compile(r"^[A-Za-z][\w+.-]*:|^[\\/]{2}|%\w+%|\$[\w{(]|[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""An address, a drive, a share, a variable or a second line: its reader may take it for another name than we do."""


class AgentPermissions:
    """Permissions for what an agent does, or wants to do, with tools of its own.

    An agent itself reports the kind and place of its calls, so this keeps an honest agent to what was allowed;
    it is no sandbox for any other.
    """

    def __init__(self, project: Path, access: RepoAccess) -> None:
        self._project = project
        self._access = access

    def allows(self, call: ToolCall) -> bool:
        """Return whether the call may be made: it looks, and only at places that it names and that are open."""
        return bool(call.paths()) and self.tolerates(call)

    def tolerates(self, call: ToolCall) -> bool:
        """Return whether a call without a request for permission is acceptable: it reads, and nothing closed."""
        return self._access is RepoAccess.READ and call.kind in _LOOKING and all(map(self._is_open, call.paths()))

    def _is_open(self, path: str) -> bool:
        # Agents name files absolutely or from their working directory (opencode 1.18.33); "~" is for shells. Half a
        # character has no known meaning.
        if (
            not path
            or _OTHER_GRAMMAR.search(path)
            or path.startswith("~")
            or {"\0", "\ufffd"} & set(path)
            or ".." in PureWindowsPath(path).parts
        ):
            return False
        root = os.path.realpath(self._project)
        real = os.path.realpath(self._project / path)  # never raises for missing files or a circle of links
        if not Path(real).is_relative_to(root):
            return False
        return not secret_shapes.may_hold_secrets(os.path.relpath(real, root)) and not secret_shapes.may_hold_secrets(
            Path(path).name
        )


def response(options: Sequence[protocol.PermissionOption], *, allowed: bool) -> protocol.RequestPermissionResponse:
    """The answer to a request: once, or not this time. Nothing is granted or refused for good.

    Where there is no such option the request counts as cancelled, which grants nothing either.
    """
    wanted = "allow_once" if allowed else "reject_once"
    option = next((option for option in options if option.kind == wanted), None)
    if option is None:
        return protocol.RequestPermissionResponse(outcome=protocol.DeniedOutcome(outcome="cancelled"))
    return protocol.RequestPermissionResponse(
        outcome=protocol.AllowedOutcome(outcome="selected", option_id=option.option_id)
    )


FILE_LIMIT = 1024 * 1024
"""Most bytes of a file that an agent is given."""

SERVED_LIMIT = 8 * 1024 * 1024
"""Most characters of all files served to it; no question needs more."""

_DONE = frozenset({"completed", "in_progress"})


class AgentClient:
    """Client that answers an agent's requests.

    Attributes:
        refused: Refused requests, in the agent's own words, each once.
        redactions: Number of secrets removed from the content that it received.
    """

    def __init__(
        self,
        updates: SessionUpdates,
        project: Path,
        access: RepoAccess,
        redactor: redaction.Redactor,
        read_file: ReadFile,
    ) -> None:
        self._updates = updates
        self._permits = AgentPermissions(project, access)
        self._project = project
        self._access = access
        self._redactor = redactor
        self._read_file = read_file
        self._one_at_a_time = CapacityLimiter(1)
        self._served = 0
        self.refused: dict[str, None] = {}
        self.redactions = 0

    def own_actions(self) -> list[str]:
        """Return the completed tool calls that no permission covers."""
        done = (call for call in self._updates.calls.values() if call.status in _DONE and call.kind != "think")
        granted = self._updates.allowed
        return [str(call) for call in done if call.id not in granted and not self._permits.tolerates(call)]

    async def __call__(self, method: str, params: Any, is_notification: bool) -> Any:  # noqa: FBT001 - the package's shape
        """Answer one request, or process one notification, which never causes an error.

        Raises:
            RequestError: The request is not granted; the agent gets the reason.
        """
        if is_notification:
            if method == "session/update":
                self._updates.receive_update(params)
            return None
        try:
            return await self._answer(method, params)
        except ValidationError as error:
            raise RequestError.invalid_params() from error

    async def _answer(self, method: str, params: Any) -> BaseModel:
        match method:
            case "session/request_permission":
                return self._permission(protocol.RequestPermissionRequest.model_validate(params), params)
            case "fs/read_text_file" if self._access is RepoAccess.READ:
                return await self._file(protocol.ReadTextFileRequest.model_validate(params))
            case _:
                self.refused[method] = None
                raise RequestError.method_not_found(method)

    def _permission(
        self, request: protocol.RequestPermissionRequest, params: dict[str, Any]
    ) -> protocol.RequestPermissionResponse:
        # Validated again: the package drops a location that it cannot read, and the rest would be allowed.
        call = self._updates.known(ToolCall.model_validate(params["toolCall"]))
        allowed = self._permits.allows(call)
        if allowed:
            self._updates.allowed.add(call.id)
        else:
            self.refused[str(call)] = None
        return response(request.options, allowed=allowed)

    async def _file(self, request: protocol.ReadTextFileRequest) -> protocol.ReadTextFileResponse:
        try:
            # One at a time, or a flood of requests would be as many files in memory.
            text = await run_sync(self._read, request.path, limiter=self._one_at_a_time)
        except UsageError as error:
            self.refused[f"read {request.path}"] = None
            raise RequestError.invalid_params({"details": str(error)}) from error
        first = max((request.line or 1) - 1, 0)
        lines = list(StringIO(text))[first:]  # by ``splitlines`` a form feed would end one as well
        content = "".join(lines if request.limit is None else lines[: request.limit])
        self._served += len(content)
        return protocol.ReadTextFileResponse(content=content)

    def _read(self, path: str) -> str:
        if self._served >= SERVED_LIMIT:
            raise UsageError("Enough was read.")
        text = self._read_file(path, self._project, FILE_LIMIT)
        if text is None:
            raise UsageError(f"The file has more than {FILE_LIMIT // 2**20} MiB.")
        harmless = self._redactor.redact(text)  # whole: half a secret is no longer recognised
        self.redactions += harmless.count
        return harmless.text
