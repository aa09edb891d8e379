"""Measurements of a program, stored beside its provider."""

from collections.abc import Mapping

from sparring.app.doctor import measured_file
from sparring.schema.base import Record


class FailureTaken(Record):
    """Behaviour with an endpoint that fails in one way.

    Attributes:
        code: Of the failure that we told of.
        requests: How many it sent for one question; None where nobody could count them.
        seconds: How long it took, on a machine with other work to do.
    """

    code: str
    requests: int | None
    seconds: int


class SignalTaken(Record):
    """Behaviour on a signal while it waits for an answer; ``exit_code`` is None if it continues."""

    exit_code: int | None
    printed: bool
    left_alive: int


class Opening(Record):
    """Opening messages as the host of an MCP server."""

    client: str
    messages: tuple[str, ...]
    protocol: str


class Measured(Record):
    """One version of one program.

    Attributes:
        hears: Files of instructions of the user's or the project's whose words reached the model.
        adds: Characters of a request beside the question, when it may use nothing.
        largest_answer: Bytes of the largest answer that was tried and arrived whole.
        waits_s: How long it was seen to wait for an answer to begin, when it was allowed to.
        failures: By what the endpoint does.
        signals: By name.
        leaves: What was in the home folder and in the one for temporary files after one question.
    """

    tool: str
    version: str
    day: str
    hears: tuple[str, ...]
    adds: int
    largest_answer: int
    waits_s: int
    failures: Mapping[str, FailureTaken]
    signals: Mapping[str, SignalTaken]
    leaves: tuple[str, ...]
    opening: Opening


def measured(tool: str) -> Measured | None:
    """Return the measurements of ``tool``; None if there are none."""
    file = measured_file(tool)
    return Measured.model_validate_json(file.read_bytes()) if file.is_file() else None
