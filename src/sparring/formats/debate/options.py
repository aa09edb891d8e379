"""Options of a debate, and the request made from them: sides, judges, and what they are shown."""

from collections import Counter
from collections.abc import Container, Iterable, Mapping
from typing import Annotated, ClassVar

from msgspec import Struct

from sparring.errors import UsageError
from sparring.participants import options as shared
from sparring.participants import seats
from sparring.schema import base, debate, judgement, providers

_PLACES = shared.SeatOrder(
    (base.Role.PROPOSER, base.Role.CHALLENGER, base.Role.JUDGE), panels=frozenset({base.Role.JUDGE})
)

_SEAT = "judge"
"""The name of the seat in audits."""


class DebateOptions(shared.Options[debate.DebateRequest]):
    """Options of a debate; sparring chooses the provider of each seat that is not named."""

    format: ClassVar[str] = "debate"
    places: ClassVar[shared.SeatOrder | None] = _PLACES
    presets: ClassVar[Mapping[shared.Preset, Mapping[str, object]]] = {
        shared.Preset.QUICK: {"rounds": 1, "effort": "low"},
        shared.Preset.THOROUGH: {"rounds": 3, "effort": "high", "blind_openings": True, "timeout_s": 600.0},
    }

    topic: Annotated[
        str,
        shared.Option(
            "What to argue about; `-` reads it from standard input.",
            mcp="With the facts that both need",
            is_subject=True,
        ),
    ]
    participants: Annotated[
        str,
        shared.with_option(
            "Providers in order: proposer, challenger, judge. One alone takes every seat; `a,a` argues both sides.",
            mcp="Proposer, challenger, judge; one: every seat; host: you; empty: chosen",
        ),
    ] = ""
    seat: Annotated[tuple[str, ...], shared.seat_option(_PLACES)] = ()
    proposer: Annotated[
        str,
        shared.Option("Tool that takes a position.", value="TOOL", is_hinted=True, is_rare=True),
    ] = ""
    challenger: Annotated[
        str,
        shared.Option(
            "Tool that attacks it; must differ from the proposer.",
            value="TOOL",
            is_hinted=True,
            is_rare=True,
        ),
    ] = ""
    rounds: Annotated[debate.Rounds, shared.Option("Rounds of back and forth, 1 to 5.", is_hinted=True)] = 2
    blind_openings: Annotated[
        bool,
        shared.Option(
            "Both sides open without seeing the other; needs 2 rounds or more.",
            is_setting=True,
        ),
    ] = False
    effort: shared.EffortOption = base.Effort.MEDIUM
    preset: shared.PresetOption = None
    model_proposer: shared.Model = ""
    model_challenger: shared.Model = ""
    substitute: shared.SubstituteOption = ""
    timeout_s: Annotated[float, shared.timeout()] = 240.0
    context: shared.ContextOption = ()
    max_kib: Annotated[
        int | None, shared.max_kib(f"{shared.CONTEXT_KIB} of context and {seats.EXHIBITS_KIB} with exhibits")
    ] = None
    allow_secret_files: shared.SecretFiles = False
    exhibits: Annotated[
        str,
        shared.Option(
            "Project excerpts that all participants see: auto, none, or a maximum number.",
            value="auto, none, N",
            examples=("auto", "none"),
            is_setting=True,
        ),
    ] = "auto"
    repo_access: shared.AutoAccess = shared.ReadingSides.AUTO


def complete(options: DebateOptions, project: seats.ProjectContext) -> debate.DebateRequest:
    """The whole request; raises ``UsageError`` if it contradicts itself or names something that does not exist."""
    roster = project.tools
    named = _named(options, roster)
    seating = _seated(options, named, roster)
    debaters: dict[judgement.Side, base.ToolName] = {role: seating.seats[role].tool for role in debate.SPEAKING_ORDER}

    topic = project.redact(options.topic).text.strip()
    material = project.context(
        options.context,
        shared.CONTEXT_KIB if options.max_kib is None else options.max_kib,
        secrets_allowed=options.allow_secret_files,
    )
    exhibits_kib = seats.EXHIBITS_KIB if options.max_kib is None else options.max_kib
    budget = seats.exhibit_budget(options.exhibits, exhibits_kib)
    budget = seats.within_windows(budget, (*seating.seats.values(), *seating.panel), roster)
    gathered = project.exhibits(topic, budget, material.parts)
    seeing = _seeing(options.repo_access, debaters, roster, there_are_exhibits=bool(gathered.exhibits))

    # One tool in every seat was asked for: no tool outside of that choice is called.
    further = None if named.is_one else _further_judge(seating, roster)
    sides_differ = len(set(debaters.values())) > 1
    notices = [
        *roster.notices,
        *seating.notices,
        *_further_notices(further),
        *material.notices,
        *gathered.notices,
        *([budget.notice] if budget.notice and gathered.exhibits else []),
        *seats.blind_notices(seating.tools, material),
        *seeing.notices,
    ]
    return shared.valid(
        lambda: options.as_request(
            debate.DebateRequest,
            topic=topic,
            context=material.parts,
            exhibits=gathered.exhibits,
            proposer=seating.participant(base.Role.PROPOSER),
            challenger=seating.participant(base.Role.CHALLENGER),
            judge=seating.participant(base.Role.JUDGE),
            panel=seating.panelists,
            further_judge=base.Participant(tool=further) if further else None,
            repo_access=seeing.access,
            readers=seeing.readers,
            devil=not sides_differ and base.RULE_BASED_TOOL not in debaters.values(),
            unnamed=tuple(role for role in _PLACES.order if named.of(role) is None),
            notices=tuple(notices),
        )
    )


def _named(options: DebateOptions, roster: seats.Tools) -> seats.NamedSeats:
    """Return the named seats; raises ``UsageError`` if a seat was named in two ways."""
    by_seat = {role for role, _ in (seats.seat_entry(entry, _PLACES) for entry in options.seat)}
    entries = list(options.seat)
    by_option: set[base.Role] = set()
    for role, tool in (
        (base.Role.PROPOSER, options.proposer.strip()),
        (base.Role.CHALLENGER, options.challenger.strip()),
    ):
        if not tool:
            continue
        if role in by_seat:
            raise UsageError(
                f"The {role.display_name} is named twice: --{role} and --seat.", hint="Leave one of them out."
            )
        by_option.add(role)
        entries.append(f"{role.display_name}={tool}")
    named = seats.named_seats(options.participants, entries, _PLACES, roster)
    _refuse_one_for_both(named, by_seat | by_option, roster)
    _refuse_panel(named.seats.get(base.Role.JUDGE, ()))
    return named


class _Seeing(Struct, frozen=True):
    """Access to the project, the sides that have it where not both do, and notices for the user."""

    access: base.RepoAccess
    readers: tuple[judgement.Side, ...]
    notices: tuple[str, ...]


def _seeing(
    asked: shared.ReadingSides,
    debaters: Mapping[judgement.Side, base.ToolName],
    roster: seats.Tools,
    *,
    there_are_exhibits: bool,
) -> _Seeing:
    if asked is shared.ReadingSides.AUTO and there_are_exhibits:
        reading = seats.readers(debaters, roster)
        return _Seeing(base.RepoAccess.NONE, reading, seats.reading_notices(debaters, reading, roster))
    access = base.RepoAccess.READ if asked is shared.ReadingSides.READ else base.RepoAccess.NONE
    return _Seeing(access, (), seats.access_notices(debaters.values(), access, roster))


Sides = Mapping[base.Role, seats.NamedTool]
"""Tool of either side, the proposer first."""


def _judging_notices(judges: tuple[seats.NamedTool, ...], sides: Sides, roster: seats.Tools) -> tuple[str, ...]:
    """Warnings about judges that are not a third party or not a fresh session (design: Debate, default judge)."""
    notices: list[str] = []
    for number, judge in enumerate(judges, start=1):
        who = "The judge" if len(judges) == 1 else f"Judge {number}"
        if kinship := _kinship(judge, sides, roster):
            notices.append(f"[WARN] {who} is {kinship}.")
        if notice := seats.deciding_notice(who, judge.tool, roster):
            notices.append(notice)
    return tuple(notices)


def _refuse_panel(judges: tuple[seats.NamedTool, ...]) -> None:
    if len(judges) > debate.MOST_JUDGES:
        raise UsageError(f"A panel has at most {debate.MOST_JUDGES} judges; {len(judges)} are named.")
    for judge, times in Counter(judges).items():
        if times > 1 and judge.tool != base.RULE_BASED_TOOL:
            raise UsageError(
                f"{judge.tool} is {times} judges of the panel.",
                hint="A tool may sit there more than once with different models: claude:MODEL,claude:OTHER.",
            )


def _furthest(sides: Sides, roster: seats.Tools) -> str:
    """Return the judge by default: a tool of another family than both sides, else one that is neither side.

    Without such a tool it is the calling agent, else a side's tool.
    If one tool argues both sides, it also judges, and not the calling agent, which knows the conversation.
    A tool that failed an audit of the user's own judges is used only if there is no other.
    """
    arguing = [side.tool for side in sides.values()]
    families = {seats.family_of(side.tool, roster, side.model) for side in sides.values()}
    others = [tool for tool in roster.ai_tools() if tool not in arguing]
    unrelated = [tool for tool in others if seats.family_of(tool, roster) not in families]
    by_preference = [*seats.known_first(unrelated, roster), *others]
    host = [roster.host] if roster.host and roster.host not in arguing else []
    fresh = [tool for tool in arguing if tool != base.RULE_BASED_TOOL and not roster.is_host(tool)]
    by_preference += [*fresh, *host] if len(set(arguing)) == 1 else [*host, *fresh]
    by_preference += arguing
    return min(by_preference, key=lambda tool: seats.has_failed(_SEAT, tool, roster))


def _further_judge(seating: seats.Seating, roster: seats.Tools) -> base.ToolName | None:
    """Return a ready tool of a family that no other seat has; None if there is none.

    If no judge is a model, the result is None too: a debate of scripts and code stays one.
    """
    judges = (seating.seats[base.Role.JUDGE], *seating.panel)
    if all(isinstance(roster.spec(judge.tool), _WITHOUT_MODEL) for judge in judges):
        return None
    seated = (*seating.seats.values(), *seating.panel)
    families = {seats.family_of(seat.tool, roster, seat.model) for seat in seated}
    candidates: list[base.ToolName] = []
    for tool in roster.ai_tools():
        is_free = tool not in seating.tools and not seats.has_failed(_SEAT, tool, roster)
        if is_free and seats.family_of(tool, roster) not in families:
            candidates.append(tool)
    return next(iter(seats.known_first(candidates, roster)), None)


def _further_notices(further: base.ToolName | None) -> tuple[str, ...]:
    return (f"If the judges leave it undecided, {further} is called as one more judge.",) if further else ()


_WITHOUT_MODEL = (providers.OfflineProvider, providers.ScriptedProvider)


def _kinship(judge: seats.NamedTool, sides: Sides, roster: seats.Tools) -> str:
    """Return how ``judge`` is related to a side; empty if it is not."""
    family = roster.family(judge.tool, judge.model)
    for role, side in sides.items():
        if side.tool == judge.tool:
            return seats.own_seat(judge.tool, role, roster)
    for role, side in sides.items():
        if seats.are_related(judge, side, roster):
            return f"{judge.tool}, of the same family of models ({family}) as {side.tool}, the {role}"
    return f"{judge.tool}, whose family of models is not known" if seats.is_unknown(judge, roster) else ""


def _seated(options: DebateOptions, named: seats.NamedSeats, roster: seats.Tools) -> seats.Seating:
    """Return proposer, challenger and judges; raises ``SparringError`` if no tool can take an empty seat."""
    sides = _sides(options, named, roster)
    judge, *panel = named.seats.get(base.Role.JUDGE) or (seats.NamedTool(_furthest(sides, roster)),)
    notices = (
        *_seating_notices(named, sides, (judge, *panel), roster),
        *seats.audit_notices(_SEAT, "The judge" if not panel else "A judge", (judge, *panel), roster),
    )
    return seats.Seating({**sides, base.Role.JUDGE: judge}, notices, tuple(panel))


def _seating_notices(
    named: seats.NamedSeats, sides: Sides, judges: tuple[seats.NamedTool, ...], roster: seats.Tools
) -> tuple[str, ...]:
    """Return what the user should know about the seats; a notice on one tool in all seats appears once."""
    proposer, challenger = (side.tool for side in sides.values())
    on_judges = _judging_notices(judges, sides, roster)
    if proposer != challenger or proposer == base.RULE_BASED_TOOL or _is_one_script([proposer], roster):
        return on_judges
    if not named.is_one and all(named.of(role) for role in sides):  # the user wrote it twice, on purpose
        return (f"[WARN] Devil's advocate: {proposer} argues both sides.", *on_judges)
    if all(judge.tool == proposer for judge in judges):
        return (seats.one_tool_notice(proposer, "both sides and the judge", roster),)
    return (seats.one_tool_notice(proposer, "both sides", roster), *on_judges)


def _sides(options: DebateOptions, named: seats.NamedSeats, roster: seats.Tools) -> Sides:
    """Return both sides; a tool that was not named is chosen to be as different as can be had."""
    models = {base.Role.PROPOSER: options.model_proposer, base.Role.CHALLENGER: options.model_challenger}
    known: dict[base.Role, seats.NamedTool] = {}
    for role, model in models.items():
        if seat := named.of(role):
            known[role] = seats.with_model(seat, model)
    # All named sides are known before the first one is chosen: it must differ from a later one, too.
    sides: dict[base.Role, seats.NamedTool] = {}
    for role, model in models.items():
        if role in known:
            sides[role] = known[role]
        else:
            taken = [side.tool for side in (known | sides).values()]
            sides[role] = seats.NamedTool(seats.further_tool(taken, roster), seats.model_of(model))
    return sides


def _refuse_one_for_both(named: seats.NamedSeats, given: Container[base.Role], roster: seats.Tools) -> None:
    """Refuse one tool on both sides if each side was named separately; in an ordered list it may occur twice."""
    if not all(role in given for role in debate.SPEAKING_ORDER):
        return
    tools = {side.tool for role in debate.SPEAKING_ORDER if (side := named.of(role))}
    if len(tools) == 1 and tools != {base.RULE_BASED_TOOL} and not _is_one_script(tools, roster):
        tool = tools.pop()
        raise UsageError(
            f"Proposer and challenger must be different tools, both are {tool!r}.",
            hint=f"To let one tool argue both sides: --with {tool},{tool}",
        )


def _is_one_script(tools: Iterable[str], roster: seats.Tools) -> bool:
    """Return whether one script speaks for all: it states the seat of each reply, so no tool argues with itself."""
    first, *others = set(tools)
    return not others and roster.spec(first).kind is providers.ProviderKind.SCRIPTED
