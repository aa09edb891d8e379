"""Seats of a run: how they are spelled, their defaults, and the notices about them.

``ProjectContext`` has everything that a format may query about the world: before its run begins, and never again.
"""

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from sparring.errors import SparringError, UsageError
from sparring.participants.options import MAX_KIB, MOST_KIB, AccompanyingInput, SeatOrder
from sparring.schema import base, consultation, providers
from sparring.text.redaction import Redacted
from sparring.text.tidying import capitalized, did_you_mean, one_line

if TYPE_CHECKING:  # only a review needs it
    from sparring.schema.audit import KnownAudit
    from sparring.schema.authors import Author
    from sparring.schema.changes import ReviewedChange
    from sparring.schema.judgement import Side

R = TypeVar("R", bound=base.Record)


class Tools(Protocol):
    """Providers that can be asked in this process."""

    @property
    def host(self) -> base.ToolName | None:
        """The name under which the calling agent can be asked; None where it cannot answer."""
        ...

    @property
    def hosted_by(self) -> base.ToolName | None:
        """The tool that we run inside, over MCP or in its shell; None where there is none, or it is unknown."""
        ...

    @property
    def tool_names(self) -> frozenset[base.ToolName]:
        """The names of all providers that there are, whether or not they can be asked."""
        ...

    @property
    def all_families(self) -> frozenset[str]:
        """The families of all of them."""
        ...

    @property
    def notices(self) -> tuple[str, ...]:
        """Notices about the providers, for every caller that asks one."""
        ...

    def spec(self, tool: str) -> providers.ProviderSpec:
        """Return the provider of that name; raises ``UsageError`` where there is none, or its file is malformed."""
        ...

    def ai_tools(self) -> Iterator[base.ToolName]:
        """The tools that can be asked and have a model behind them, in the order of preference."""
        ...

    def no_tool_error(self) -> SparringError:
        """Return the error that no AI tool can be asked, with the requirements of each."""
        ...

    def family(self, tool: base.ToolName, model: base.ModelName | None = None) -> str:
        """The family of the model behind a tool; empty where that is not known, or it has none."""
        ...

    def window_of(self, tool: base.ToolName, model: base.ModelName | None = None) -> int | None:
        """Tokens that a prompt and its answer may have together; None where that is not known."""
        ...

    def is_host(self, tool: base.ToolName) -> bool:
        """Return whether that tool is the agent that called us."""
        ...

    def audit_of(self, seat: str, tool: base.ToolName, model: base.ModelName | None = None) -> "KnownAudit | None":
        """Return the user's own recent audit of that tool in that seat; None where there is none."""
        ...

    def reading_problem(self) -> str:
        """Return why no tool can be given a copy of the project to read, in a sentence; empty where each can."""
        ...


class Material(Struct, frozen=True):
    """The parts without their secrets, how many those were, and what the user should know."""

    parts: tuple[consultation.ContextPart, ...] = ()
    redactions: int = 0
    notices: tuple[str, ...] = ()


class ExhibitSet(Struct, frozen=True):
    """Exhibits that were gathered, with notices for the user."""

    exhibits: tuple[consultation.Exhibit, ...] = ()
    notices: tuple[str, ...] = ()


EXHIBITS_KIB = 24
"""Default for the most KiB of exhibits."""

MOST_EXHIBITS = 99

_AUTO, _NONE = "auto", "none"


class ExhibitBudget(Struct, frozen=True):
    """Requested exhibits: at most ``most`` of them, and at most ``size_bytes`` in all.

    Attributes:
        is_explicit: Whether the user stated the number, and should get a notice when there are none.
        notice: Why it is less than requested; empty where it is not.
    """

    most: int
    size_bytes: int
    is_explicit: bool = False
    notice: str = ""


def exhibit_budget(spelled: str, limit_kib: int) -> ExhibitBudget:
    """Parse ``auto``, ``none`` or a number; raises ``UsageError`` for anything else."""
    word = spelled.strip().lower() or _AUTO
    if not 1 <= limit_kib <= MOST_KIB:
        raise UsageError(f"{MAX_KIB} must be 1 to {MOST_KIB:,} KiB; it is {limit_kib:,}.")
    if word in (_AUTO, _NONE):
        return ExhibitBudget(MOST_EXHIBITS if word == _AUTO else 0, limit_kib * 1024)
    if not re.fullmatch(r"\d{1,2}", word):
        raise UsageError(f"The exhibits must be auto, none or a number up to {MOST_EXHIBITS}; it is {spelled[:40]!r}.")
    return ExhibitBudget(int(word), limit_kib * 1024, is_explicit=int(word) > 0)


REVIEW_KIB = 256
"""Default for the most KiB of a change that reviewers see."""

PART_BYTES = 64 * 1024
"""Most bytes of a change in one prompt for a reviewer, if its context window has room for that."""


class ChangeQuery(Struct, frozen=True):
    """Change to review, as the options describe it.

    Attributes:
        what: ``diff``, a commit or two (``A..B``, ``A...B``), then paths that narrow it down; or paths alone, of files
            and folders in their present state. Empty: the difference from the last commit.
        is_staged: Compare the index instead of the working tree.
        plan: A file whose lines are reviewed, instead of a change.
        limit_kib: Most KiB that are shown.
        terms: ``ReviewedChange.terms``.
        seen: The identities of parts that an earlier review has shown: ``ReviewedChange.seen``.
        part_bytes: Most bytes for a reviewer at once.
    """

    what: tuple[str, ...] = ()
    is_staged: bool = False
    plan: str = ""
    limit_kib: int = REVIEW_KIB
    terms: str = ""
    seen: frozenset[str] = frozenset()
    secrets_allowed: bool = False
    part_bytes: int = PART_BYTES


class ReadChange(Struct, frozen=True):
    """Change without its secrets, the number of these, and notices for the user."""

    change: "ReviewedChange"
    redactions: int = 0
    notices: tuple[str, ...] = ()


class ProjectContext(Protocol):
    """The project in which a run is requested. Every method may raise ``UsageError``."""

    @property
    def tools(self) -> Tools:
        """Providers that can be asked."""
        ...

    @property
    def given(self) -> AccompanyingInput:
        """Input that accompanied the options."""
        ...

    def redact(self, text: str) -> Redacted:
        """``text`` without secrets."""
        ...

    def context(self, spelled: Sequence[str], limit_kib: int, *, secrets_allowed: bool) -> Material:
        """Return the material that ``spelled`` names, and the piped input."""
        ...

    def change(self, query: ChangeQuery) -> ReadChange:
        """Read the change to review."""
        ...

    def signed_by(self, query: ChangeQuery) -> "tuple[Author, ...]":
        """The model families that the commits to be reviewed are signed by."""
        ...

    def exhibits(self, topic: str, budget: ExhibitBudget, given: Sequence[consultation.ContextPart]) -> ExhibitSet:
        """Gather files of the project that bear on ``topic``, in addition to those ``given``; there may be none."""
        ...

    def evidence(
        self, texts: Sequence[str], files: Sequence[str], limit_kib: int, *, secrets_allowed: bool
    ) -> Material:
        """Return each source under a unique name, and piped input last; there is at least one."""
        ...

    def statement(self, text: str, file: str, *, secrets_allowed: bool) -> str:
        """A short text that was given as it is, or in a file."""
        ...

    def settings_file(self, path: str, default: str, limit: int) -> tuple[str, str]:
        """Return path and content of a settings file; both empty if neither ``path`` nor ``default`` is one."""
        ...

    def output_folder(self, spelled: str) -> str | None:
        """The folder that ``spelled`` names, from the project's root and with slashes; None when it names none."""
        ...

    def text_in_commit(self, path: str, commit: str) -> str | None:
        """Return the text of the file at ``path``, from the project's root, in ``commit``; None where it has none."""
        ...

    def kept(self, path: str, kind: type[R]) -> R | None:
        """The user's own record of that place in the state folder; raises ``StoreError`` where it is damaged."""
        ...

    def foreign(self, path: str) -> tuple[str, ...]:
        """A warning for each record of that place that came with the project, and so decides nothing."""
        ...


NO_MODEL = frozenset({"", "auto", "omit"})
"""Spellings of "let the tool choose its model" (specification: none is passed)."""

_SHOWN = 100


class NamedTool(Struct, frozen=True):
    """A tool as it was named, with its model; ``transport`` once it is known to exist."""

    tool: str
    model: str | None = None
    transport: providers.ProviderKind | None = None


_BYTES_PER_TOKEN = 4
_EXHIBITS_SHARE = 0.25
"""Share of a context window that exhibits may take: rules, speeches and an answer need the rest."""
_PART_SHARE = 0.4
"""Share that a part of a change may take: code has fewer bytes per token than prose, and the answer needs room."""


def within_windows(budget: ExhibitBudget, seats: Iterable[NamedTool], roster: Tools) -> ExhibitBudget:
    """Return ``budget``, reduced to what the model with the smallest window can read with everything else."""
    window = _smallest_window(seats, roster) if budget.most else None
    if window is None:
        return budget
    narrowest, tokens = window
    size_bytes = int(tokens * _EXHIBITS_SHARE) * _BYTES_PER_TOKEN
    if size_bytes >= budget.size_bytes:
        return budget
    kib = max(1, round(size_bytes / 1024))
    notice = f"{narrowest.tool} reads {tokens:,} tokens at once, so all participants see at most {kib} KiB of exhibits."
    return replace(budget, size_bytes=size_bytes, notice=notice)


def part_bytes(reviewers: Iterable[NamedTool], roster: Tools) -> int:
    """Return the most bytes of a change that each of ``reviewers`` can read at once."""
    window = _smallest_window(reviewers, roster)
    if window is None:
        return PART_BYTES
    _, tokens = window
    return min(PART_BYTES, int(tokens * _PART_SHARE) * _BYTES_PER_TOKEN)


def _smallest_window(seats: Iterable[NamedTool], roster: Tools) -> tuple[NamedTool, int] | None:
    """Return the seat whose model has the smallest window, with its tokens; None where no window is known."""
    smallest: tuple[NamedTool, int] | None = None
    for seat in dict.fromkeys(seats):
        tokens = roster.window_of(seat.tool, seat.model)
        if tokens is not None and (smallest is None or tokens < smallest[1]):
            smallest = seat, tokens
    return smallest


def model_of(spelled: str) -> str | None:
    """Return the requested model, None if the choice is left to the tool."""
    return None if spelled.strip().lower() in NO_MODEL else spelled


def split_tools(tools: str, model: str = "") -> tuple[NamedTool, ...]:
    """Return the entries of a list of tools, repeated ones too; raises ``UsageError`` for one without a name."""
    if not tools.strip():
        return ()
    entries = [entry.strip() for entry in tools.split(",")]
    if not all(entries):
        raise UsageError(f"The list of tools {quoted(tools)} has an empty place.")
    return tuple(parse_tool(entry, model) for entry in entries)


def parse_tool(entry: str, model: str) -> NamedTool:
    """Parse a tool that is spelled ``tool`` or ``tool:model``; raises ``UsageError`` when ``model`` is another one."""
    tool, colon, own = entry.strip().partition(":")
    tool = tool.strip().lower()  # no tool has a capital in its name
    if colon and not own.strip():
        raise UsageError(f"{quoted(entry)} names no model after the colon. Leave the colon out for the default model.")
    chosen, general = model_of(own), model_of(model)
    if chosen and general and chosen != general:
        raise UsageError(f"Two models are named for {quoted(tool)}: {quoted(chosen)} and {quoted(general)}.")
    return NamedTool(tool, chosen or general)


def with_model(seat: NamedTool, model: str) -> NamedTool:
    """Return ``seat`` with that model, if one is named; raises ``UsageError`` where ``seat`` has another one."""
    return parse_tool(base.spelled_tool(seat.tool, seat.model), model)


def quoted(text: str) -> str:
    """Return ``text``, short and in quotation marks, for a sentence that refuses it."""
    return one_line(repr(text), _SHOWN)


class Seating(Struct, frozen=True):
    """Tool for each role, with notices for the user about the choice.

    Attributes:
        panel: Judges of a debate other than the first.
    """

    seats: Mapping[base.Role, NamedTool]
    notices: tuple[str, ...] = ()
    panel: tuple[NamedTool, ...] = ()

    def participant(self, role: base.Role) -> base.Participant:
        """Return the participant in ``role``; raises pydantic's ``ValidationError`` for an impossible model."""
        return _participant(self.seats[role])

    @property
    def panelists(self) -> tuple[base.Participant, ...]:
        """Participants of the panel; raises like ``participant``."""
        return tuple(_participant(seat) for seat in self.panel)

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools in all seats."""
        return tuple(seat.tool for seat in (*self.seats.values(), *self.panel))


class NamedSeats(Struct, frozen=True):
    """The seats of a format as the user named them.

    Attributes:
        seats: The participant of each; several only on a panel, none where none was named.
        is_one: Whether one provider was named for all of them.
    """

    seats: Mapping[base.Role, tuple[NamedTool, ...]]
    is_one: bool = False

    def of(self, role: base.Role) -> NamedTool | None:
        """Return the provider that was named for ``role``, the first of a panel; None where none was."""
        return next(iter(self.seats.get(role, ())), None)


def named_seats(participants: str, seat: Sequence[str], places: SeatOrder, roster: Tools) -> NamedSeats:
    """Return the seats that ``participants`` names in order and ``seat`` by name, which goes first.

    Raises:
        UsageError: There is no such seat or provider, a seat is named twice, or there are more participants than seats.
    """
    in_order = split_tools(participants)
    if len(in_order) > len(places.all):
        panels = ", ".join(role.display_name for role in places.panels)
        raise UsageError(
            f"{len(in_order)} participants are named, and there are {len(places.all)} seats: {places.listed}.",
            hint=f"Name a panel by its seat: --seat {panels}=a,b,c." if panels else "",
        )
    is_one = len(in_order) == 1
    by_role: dict[base.Role, tuple[NamedTool, ...]]
    if is_one:
        by_role = dict.fromkeys(places.order, in_order)  # seats that are empty unless named stay empty
    else:
        by_role = {role: (named_,) for role, named_ in zip(places.all, in_order, strict=False)}
    by_role |= _by_name(seat, places)
    for several in by_role.values():
        for named_ in several:
            roster.spec(named_.tool)  # raises where there is no such provider
    return NamedSeats(by_role, is_one)


def _by_name(seat: Sequence[str], places: SeatOrder) -> dict[base.Role, tuple[NamedTool, ...]]:
    by_role: dict[base.Role, tuple[NamedTool, ...]] = {}
    for entry in seat:
        role, added = seat_entry(entry, places)
        together = (*by_role.get(role, ()), *added)
        if len(together) > 1 and role not in places.panels:
            raise UsageError(
                f"The {role.display_name} is named more than once: {', '.join(each.tool for each in together)}.",
                hint="Name one provider for each seat.",
            )
        by_role[role] = together
    return by_role


def seat_entry(entry: str, places: SeatOrder) -> tuple[base.Role, tuple[NamedTool, ...]]:
    """Return the seat that ``entry`` (``SEAT=PROVIDER[:MODEL]``) names, and its providers; raises ``UsageError``."""
    name, sign, text = entry.partition("=")
    known = {role.display_name: role for role in places.all}
    role = known.get(name.strip().lower().replace("_", "-"))
    example = f"{places.order[-1].display_name}=PROVIDER or {places.order[-1].display_name}=PROVIDER:MODEL"
    if role is None and (sign or not name.strip()):
        raise UsageError(
            f"There is no seat {quoted(name.strip())}.{did_you_mean(name.strip(), known)} "
            f"The seats are: {', '.join(known)}.",
            hint=f"Name one as {example}.",
        )
    if role is None or not text.strip():
        raise UsageError(f"A seat is named as {example}, and not as {quoted(entry)}.", hint=f"Seats: {places.listed}.")
    return role, split_tools(text)


def _participant(seat: NamedTool) -> base.Participant:
    return base.Participant(tool=seat.tool, model=seat.model)


def further_tool(taken: Iterable[str], roster: Tools) -> str:
    """Return the tool for one more seat in addition to ``taken``: one tool is enough, in separate sessions.

    In this order: a tool of another family; one that has no seat yet; one that has; the calling agent, whose
    sub-agents can sit anywhere.

    Raises:
        SparringError: There is no tool with a model.
    """
    taken = tuple(taken)
    families = {family_of(tool, roster) for tool in taken}
    tools = list(roster.ai_tools())
    free = [tool for tool in tools if tool not in taken]
    unrelated = [tool for tool in free if family_of(tool, roster) not in families]
    by_preference = [*known_first(unrelated, roster), *free, *tools]
    # Without an AI tool that is ready: one that was named all the same, or the calling agent.
    by_preference += [tool for tool in taken if tool != base.RULE_BASED_TOOL and not roster.is_host(tool)]
    if roster.host:
        by_preference.append(roster.host)
    if not by_preference:
        raise roster.no_tool_error()
    return by_preference[0]


def has_failed(seat: str, tool: str, roster: Tools) -> bool:
    """Return whether a recent audit of the user's own speaks against seating ``tool`` there by default."""
    audit = roster.audit_of(seat, tool)
    return audit is not None and bool(audit.failures)


def audit_notices(seat: str, who: str, judges: Iterable[NamedTool], roster: Tools) -> Iterator[str]:
    """Yield the results of a recent audit for each of ``judges``; a warning where it is biased.

    Args:
        seat: Its name in audits.
        who: Its name in the notice, e.g. ``The judge``.
        judges: The participants in the seat.
        roster: The available tools.
    """
    for judge in judges:
        if audit := roster.audit_of(seat, judge.tool, judge.model):
            name = base.spelled_tool(judge.tool, judge.model)
            sentence = f"{who} ({name}) was audited: {audit.summary} ({audit.audited_at:%Y-%m-%d})."
            yield f"[WARN] {sentence}" if audit.failures or audit.flagged else sentence


def family_of(tool: str, roster: Tools, model: str | None = None) -> str:
    """Return the family of the model behind ``tool``; its own name if it has no model, or one of unknown family."""
    return roster.family(tool, model) or tool


def are_related(seat: NamedTool, other: NamedTool, roster: Tools) -> bool:
    """Return whether both have models of one family; an unknown family is related to none."""
    family = roster.family(seat.tool, seat.model)
    return family != "" and family == roster.family(other.tool, other.model)


def unknown_family_notices(seats: Iterable[NamedTool], roster: Tools) -> tuple[str, ...]:
    """Return a warning for each tool whose model is of a family that is not known."""
    names = dict.fromkeys(base.spelled_tool(seat.tool, seat.model) for seat in seats if is_unknown(seat, roster))
    return tuple(f"[WARN] The family of {name} is not known: it counts as one of its own." for name in names)


def is_unknown(seat: NamedTool, roster: Tools) -> bool:
    """Return whether the family of the model at that seat is not known."""
    spec = roster.spec(seat.tool)
    has_family_by_model = isinstance(spec, _WITH_MODELS) and spec.shown_family is None
    return has_family_by_model and not roster.family(seat.tool, seat.model)


def known_first(tools: Sequence[str], roster: Tools) -> list[str]:
    """Return ``tools`` with those of unknown family last: they may be related to any other."""
    return sorted(tools, key=lambda tool: is_unknown(NamedTool(tool), roster))


_WITH_MODELS = (providers.AcpProvider, providers.ApiProvider, providers.CliProvider)


def one_of_each_family(tools: Iterable[str], roster: Tools) -> tuple[str, ...]:
    """Return the first of ``tools`` of each family, those of which it is not known last."""
    first: dict[str, str] = {}
    for tool in known_first(tuple(tools), roster):
        first.setdefault(family_of(tool, roster), tool)
    return tuple(first.values())


def own_seat(tool: str, role: base.Role, roster: Tools) -> str:
    """Return ``tool``, which already sits in ``role``, for one more seat, in words that name the seat."""
    if roster.is_host(tool):
        return f"{tool}, which is the {role.display_name} too, in the same conversation"
    return f"{tool}, the {role.display_name}'s own tool, in a fresh session"


def deciding_notice(who: str, tool: str, roster: Tools) -> str:
    """Return a warning when the calling agent decides, else nothing; ``who`` is the seat, e.g. ``The judge``."""
    if not roster.is_host(tool):
        return ""
    return f"[WARN] {who} is {tool}, the calling agent: it has no fresh session and knows the conversation."


def one_tool_notice(tool: str, seats: str, roster: Tools) -> str:
    """Return a warning that ``tool`` sits in all of ``seats``, e.g. ``both sides and the judge``."""
    if roster.is_host(tool):
        return f"[WARN] One reader: {seats} are {tool}, the calling agent, or fresh sub-agents of it."
    return f"[WARN] One tool: {seats} are fresh sessions of {tool}. What one overlooks, all may."


def access_notices(tools: Iterable[str], access: base.RepoAccess, roster: Tools) -> tuple[str, ...]:
    """Return warnings that the calling agent is not given the repository: it reads with its user's own permissions."""
    if access is base.RepoAccess.NONE:
        return ()
    return tuple(
        f"[WARN] {tool} is not given the project's files: it sees of them what its own user lets it see."
        for tool in tools
        if roster.is_host(tool)
    )


_SEEING = (providers.HostProvider, providers.OfflineProvider)
"""Providers whose view of the project others decide, and providers that always search it."""


def readers(sides: "Mapping[Side, base.ToolName]", roster: Tools, system: str = sys.platform) -> "tuple[Side, ...]":
    """Return the sides whose tools are known, on this ``system``, to open only files of a copy of the project."""
    able = _safe_readers(sides, roster, system)
    if not able or roster.reading_problem():
        return ()
    return able


def _safe_readers(sides: "Mapping[Side, base.ToolName]", roster: Tools, system: str) -> "tuple[Side, ...]":
    able: list[Side] = []
    for role, tool in sides.items():
        spec = roster.spec(tool)
        if isinstance(spec, providers.CliProvider) and system in spec.reads_safely_on:
            able.append(role)
    return tuple(able)


def reading_notices(sides: "Mapping[Side, base.ToolName]", reading: "Sequence[Side]", roster: Tools) -> tuple[str, ...]:
    """Return a line about which sides may open project files, and which have the exhibits alone.

    The calling agent and tools without a model are left out: sparring does not decide what they see.
    """
    allowed: list[str] = []
    others: list[str] = []
    for role, tool in sides.items():
        if not isinstance(roster.spec(tool), _SEEING):
            (allowed if role in reading else others).append(f"the {role} ({tool})")
    if not allowed and not others:
        return ()
    if not allowed:
        why = roster.reading_problem() if _safe_readers(sides, roster, sys.platform) else ""
        alone = f"{capitalized(' and '.join(others))} cannot open files of the project, and can see the exhibits alone."
        return (f"{alone} {why}".strip(),)
    may = f"{capitalized(' and '.join(allowed))} may open the tracked files of the project, in a copy without secrets"
    cannot = f"; {' and '.join(others)} cannot" if others else ""
    return (f"{may}{cannot}.",)


def blind_notices(tools: Iterable[str], material: Material) -> tuple[str, ...]:
    """Return a warning that the rule-based tool reads no context, if it is among ``tools`` and there is some."""
    if not material.parts or base.RULE_BASED_TOOL not in tools:
        return ()
    return (f"[WARN] {base.RULE_BASED_TOOL} does not read the context: it searches the files of the project itself.",)
