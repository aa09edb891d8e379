"""Messages as lines: what the package ``acp`` sends and receives, over a conversation with a bound.

Agents print banners and logs among their messages, so a line that is no JSON object, or an object that does not claim
to be JSON-RPC, is passed over. A line that claims it and is broken ends the talk: something that was said is lost.
"""

import json
from typing import Any

from pydantic import BaseModel, StrictInt, StrictStr

from sparring.consult.acp.ending import AgentFailedError
from sparring.consult.process import OUTPUT_LIMIT, Conversation, OutputOverflowError
from sparring.schema.consultation import FailureCode


class _RpcError(BaseModel):
    code: StrictInt
    message: StrictStr


class _Frame(BaseModel):
    """As much of a message as the package relies on without looking."""

    id: StrictInt | StrictStr | None = None
    method: StrictStr | None = None
    error: _RpcError | None = None


class AgentTransport:
    """A ``Transport`` of the package. Never raises into it: it would write what an agent said to our standard error.

    Attributes:
        fault: Why the messages ended before the agent did; None as long as there is no such reason.
    """

    def __init__(self, conversation: Conversation, tool: str) -> None:
        self._conversation = conversation
        self._tool = tool
        self.fault: AgentFailedError | None = None

    async def send(self, message: dict[str, Any]) -> None:
        """Send one message. Whether it arrives shows in what comes back."""
        await self._conversation.send(json.dumps(message).encode())

    async def receive(self) -> dict[str, Any] | None:
        """The next message, or None when there will be none: the agent ended its output, or ``fault`` says why."""
        try:
            while (line := await self._conversation.receive()) is not None:
                if (message := _message(line)) is not None:
                    return message
        except OutputOverflowError:
            detail = f"{self._tool} said more than {OUTPUT_LIMIT // 2**20} MiB and was ended."
            self.fault = AgentFailedError(FailureCode.PARSE, detail)
        except ValueError:  # pydantic's is one of them
            detail = f"{self._tool} sent a message that cannot be understood."
            self.fault = AgentFailedError(FailureCode.PARSE, detail)
        return None

    async def close(self) -> None:
        """Nothing to do: whoever began the conversation ends it."""


def _message(line: bytes) -> dict[str, Any] | None:
    """The message in ``line``, None for noise.

    Raises:
        ValueError: It is a broken message.
    """
    text = line.strip()
    if not text.startswith(b"{"):
        return None
    try:
        message: dict[str, Any] = json.loads(text.decode("utf-8"))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if "jsonrpc" not in message:
        return None
    _Frame.model_validate(message)
    return message
