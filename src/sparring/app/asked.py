"""Who is asked: from ``claude:opus,codex`` and a count to one entry for each answer that is wanted."""

from dataclasses import dataclass, replace

from sparring.app.roster import Roster
from sparring.errors import UsageError
from sparring.schema.consult import MOST_ASKED
from sparring.schema.participants import RULE_BASED_TOOL
from sparring.schema.providers import ProviderKind
from sparring.text.tidying import one_line

NO_MODEL = frozenset({"", "auto", "omit"})
"""Spellings of "let the tool choose its model" (specification: none is passed)."""

_SHOWN = 100


@dataclass(frozen=True)
class Named:
    """A tool as it was named, with its model; ``transport`` once it is known to exist."""

    tool: str
    model: str | None = None
    transport: ProviderKind | None = None


def model_of(wish: str) -> str | None:
    """The model that was asked for, None if the choice is left to the tool."""
    return None if wish.strip().lower() in NO_MODEL else wish


def named_tools(tool: str, model: str) -> tuple[Named, ...]:
    """The tools that ``tool`` spells, each with its model; empty when it spells none.

    Raises:
        UsageError: The spelling contradicts itself. Whether the names are well formed and known is not asked here.
    """
    if "," in tool and model_of(model):
        raise UsageError(
            "One model cannot be for several tools.", hint="Name it beside its tool, as in claude:MODEL,codex."
        )
    entries = listed(tool, model)
    if len(set(entries)) < len(entries):
        raise UsageError(f"{_quoted(tool)} names a tool twice.", hint="To hear one several times use count.")
    return entries


def listed(tools: str, model: str = "") -> tuple[Named, ...]:
    """The entries of a list of tools, as often as each is there; raises ``UsageError`` for one without a name."""
    if not tools.strip():
        return ()
    entries = [entry.strip() for entry in tools.split(",")]
    if not all(entries):
        raise UsageError(f"The list of tools {_quoted(tools)} has an empty place.")
    return tuple(named(entry, model) for entry in entries)


def named(entry: str, model: str) -> Named:
    """A tool that is spelled ``tool`` or ``tool:model``; raises ``UsageError`` when ``model`` is another one."""
    tool, _, own = entry.partition(":")
    chosen, general = model_of(own), model_of(model)
    if chosen and general and chosen != general:
        raise UsageError(f"Two models are named for {_quoted(tool)}: {_quoted(chosen)} and {_quoted(general)}.")
    return Named(tool, chosen or general)


def asked(tools: tuple[Named, ...], count: int, roster: Roster) -> tuple[Named, ...]:
    """Everybody in ``tools``, ``count`` times each, and how each is reached.

    Raises:
        UsageError: There is no such tool, or these are too many.
    """
    if not 1 <= count <= MOST_ASKED:
        raise UsageError(f"The count must be 1 to {MOST_ASKED}; it is {count}.")
    if (together := count * len(tools)) > MOST_ASKED:
        times = f", {count} times each," if count > 1 else ""
        raise UsageError(f"{len(tools)} tools{times} are {together} at once; at most {MOST_ASKED} can be asked.")
    return tuple(reached for each in tools for reached in (found(each, roster),) * count)


def found(tool: Named, roster: Roster) -> Named:
    """``tool`` with how it is reached; raises ``UsageError`` when there is no such tool."""
    return replace(tool, transport=roster.spec(tool.tool).kind)


def default_tool(roster: Roster) -> tuple[str, tuple[str, ...]]:
    """The first AI tool installed, or the rule-based one with a warning."""
    if found := next(roster.ai_tools(), None):
        return found, ()
    return RULE_BASED_TOOL, (f"[WARN] No AI tool is installed: {RULE_BASED_TOOL}, which is rule-based, answers.",)


def _quoted(text: str) -> str:
    return one_line(repr(text), _SHOWN)
