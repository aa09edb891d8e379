"""Options of a chaired debate, and the request they become: from the config file to the seats."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, cast

from msgspec import Struct, field
from pydantic import Field
from pydantic_core import from_json

from sparring.errors import UsageError
from sparring.participants import options as shared
from sparring.participants.seats import (
    NamedTool,
    ProjectContext,
    Seating,
    Tools,
    are_related,
    audit_notices,
    blind_notices,
    deciding_notice,
    family_of,
    further_tool,
    has_failed,
    is_unknown,
    known_first,
    named_seats,
    one_tool_notice,
    own_seat,
    parse_tool,
    seat_entry,
)
from sparring.schema.base import RULE_BASED_TOOL, Effort, Role
from sparring.schema.chaired_debate import DEBATERS, ChairedDebateRequest, DebateConfig, LeastRounds, MostRounds
from sparring.text.tidying import one_line

_PLACES = shared.SeatOrder((*DEBATERS, Role.CHAIR), (Role.AUDIENCE, Role.REPORTER))

_SEAT = "chair"
"""The name of the seat in audits."""


class ChairedDebateOptions(shared.Options[ChairedDebateRequest]):
    """Options of a chaired debate; defaults come from the config file, then from sparring.

    Without a named audience or reporter there is none.
    """

    format: ClassVar[str] = "chaired-debate"
    places: ClassVar[shared.SeatOrder | None] = _PLACES
    presets: ClassVar[Mapping[shared.Preset, Mapping[str, object]]] = {
        shared.Preset.QUICK: {"max_rounds": 1, "effort": "low"},
        shared.Preset.THOROUGH: {"max_rounds": 5, "effort": "high", "timeout_s": 600.0},
    }

    topic: Annotated[
        str,
        shared.Option(
            "What is argued for and against; `-` reads standard input. By default the config's.",
            mcp="Empty: from config/debate-config.json",
            is_subject=True,
        ),
    ] = ""
    config: Annotated[
        str,
        shared.Option(
            "Config file, instead of config/debate-config.json.",
            mcp=None,
            value="PATH",
            metavar="PATH",
            is_setting=True,
        ),
    ] = ""
    participants: Annotated[
        str,
        shared.with_option(
            "Providers in order: promoter, detractor, chair. One alone takes these three seats. Audience (asks up to "
            "two questions a round) and reporter (writes the summary) are empty unless named.",
            mcp="Promoter, detractor, chair; one: all three; host: you; empty: chosen",
        ),
    ] = ""
    seat: Annotated[tuple[str, ...], shared.seat_option(_PLACES)] = ()
    min_rounds: Annotated[
        LeastRounds | None,
        shared.Option("Rebuttal rounds before the chair may end the debate.", usual="1", is_setting=True),
    ] = None
    max_rounds: Annotated[
        MostRounds | None,
        shared.Option("Maximum of rebuttal rounds, up to 10; default 3.", usual="3", is_hinted=True, is_rare=True),
    ] = None
    time_budget_minutes: Annotated[
        float | None,
        Field(allow_inf_nan=True),  # the permitted values are described in a separate message
        shared.Option(
            "Start no round after this many minutes of work.",
            value="MINUTES",
            metavar="MINUTES",
            is_setting=True,
        ),
    ] = None
    no_web: Annotated[bool, shared.Option("No debater may search the web.", is_setting=True)] = False
    output_dir: Annotated[
        str,
        shared.Option(
            "Folder below the project for log, transcript, summary and metadata.",
            value="FOLDER",
            flags=("--output",),
            is_hinted=True,
            is_rare=True,
        ),
    ] = ""
    effort: shared.EffortOption = Effort.MEDIUM
    preset: shared.PresetOption = None
    substitute: shared.SubstituteOption = ""
    timeout_s: Annotated[float, shared.timeout(mcp=None)] = 240.0
    context: shared.ContextOption = ()
    max_kib: Annotated[int | None, shared.max_kib(f"{shared.CONTEXT_KIB} of context")] = None
    allow_secret_files: shared.SecretFiles = False


CONFIG_PATH = "config/debate-config.json"
CONFIG_LIMIT = 64 * 1024

_NAMES_SHOWN = 10
_MEMBER_SHOWN = 60


class ReadConfig(Struct, frozen=True):
    """Parsed config file.

    Attributes:
        path: The path of the file; empty without one.
        notices: Messages about the file for the user.
    """

    config: DebateConfig = field(default_factory=DebateConfig)
    path: str = ""
    notices: tuple[str, ...] = ()


def complete(options: ChairedDebateOptions, project: ProjectContext) -> ChairedDebateRequest:
    """The whole request; raises ``UsageError`` if it contradicts itself or names something that does not exist."""
    roster = project.tools
    file = read_config(options.config, project)
    topic = _topic(options, file)
    named_roles = _named(options, file, roster).seats.keys()
    seating = _seated_all(options, file, roster)
    searching: tuple[Role, ...] = ()
    if not options.no_web:
        searching = tuple(role for role in DEBATERS if roster.spec(seating.seats[role].tool).can_search)
    material = project.context(
        options.context,
        shared.CONTEXT_KIB if options.max_kib is None else options.max_kib,
        secrets_allowed=options.allow_secret_files,
    )
    notices = [
        *roster.notices,
        *file.notices,
        *seating.notices,
        *_web_notices(options, seating, searching),
        *material.notices,
        *blind_notices(seating.tools, material),
    ]
    return shared.valid(
        lambda: options.as_request(
            ChairedDebateRequest,
            topic=project.redact(topic).text.strip(),
            context=material.parts,
            chair=seating.participant(Role.CHAIR),
            promoter=seating.participant(Role.PROMOTER),
            detractor=seating.participant(Role.DETRACTOR),
            audience=seating.participant(Role.AUDIENCE) if Role.AUDIENCE in seating.seats else None,
            reporter=seating.participant(Role.REPORTER) if Role.REPORTER in seating.seats else None,
            searching=searching,
            unnamed=tuple(role for role in _PLACES.order if role not in named_roles),
            output_dir=project.output_folder(options.output_dir or file.config.output_dir or ""),
            notices=tuple(notices),
            **_bounds(options, file),
        )
    )


def _topic(options: ChairedDebateOptions, read: ReadConfig) -> str:
    topic = options.topic if options.topic.strip() else read.config.topic
    if not topic.strip():
        raise UsageError("There is no topic to debate.", hint=f"Name one, or write it in {read.path or CONFIG_PATH}.")
    return topic


def _bounds(options: ChairedDebateOptions, read: ReadConfig) -> Mapping[str, Any]:
    """Return the limits of the debate's length: from the options, else the file, else the record's defaults.

    If only one of two bounds is given, the other one is adapted to it.
    """
    low = options.min_rounds if options.min_rounds is not None else read.config.min_rounds
    high = options.max_rounds if options.max_rounds is not None else read.config.max_rounds
    if low is None and high is not None:
        low = min(ChairedDebateRequest.model_fields["min_rounds"].default, high)
    elif high is None and low is not None:
        high = max(ChairedDebateRequest.model_fields["max_rounds"].default, low)
    if low is not None and high is not None and low > high:
        raise UsageError(f"min_rounds is {low} and max_rounds is {high}: the least cannot be more than the most.")
    chosen = {"min_rounds": low, "max_rounds": high, "time_budget_s": _time_budget_s(options, read)}
    return {name: value for name, value in chosen.items() if value is not None}


def _time_budget_s(options: ChairedDebateOptions, read: ReadConfig) -> float | None:
    minutes = read.config.time_budget_minutes
    if options.time_budget_minutes is not None:
        minutes = options.time_budget_minutes
    if minutes is None:
        return None
    if not (math.isfinite(minutes) and minutes > 0):
        raise UsageError(f"The time budget must be a number of minutes above 0; it is {minutes:g}.")
    return minutes * 60


def _web_notices(options: ChairedDebateOptions, seating: Seating, searching: tuple[Role, ...]) -> Iterator[str]:
    if options.no_web:
        yield "No debater searches the web: claims without a source need a label."
        return
    for role in DEBATERS:
        tool = seating.seats[role].tool
        if role in searching:
            yield f"The {role} ({tool}) may search the web."
        else:
            yield f"The {role} ({tool}) cannot search the web, and has to label what it cannot source."


def read_config(named_file: str, project: ProjectContext) -> ReadConfig:
    """The config that ``named_file`` names, else the project's own if there is one.

    Raises:
        UsageError: It cannot be read or understood, or the named one does not exist.
    """
    path, text = project.settings_file(named_file, CONFIG_PATH, CONFIG_LIMIT)
    if not path:
        return ReadConfig()
    try:
        source = _members(text)
        # null counts as absent: config files are made from templates
        known = {name: source[name] for name in DebateConfig.model_fields if source.get(name) is not None}
        config = shared.valid(lambda: DebateConfig.model_validate(known))
    except UsageError as error:
        raise UsageError(f"{path} cannot be used: {error}") from error
    notices: list[str] = []
    if known:
        notices.append(f"From {path}, unless given here: {', '.join(known)}.")
    notices += _ignored(path, sorted(source.keys() - DebateConfig.model_fields.keys()))
    return ReadConfig(config, path, tuple(notices))


def _members(text: str) -> Mapping[str, Any]:
    try:
        value = from_json(text)
    except ValueError as error:
        raise UsageError(f"It is not JSON: {error}.") from error
    if not isinstance(value, dict):
        raise UsageError("It must contain one JSON object.")
    return cast("dict[str, Any]", value)


def _ignored(path: str, unknown: Sequence[str]) -> tuple[str, ...]:
    if not unknown:
        return ()
    shown = ", ".join(one_line(name, _MEMBER_SHOWN) for name in unknown[:_NAMES_SHOWN])
    more = f" and {len(unknown) - _NAMES_SHOWN} more" if len(unknown) > _NAMES_SHOWN else ""
    return (f"[WARN] Ignored in {path}, since sparring does not know it: {shown}{more}.",)


_SHOWN = 60


class _Named(Struct, frozen=True):
    """The seats that were named, and those among them for which ``--with`` named one provider."""

    seats: Mapping[Role, NamedTool]
    is_one: bool = False


def _named(options: ChairedDebateOptions, config: ReadConfig, roster: Tools) -> _Named:
    """Return the named seats: options take precedence over the config file.

    One provider for every seat also replaces those that the file names: ``--with offline`` needs nothing installed,
    with any file.
    """
    typed = named_seats(options.participants, options.seat, _PLACES, roster)
    seats: dict[Role, NamedTool] = {}
    for role in _PLACES.all:
        configured = config.config.models.get(role, "").strip()
        seat = typed.of(role)
        if seat is None and typed.is_one and configured:
            # ``--with`` fills audience and reporter only here, where the file asks for them.
            seat = typed.of(_PLACES.order[0])
        if seat:
            seats[role] = seat
        elif configured:
            seats[role] = _configured(role, configured, config.path, roster)
    return _Named(seats, typed.is_one)


def _seated_all(options: ChairedDebateOptions, config: ReadConfig, roster: Tools) -> Seating:
    """Return promoter, detractor and chair, and audience and reporter if they are named."""
    choice = _named(options, config, roster)
    by_name = {seat_entry(entry, _PLACES)[0] for entry in options.seat}
    # One provider for every seat may argue both sides; the same one named for each side is a mistake.
    if not choice.is_one or by_name.issuperset(DEBATERS):
        _refuse_one_for_both(choice.seats)
    seats: dict[Role, NamedTool] = {}
    for role in DEBATERS:
        if role in choice.seats:
            seats[role] = choice.seats[role]
        else:
            seats[role] = NamedTool(further_tool(_tools({**choice.seats, **seats}), roster))
    # The chair last: it should be related to neither debater.
    if Role.CHAIR in choice.seats:
        seats[Role.CHAIR] = choice.seats[Role.CHAIR]
    else:
        seats[Role.CHAIR] = NamedTool(_third(seats, choice.seats, roster))
    for role in (Role.AUDIENCE, Role.REPORTER):
        if role in choice.seats:
            seats[role] = choice.seats[role]
    notices = (
        *_seating_notices(seats, roster),
        *audit_notices(_SEAT, "The chair", (seats[Role.CHAIR],), roster),
        *_unknown_seats(config),
    )
    return Seating(seats, notices)


def _seating_notices(seats: Mapping[Role, NamedTool], roster: Tools) -> tuple[str, ...]:
    """Return notices about the seats; one tool in all seats is named once."""
    chair = seats[Role.CHAIR].tool
    promoter, detractor = (seats[role].tool for role in DEBATERS)
    is_one = promoter == detractor and promoter != RULE_BASED_TOOL  # code has no opinion that it could argue with
    if is_one and chair == promoter:
        return (one_tool_notice(chair, "both debaters and the chair", roster),)
    notices: list[str] = []
    if is_one:
        notices.append(one_tool_notice(promoter, "both debaters", roster))
    notices += _chair_notices(seats, roster)
    if notice := deciding_notice("The chair", chair, roster):
        notices.append(notice)
    return tuple(notices)


def _configured(role: Role, spelled: str, path: str, roster: Tools) -> NamedTool:
    """Return the seat that the file at ``path`` names; raises ``UsageError`` for one that does not exist."""
    try:
        seat = parse_tool(spelled, "")
        roster.spec(seat.tool)
    except UsageError as error:
        raise UsageError(
            f"{path} names as {role} {one_line(repr(spelled), _SHOWN)}: {error}",
            hint="Write a tool, or a tool and its model, e.g. claude:MODEL.",
        ) from error
    return seat


def _refuse_one_for_both(named: Mapping[Role, NamedTool]) -> None:
    tools = [named[role].tool for role in DEBATERS if role in named]
    if len(tools) > len(set(tools)) and tools[0] != RULE_BASED_TOOL:
        raise UsageError(
            f"Promoter and detractor must be different tools; both are {tools[0]}.",
            hint="Name another one, or leave one seat out.",
        )


def _third(seats: Mapping[Role, NamedTool], named: Mapping[Role, NamedTool], roster: Tools) -> str:
    """Return a tool for the chair: of another family than both debaters if there is one, else one that is neither.

    A tool that failed an audit of the user's own takes the chair only if there is no other.
    """
    debaters = [seats[role].tool for role in DEBATERS]
    taken = _tools({**named, **seats})
    families = {family_of(seat.tool, roster, seat.model) for seat in seats.values()}
    free = [tool for tool in roster.ai_tools() if tool not in taken]
    unrelated = [tool for tool in free if family_of(tool, roster) not in families]
    fresh = [tool for tool in debaters if not roster.is_host(tool)]  # the calling agent knows the conversation
    by_preference = (*known_first(unrelated, roster), *free, *fresh, *debaters)
    return min(by_preference, key=lambda tool: has_failed(_SEAT, tool, roster))


def _chair_notices(seats: Mapping[Role, NamedTool], roster: Tools) -> tuple[str, ...]:
    """A warning when the chair is not a third party (design: Debate, default judge)."""
    chair = seats[Role.CHAIR]
    for role in DEBATERS:
        if seats[role].tool == chair.tool:
            return (f"[WARN] The chair is {own_seat(chair.tool, role, roster)}.",)
    for role in DEBATERS:
        if are_related(chair, seats[role], roster):
            family = roster.family(chair.tool, chair.model)
            kin = f"the {role}'s tool {seats[role].tool}"
            return (f"[WARN] The chair is {chair.tool}, of the same family ({family}) as {kin}.",)
    if is_unknown(chair, roster):
        return (f"[WARN] The chair is {chair.tool}, whose family of models is not known.",)
    return ()


def _unknown_seats(config: ReadConfig) -> tuple[str, ...]:
    unknown = sorted(config.config.models.keys() - {role.value for role in _PLACES.all})
    if not unknown:
        return ()
    names = ", ".join(one_line(name, _SHOWN) for name in unknown[:10])
    return (f"[WARN] Ignored in {config.path}: there are no such seats: {names}.",)


def _tools(seats: Mapping[Role, NamedTool]) -> frozenset[str]:
    return frozenset(seat.tool for seat in seats.values())
