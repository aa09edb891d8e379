"""How a talk with an agent ends when it brings no answer."""

from sparring.schema.consultation import FailureCode


class AgentFailedError(Exception):
    """The agent cannot answer, or cannot do what is asked of it.

    Attributes:
        code: What kind of failure this is.
        detail: A sentence for people, as it was said: neither redacted nor cut.
    """

    def __init__(self, code: FailureCode, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail


class AgentEndedError(AgentFailedError):
    """The agent has closed its output, most likely by ending, before it had answered."""
