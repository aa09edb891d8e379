"""Base of all records, vocabularies that several of them use, and participants."""

import re
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints

SCHEMA_VERSION = 1
"""Version of everything written to disk. A file with a higher one is refused, never guessed at."""


class Record(BaseModel):
    """An immutable record that refuses fields it does not know, and numbers that JSON does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, defer_build=True)


class Effort(StrEnum):
    """Thinking effort of a consulted tool; each provider maps it to its own setting."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    MAX = "max"


class RepoAccess(StrEnum):
    """Access of a consulted tool to the project. Nothing lets it write."""

    NONE = "none"
    READ = "read"


class Role(StrEnum):
    """Role of a speaker in a deliberation."""

    PROPOSER = "proposer"
    CHALLENGER = "challenger"
    JUDGE = "judge"
    FACT_CHECKER = "fact_checker"
    ADVOCATE = "advocate"
    SKEPTIC = "skeptic"
    CHAIR = "chair"
    PROMOTER = "promoter"
    DETRACTOR = "detractor"
    AUDIENCE = "audience"
    REPORTER = "reporter"
    CONSULTANT = "consultant"
    REVIEWER = "reviewer"
    EXAMINER = "examiner"
    VERIFIER = "verifier"

    @property
    def display_name(self) -> str:
        """As people write it, e.g. ``fact-checker``."""
        return self.value.replace("_", "-")


_CONTROL_CHARACTER = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")


def _no_control_characters(value: str) -> str:
    if _CONTROL_CHARACTER.search(value):
        raise ValueError("must not contain control characters")
    return value


ToolName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,39}$")]
"""Name of a provider: lower-case letters, digits, hyphens, underscores."""

ModelName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:/@+\[\]-]{0,199}$")]
"""A model id as its vendor spells it. It may not begin with a hyphen, since some tools read it from argv."""

SessionId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._:][A-Za-z0-9._:-]*$", max_length=200)]
"""Id of a consulted tool's own session (design: Consult, Sessions)."""

RUN_ID = r"^[a-z][a-z-]*-\d{8}T\d{6}Z-[0-9a-f]{4}$"
RunId = Annotated[str, StringConstraints(pattern=RUN_ID)]
"""``{kind}-{ISO 8601 basic timestamp}-{4 hex digits}``; basic, because Windows paths hold no colon."""

Language = Annotated[str, StringConstraints(pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$")]
"""A language by its BCP 47 tag, e.g. ``en``, ``vi``, ``pt-BR``."""

PlainText = Annotated[str, AfterValidator(_no_control_characters)]
"""Text without control characters other than tab and line ends."""

REPLY_TEXT_LIMIT = 10_000
"""Characters of a claim or a quote: more is a document."""

REASON_LIMIT = 20_000
"""Characters of a model's reason, summary or recommendation."""

LIST_LIMIT = 200
"""Things of one kind that a model may list."""

ReplyText = Annotated[str, StringConstraints(max_length=REPLY_TEXT_LIMIT)]
"""A quote, or a part of a claim, as a model gives it."""

ReasonText = Annotated[str, StringConstraints(max_length=REASON_LIMIT)]
"""Reason in a model's own words."""

Moment = Annotated[AwareDatetime, Field(description="ISO 8601, UTC")]


def utc_now() -> datetime:
    """The present moment in UTC, to the millisecond that records keep."""
    now = datetime.now(UTC)
    return now.replace(microsecond=now.microsecond // 1000 * 1000)


RULE_BASED_TOOL = "offline"
"""Tool without a model. It may sit in several seats, because it has no opinion (design: Debate)."""

HOST_TOOL = "host"
"""The calling agent, in a seat of its own deliberation (design: The MCP surface)."""

CITATION_CHECKER = "sparring-citations"
NOTE_TAKER = "sparring-notes"
"""Tool that looks up citations of the project: this program itself. No provider should be named so."""

SOURCE_CHECKER = "sparring-sources"
"""Tool that looks up sources on the web: this program itself."""


class Participant(Record):
    """A tool in a role, with the model it is asked to use (None: its own default)."""

    tool: ToolName
    model: ModelName | None = None


def spelled_tool(tool: ToolName, model: ModelName | None) -> str:
    """Return how a tool is typed with its model: ``codex``, or ``codex:MODEL``."""
    return f"{tool}:{model}" if model else tool


def respondent_name(tool: ToolName, stands_in_for: ToolName | None) -> str:
    """Return e.g. ``codex``, or ``codex for claude`` if it answered in the place of claude."""
    return f"{tool} for {stands_in_for}" if stands_in_for else tool


class StateParticipant(Record):
    """A participant in a state file.

    Attributes:
        tool: The tool that answered; where none did, the tool that was asked.
        model: As the tool reported it, else as it was requested.
        stands_in_for: The tool of the seat, if another one answered in its place.
    """

    tool: ToolName
    model: str | None
    stands_in_for: ToolName | None = Field(default=None, exclude_if=lambda tool: tool is None)

    @property
    def name(self) -> str:
        """E.g. ``codex``, or ``codex for claude`` if it answered in the place of claude."""
        return respondent_name(self.tool, self.stands_in_for)
