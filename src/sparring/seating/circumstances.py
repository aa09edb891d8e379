"""What a format may find out about the world before a run begins: who can be asked, and what goes along.

Formats do no I/O. They are handed this when options are made into a request, and never again.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from sparring.schema.base import Record, ToolName
from sparring.schema.context import ContextPart
from sparring.schema.providers import ProviderSpec
from sparring.seating.options import Given
from sparring.text.redaction import Redacted

R = TypeVar("R", bound=Record)


class Tools(Protocol):
    """Who can be asked here."""

    @property
    def host(self) -> ToolName | None:
        """The name under which the agent that called us can be asked; None where nobody could answer."""
        ...

    @property
    def notices(self) -> tuple[str, ...]:
        """What everybody who asks somebody should be told about the providers."""
        ...

    def spec(self, tool: str) -> ProviderSpec:
        """The provider of that name; raises ``UsageError`` where there is none, or its file is malformed."""
        ...

    def ai_tools(self) -> Iterator[ToolName]:
        """The tools that can be asked and have a model behind them, in the order of preference."""
        ...

    def are_related(self, tool: ToolName, other: ToolName) -> bool:
        """Whether both have models of the same family behind them."""
        ...

    def is_host(self, tool: ToolName) -> bool:
        """Whether that tool is the agent that called us."""
        ...


@dataclass(frozen=True)
class Material:
    """The parts without their secrets, how many those were, and what the user should know."""

    parts: tuple[ContextPart, ...] = ()
    redactions: int = 0
    notices: tuple[str, ...] = ()


class Circumstances(Protocol):
    """The project at work, as somebody asks for a run in it. Every method may raise ``UsageError``."""

    @property
    def tools(self) -> Tools:
        """Who can be asked."""
        ...

    @property
    def given(self) -> Given:
        """What came with the options."""
        ...

    def redact(self, text: str) -> Redacted:
        """``text`` without secrets."""
        ...

    def context(self, spelled: Sequence[str], limit_kib: int, *, secrets_allowed: bool) -> Material:
        """The material that ``spelled`` names, and what was piped in."""
        ...

    def evidence(
        self, texts: Sequence[str], files: Sequence[str], limit_kib: int, *, secrets_allowed: bool
    ) -> Material:
        """Each source under a name of its own, and what was piped in last; there is at least one."""
        ...

    def statement(self, text: str, file: str, *, secrets_allowed: bool) -> str:
        """A short text that was given as it is, or in a file."""
        ...

    def settings_file(self, path: str, default: str, limit: int) -> tuple[str, str]:
        """Where a file of settings stands and what is in it; both empty where none is named and ``default`` is not."""
        ...

    def output_folder(self, spelled: str) -> str | None:
        """The folder that ``spelled`` names, from the project's root and with slashes; None when it names none."""
        ...

    def kept(self, path: str, kind: type[R]) -> R | None:
        """The record that the state folder holds below ``path``; raises ``StoreError`` where it is none."""
        ...
