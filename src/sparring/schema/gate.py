"""The records of a gate: its settings, its memory, and its answers to a host."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from sparring.schema.base import SCHEMA_VERSION, Record, RunId
from sparring.schema.checks import CheckResult
from sparring.schema.review import DefectClass, DefectSeverity

GATE_LIMIT_S = 900
"""Seconds after which a host gives up on the hook; a gate that works has answered long before."""


MOST_CHECKS = 10
CheckCommand = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2_000)]


class GateEvent(StrEnum):
    """When a host asks: before its agent stops working, or before a plan is accepted."""

    STOP = "stop"
    PLAN = "plan"


class GateRules(Record):
    """``[gate]`` in the user's configuration.

    Attributes:
        reviewers: As for ``sparring review``; empty: all that are available.
        severity: From which severity on a confirmed finding blocks.
        paths: The same for files that match a pattern; the first match counts. ``off``: not shown to reviewers.
        max_time: Most seconds that a host waits.
        max_cost: Most cost of one review, in USD.
        rounds: Most times that one session is blocked.
        checks: Commands that are run in the project before the review, within half of ``max_time``.
    """

    reviewers: tuple[str, ...] = ()
    severity: DefectSeverity = DefectSeverity.MAJOR
    paths: Mapping[str, DefectSeverity | Literal["off"]] = {}
    max_time: float = Field(default=300, ge=10, le=GATE_LIMIT_S - 60)
    max_cost: float = Field(default=2, gt=0, allow_inf_nan=False)
    rounds: int = Field(default=2, ge=1, le=7)
    checks: tuple[CheckCommand, ...] = Field(default=(), max_length=MOST_CHECKS)


class GateFinding(Record):
    """Confirmed finding, as a host is shown it."""

    id: str
    file: str
    line: int
    severity: DefectSeverity
    defect: DefectClass
    title: str
    fix: str
    families: tuple[str, ...]


class GateVerdict(Record):
    """The result of the review of one change.

    Attributes:
        digest: The identity of the change, its reviewers and their rules: ``ReviewRequest.identity``.
        summary: The ending of the review, in one line.
        confirmed: Each blocks or not by the rules at the time of the query.
        checks: Results of the user's own commands.
        is_whole: Whether everything was reviewed; otherwise each answer states that it was not.
        has_quorum: Whether enough reviewers answered, with usable replies; otherwise the verdict is not kept.
    """

    digest: str
    run_id: RunId
    summary: str
    confirmed: tuple[GateFinding, ...] = ()
    checks: tuple[CheckResult, ...] = ()
    is_whole: bool = True
    has_quorum: bool = True


class GateRun(Record):
    """A review begun for that digest: it is resumed, or its failed reviewers are asked again.

    ``tries``: number of requests to all reviewers.
    """

    digest: str
    run_id: RunId
    tries: int = 1


class GateSession(Record):
    """One session of a host.

    Attributes:
        blocks: How often it was blocked.
        shown: The ids of the findings and failed checks that blocked it.
    """

    id: str
    blocks: int = 0
    shown: tuple[str, ...] = ()


class GateMemory(Record):
    """``review/gate-….json``: verdicts, begun reviews and blocked sessions; the latest come last."""

    schema_version: int = SCHEMA_VERSION
    verdicts: tuple[GateVerdict, ...] = ()
    runs: tuple[GateRun, ...] = ()
    sessions: tuple[GateSession, ...] = ()


class GateAnswer(Record):
    """Reply to a host: the reason for blocking, or a notice for its user; empty if nothing is new."""

    text: str = ""
    blocks: bool = False
