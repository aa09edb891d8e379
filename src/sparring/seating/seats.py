"""Who sits where: how seats are spelled, and what everybody has to be told about who sits in them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sparring.errors import UsageError
from sparring.schema.base import RepoAccess, Role
from sparring.schema.participants import RULE_BASED_TOOL, Participant
from sparring.schema.providers import ProviderKind
from sparring.seating.circumstances import Material, Tools
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


def model_of(said: str) -> str | None:
    """The model that was asked for, None if the choice is left to the tool."""
    return None if said.strip().lower() in NO_MODEL else said


def listed(tools: str, model: str = "") -> tuple[Named, ...]:
    """The entries of a list of tools, as often as each is there; raises ``UsageError`` for one without a name."""
    if not tools.strip():
        return ()
    entries = [entry.strip() for entry in tools.split(",")]
    if not all(entries):
        raise UsageError(f"The list of tools {quoted(tools)} has an empty place.")
    return tuple(named(entry, model) for entry in entries)


def named(entry: str, model: str) -> Named:
    """A tool that is spelled ``tool`` or ``tool:model``; raises ``UsageError`` when ``model`` is another one."""
    tool, _, own = entry.partition(":")
    chosen, general = model_of(own), model_of(model)
    if chosen and general and chosen != general:
        raise UsageError(f"Two models are named for {quoted(tool)}: {quoted(chosen)} and {quoted(general)}.")
    return Named(tool, chosen or general)


def quoted(said: str) -> str:
    """``said``, short and in quotation marks, for a sentence that refuses it."""
    return one_line(repr(said), _SHOWN)


@dataclass(frozen=True)
class Seating:
    """Who sits in each role, and what the user should know about the choice.

    Attributes:
        panel: Those who judge a debate beside the judge.
    """

    seats: Mapping[Role, Named]
    notices: tuple[str, ...] = ()
    panel: tuple[Named, ...] = ()

    def participant(self, role: Role) -> Participant:
        """Who sits in ``role``; raises pydantic's ``ValidationError`` for a model that cannot be one."""
        return _participant(self.seats[role])

    @property
    def panelists(self) -> tuple[Participant, ...]:
        """Who sits on the panel; raises like ``participant``."""
        return tuple(_participant(seat) for seat in self.panel)

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools in all seats."""
        return tuple(seat.tool for seat in (*self.seats.values(), *self.panel))


def seated(tool: str, model: str, roster: Tools) -> Named | None:
    """A seat as it was named, None if it was not; raises ``UsageError`` for a tool that does not exist."""
    if not tool.strip():
        return None
    seat = named(tool.strip(), model)
    roster.spec(seat.tool)
    return seat


def _participant(seat: Named) -> Participant:
    return Participant(tool=seat.tool, model=seat.model)


def own_seat(tool: str, role: Role, roster: Tools) -> str:
    """``tool``, which sits in ``role`` already, in one more seat; for a sentence that says whose seat it is."""
    if roster.is_host(tool):
        return f"{tool}, which is the {role.spoken} too, in the same conversation"
    return f"{tool}, the {role.spoken}'s own tool, in a fresh session"


def deciding_notice(who: str, tool: str, roster: Tools) -> str:
    """A warning when the calling agent decides, empty when it does not; ``who`` is the seat, e.g. ``The judge``."""
    if not roster.is_host(tool):
        return ""
    return f"[WARN] {who} is {tool}, the calling agent: it has no fresh session, and knows what it has been told."


def stands_in_notice(tool: str, role: Role) -> str:
    """A warning that the calling agent sits in ``role`` since there was no other tool."""
    return f"[WARN] No further AI tool is installed: {tool}, the calling agent, is the {role.spoken}."


def access_notices(tools: tuple[str, ...], access: RepoAccess, roster: Tools) -> tuple[str, ...]:
    """That the calling agent is not given the repository, when everybody is to read it: what it sees is not ours."""
    if access is RepoAccess.NONE:
        return ()
    return tuple(
        f"[WARN] {tool} is not given the project's files: it sees of them what its own user lets it see."
        for tool in tools
        if roster.is_host(tool)
    )


def blind_notices(tools: Iterable[str], material: Material) -> tuple[str, ...]:
    """That the rule-based tool reads no context, if it is among ``tools`` and there is some."""
    if not material.parts or RULE_BASED_TOOL not in tools:
        return ()
    return (f"[WARN] {RULE_BASED_TOOL} does not read the context: it searches the files of the project itself.",)
