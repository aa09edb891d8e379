"""What an agent says and does while it answers one prompt: its updates, put together."""

from dataclasses import dataclass, field
from typing import Any

from acp.schema import Cost
from pydantic import BaseModel, Field, ValidationError

from sparring.consult.outputs.classification import ForeignText
from sparring.schema.consultation import DETAIL_LIMIT
from sparring.text.tidying import one_line

_PARAGRAPH = "\n\n"


class _Location(BaseModel):
    path: str


class ToolCall(BaseModel):
    """What is known of one call of an agent's own tools; later updates fill in what the first left out."""

    id: str = Field(alias="toolCallId", default="")
    kind: str | None = None
    title: ForeignText | None = None
    status: str | None = None
    locations: tuple[_Location, ...] | None = None

    def __str__(self) -> str:
        return one_line(f"{self.kind or 'other'} {self.title or ''}", DETAIL_LIMIT // 2)

    def paths(self) -> tuple[str, ...]:
        """What it is about to look at or to change."""
        return tuple(location.path for location in self.locations or ())


class _Content(BaseModel):
    type: str
    text: ForeignText = ""


class _Chunk(BaseModel):
    content: _Content
    message_id: str | None = Field(default=None, alias="messageId")


class _UsageUpdate(BaseModel):
    cost: Cost | None = None


class _Update(BaseModel):
    kind: str = Field(alias="sessionUpdate")


class _Notification(BaseModel):
    session_id: str = Field(alias="sessionId")
    update: dict[str, Any]


@dataclass
class Hearing:
    """Listens to one session from ``begin`` on: what is told before that is the past of a continued session.

    Attributes:
        calls: Calls of the agent's own tools, by their ids.
        allowed: Ids of those for which it asked permission, and got it.
        cost: What the session has cost so far; None when the agent does not tell.
        left_out: Whether it said something that is no text.
        is_broken: Whether it said something that cannot be understood.
    """

    calls: dict[str, ToolCall] = field(default_factory=dict[str, ToolCall])
    allowed: set[str] = field(default_factory=set[str])
    cost: Cost | None = None
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
        """All that was said; messages that a thought, a tool call or another id sets apart are paragraphs."""
        return _PARAGRAPH.join("".join(message) for message in self._messages)

    def hear(self, notification: Any) -> None:
        """Take in the parameters of one ``session/update``. Kinds that are not known here are passed over."""
        try:
            heard = _Notification.model_validate(notification)
            if heard.session_id == self._session_id:
                self._take_in(heard.update)
        except ValidationError:
            self.is_broken = True

    def known(self, call: ToolCall) -> ToolCall:
        """``call`` with what earlier updates told of it."""
        earlier = self.calls.get(call.id)
        return call if earlier is None else earlier.model_copy(update=_told(call))

    def _take_in(self, update: dict[str, Any]) -> None:
        match _Update.model_validate(update).kind:
            case "agent_message_chunk":
                self._say(_Chunk.model_validate(update))
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

    def _say(self, chunk: _Chunk) -> None:
        if chunk.content.type != "text":
            self.left_out = True
            return
        if self._is_interrupted or chunk.message_id != self._message_id:
            self._messages.append([])
        self._is_interrupted, self._message_id = False, chunk.message_id
        self._messages[-1].append(chunk.content.text)


def _told(call: ToolCall) -> dict[str, Any]:
    # An empty list of locations is what opencode 1.18.33 gives with a request for permission, having named them before.
    fields = {name: getattr(call, name) for name in call.model_fields_set}
    return {name: value for name, value in fields.items() if value not in (None, ())}
