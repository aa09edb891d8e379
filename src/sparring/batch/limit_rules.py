"""What a batch may ask for in a minute, at once and altogether, and how that is written on a command line."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence

from pydantic import Field, PositiveFloat, PositiveInt

from sparring.errors import UsageError
from sparring.schema.base import Record, ToolName
from sparring.schema.providers import AcpProvider, ApiProvider, CliProvider, ProviderSpec
from sparring.text.tidying import one_line

PROGRAMS_AT_ONCE = 4
"""Programs of one tool that run at the same time on a machine: each takes some hundred megabytes."""

APIS_AT_ONCE = 64
"""Requests to one API that are under way at the same time from a machine."""

_TOOL = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
_SHOWN = 60
_DIGITS = 15  # so many digits every number of JSON can hold


class LimitRules(Record):
    """The limits of one batch, over all of its workers.

    Attributes:
        rpm: Requests a minute, by tool.
        tpm: Tokens a minute, by tool: what is read and what is said.
        at_once: Questions that one machine puts to a tool at the same time. A tool that is not named has no such limit
            (see ``with_usual_at_once``).
        max_cost_usd: Dollars for the whole batch; answers of which no price is known are not counted.
        max_calls: Questions for the whole batch.
        max_tokens: Tokens for the whole batch; answers of which no tokens are known are not counted.
    """

    rpm: Mapping[ToolName, PositiveInt] = Field(default={})
    tpm: Mapping[ToolName, PositiveInt] = Field(default={})
    at_once: Mapping[ToolName, PositiveInt] = Field(default={})
    max_cost_usd: PositiveFloat | None = None
    max_calls: PositiveInt | None = None
    max_tokens: PositiveInt | None = None

    @property
    def tools(self) -> frozenset[ToolName]:
        """Whatever is named: that there are such tools is for the caller to see."""
        return frozenset({*self.rpm, *self.tpm, *self.at_once})

    def with_usual_at_once(self, specs: Iterable[ProviderSpec]) -> "LimitRules":
        """These rules, with the usual number at once for those of ``specs`` that are not named."""
        usual = {spec.name: number for spec in specs if (number := usual_at_once(spec)) is not None}
        return self.model_copy(update={"at_once": {**usual, **self.at_once}})


def usual_at_once(spec: ProviderSpec) -> int | None:
    """How many questions a tool of that kind gets at the same time; None for what costs neither memory nor anything."""
    match spec:
        case CliProvider() | AcpProvider():
            return PROGRAMS_AT_ONCE
        case ApiProvider():
            return APIS_AT_ONCE
        case _:
            return None


def numbers_by_tool(option: str, values: Sequence[str]) -> dict[ToolName, int]:
    """What ``values`` of ``option``, each spelled ``TOOL=N``, say.

    Raises:
        UsageError: One is spelled otherwise, its number is none, or a tool has two.
    """
    found = dict[ToolName, int]()
    for value in values:
        tool, sign, text = (part.strip() for part in value.partition("="))
        if not sign or not _TOOL.fullmatch(tool):
            shown = one_line(repr(value), _SHOWN)
            raise UsageError(f"{option} takes TOOL=N, and not {shown}.", hint=f"Write e.g. `{option} openai=500`.")
        number = _whole_number(option, text)
        if found.setdefault(tool, number) != number:
            raise UsageError(f"{option} gives {tool} two numbers.", hint="Leave one of them out.")
    return found


def _whole_number(option: str, text: str) -> int:
    digits = text.replace("_", "")
    if not (digits.isascii() and digits.isdecimal()) or len(digits) > _DIGITS or int(digits) < 1:
        shown = one_line(repr(text), _SHOWN)
        raise UsageError(f"{option} takes a whole number from 1 on after the `=`, and not {shown}.")
    return int(digits)


def dollars(option: str, text: str) -> float:
    """The amount that ``text`` is, e.g. ``5`` or ``$0.50``.

    Raises:
        UsageError: It is none, or nothing.
    """
    try:
        amount = float(text.strip().removeprefix("$"))
    except ValueError:
        amount = math.nan
    if not (math.isfinite(amount) and amount > 0):
        raise UsageError(f"{option} takes dollars, e.g. `{option} 5`, and not {one_line(repr(text), _SHOWN)}.")
    return amount
