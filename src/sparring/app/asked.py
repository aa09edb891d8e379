"""Who is asked: from ``claude:opus,codex`` and a count to one entry for each answer that is wanted."""

from dataclasses import dataclass, replace

from sparring.app.roster import Roster
from sparring.errors import UsageError
from sparring.schema.consult import MOST_ASKED
from sparring.schema.debate import RULE_BASED_TOOL
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
    if not tool.strip():
        return ()
    entries = [entry.strip() for entry in tool.split(",")]
    if not all(entries):
        raise UsageError(f"The list of tools {_quoted(tool)} has an empty place.")
    if len(entries) > 1 and model_of(model):
        raise UsageError(
            "One model cannot be for several tools.", hint="Name it beside its tool, as in claude:MODEL,codex."
        )
    named = tuple(_named(entry, model) for entry in entries)
    if len(set(named)) < len(named):
        raise UsageError(f"{_quoted(tool)} names a tool twice.", hint="To hear one several times use count.")
    return named


def asked(named: tuple[Named, ...], count: int, roster: Roster) -> tuple[Named, ...]:
    """Everybody in ``named`` (nobody: the first tool installed), ``count`` times each, and how each is reached.

    Raises:
        UsageError: There is no such tool, or these are too many.
    """
    if not 1 <= count <= MOST_ASKED:
        raise UsageError(f"The count must be 1 to {MOST_ASKED}; it is {count}.")
    if (together := count * len(named)) > MOST_ASKED:
        times = f", {count} times each," if count > 1 else ""
        raise UsageError(f"{len(named)} tools{times} are {together} at once; at most {MOST_ASKED} can be asked.")
    return tuple(reached for each in named for reached in (found(each, roster),) * count)


def found(named: Named, roster: Roster) -> Named:
    """``named`` with how it is reached; raises ``UsageError`` when there is no such tool."""
    return replace(named, transport=roster.spec(named.tool).kind)


def default_tool(roster: Roster) -> tuple[str, tuple[str, ...]]:
    """The first AI tool installed, or the rule-based one with a warning."""
    if found := next(roster.ai_tools(), None):
        return found, ()
    return RULE_BASED_TOOL, (f"[WARN] No AI tool is installed: {RULE_BASED_TOOL}, which is rule-based, answers.",)


def _named(entry: str, model: str) -> Named:
    tool, _, own = entry.partition(":")
    chosen, general = model_of(own), model_of(model)
    if chosen and general and chosen != general:
        raise UsageError(f"Two models are named for {_quoted(tool)}: {_quoted(chosen)} and {_quoted(general)}.")
    return Named(tool, chosen or general)


def _quoted(text: str) -> str:
    return one_line(repr(text), _SHOWN)
