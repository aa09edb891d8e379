"""What was found out about a program, and of which version: ``measured.json`` in its folder, which ``make lab`` writes.

All that we rely on was seen with one version. Another one may hear more, ask more often and leave more behind.
"""

import re
from collections.abc import Mapping
from pathlib import Path

from sparring.schema.base import Record

_FILE = "measured.json"
_VERSION = re.compile(r"\d+(?:\.\d+)+")


class FailureTaken(Record):
    """What came of an endpoint that fails in one way.

    Attributes:
        code: Of the failure that we told of.
        requests: How many it sent for one question; None where nobody could count them.
        seconds: How long it took, on a machine with other work to do.
    """

    code: str
    requests: int | None
    seconds: int


class SignalTaken(Record):
    """How it took a signal while it waited for an answer; ``exit_code`` is None where it went on."""

    exit_code: int | None
    printed: bool
    left_alive: int


class Opening(Record):
    """How it begins as the host of an MCP server."""

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


def measured_file(tool: str) -> Path:
    """Where it stands what was measured of ``tool``, whose folder must be there."""
    return Path(__file__).with_name(tool) / _FILE


def measured(tool: str) -> Measured | None:
    """What was measured of ``tool``; None where nothing was."""
    file = measured_file(tool)
    return Measured.model_validate_json(file.read_bytes()) if file.is_file() else None


def doubt(tool: str, printed: str) -> str:
    """Why ``tool``, which ``printed`` this as its version, may behave as nobody has seen it; empty if it should not."""
    known = measured(tool)
    found = _VERSION.search(printed)
    if known is None or (found and found[0] == known.version):
        return ""
    unknown = "What it hears, how often it asks and what it leaves behind may differ: see docs/tools.md."
    if found is None:
        return f"Its version cannot be told from that; {known.version} is the one that was measured. {unknown}"
    order = "newer" if _parts(found[0]) > _parts(known.version) else "older"
    return f"{tool} {found[0]} is {order} than {known.version}, the last that was measured. {unknown}"


def _parts(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))
