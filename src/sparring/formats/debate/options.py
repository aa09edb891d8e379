"""Options of a debate, and the request they become: sides, judges, and what they are shown."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

from sparring.errors import UsageError
from sparring.participants import options as shared
from sparring.participants import seats
from sparring.schema import base, debate, judgement, providers


class DebateOptions(shared.Options[debate.DebateRequest]):
    """An empty seat lets sparring choose; ``provider`` fills every empty one."""

    format: ClassVar[str] = "debate"

    topic: Annotated[
        str,
        shared.Option(
            "What to argue about; `-` reads it from standard input.",
            told="What to argue about, with the facts both need",
            is_subject=True,
        ),
    ]
    proposer: Annotated[
        str,
        shared.Option(
            "Tool that takes a position.",
            told="Tool that argues for; host: you; empty: chosen",
            value="TOOL",
            is_hinted=True,
        ),
    ] = ""
    challenger: Annotated[
        str,
        shared.Option(
            "Tool that attacks it; must differ from the proposer.",
            told="Another, that argues against",
            value="TOOL",
            is_hinted=True,
        ),
    ] = ""
    judge: Annotated[
        str,
        shared.Option(
            "Tool that gives the verdict; by default a third one.",
            told="Tool that decides; host: you; empty: a third one, or host",
            value="TOOL",
            is_hinted=True,
        ),
    ] = ""
    judges: Annotated[
        str,
        shared.Option(
            "A panel of up to 5 instead: claude,codex:MODEL,gemini. Most of them decide.",
            told="Instead, a panel of up to 5: claude,codex:MODEL,gemini",
            value="TOOL,TOOL",
            is_hinted=True,
        ),
    ] = ""
    devil: Annotated[
        str,
        shared.Option(
            "Tool that argues both sides, instead of two tools.",
            told="Instead, one tool that argues both sides",
            value="TOOL",
        ),
    ] = ""
    provider: Annotated[
        str,
        shared.Option(
            "Tool for every seat not named.", told='For every empty seat; "offline" needs no AI tool', value="TOOL"
        ),
    ] = ""
    rounds: Annotated[debate.Rounds, shared.Option("Rounds of back and forth, 1 to 5.", is_hinted=True)] = 2
    blind_openings: Annotated[
        bool,
        shared.Option(
            "Both sides open without hearing the other; takes 2 rounds or more.",
            told="Both open without hearing the other",
        ),
    ] = False
    effort: shared.EffortOption = base.Effort.MEDIUM
    model_proposer: shared.Model = ""
    model_challenger: shared.Model = ""
    model_judge: shared.UntoldModel = ""
    substitute: shared.SubstituteOption = ""
    timeout_s: Annotated[float, shared.timeout()] = 240.0
    context: shared.ContextOption = ()
    context_limit: shared.ContextLimit = shared.CONTEXT_KIB
    allow_secret_files: shared.SecretFiles = False
    exhibits: Annotated[
        str,
        shared.Option(
            "What of the project everybody is shown before anybody speaks: auto, none, or at most so many exhibits.",
            told="Project files shown to all: auto, none, N",
            value="auto, none, N",
            examples=("auto", "none"),
        ),
    ] = "auto"
    exhibits_limit: Annotated[int, shared.Option("Most KiB of exhibits, all together.", told=None)] = seats.EXHIBITS_KIB
    repo_access: shared.AutoAccess = shared.Looking.AUTO


def complete(options: DebateOptions, here: seats.Circumstances) -> debate.DebateRequest:
    """The whole request; raises ``UsageError`` where it contradicts itself or names what does not exist."""
    roster = here.tools
    seating = _seated(options, roster)
    material = here.context(options.context, options.context_limit, secrets_allowed=options.allow_secret_files)
    topic = here.redact(options.topic).text.strip()
    wished = seats.wish(options.exhibits, options.exhibits_limit)
    wished = seats.within_windows(wished, (*seating.seats.values(), *seating.panel), roster)
    gathered = here.exhibits(topic, wished, material.parts)
    bounded = (wished.notice,) if wished.notice and gathered.exhibits else ()
    blind = (*bounded, *seats.blind_notices(seating.tools, material))
    debaters: dict[judgement.Side, base.ToolName] = {role: seating.seats[role].tool for role in debate.SPEAKING_ORDER}
    seeing = _seeing(options.repo_access, debaters, roster, there_are_exhibits=bool(gathered.exhibits))
    tools = set(debaters.values())
    further = None if options.provider.strip() else _further_judge(seating, roster)
    is_one = bool(options.devil.strip()) or (len(tools) == 1 and base.RULE_BASED_TOOL not in tools)
    return shared.valid(
        lambda: debate.DebateRequest(
            topic=topic,
            context=material.parts,
            exhibits=gathered.exhibits,
            proposer=seating.participant(base.Role.PROPOSER),
            challenger=seating.participant(base.Role.CHALLENGER),
            judge=seating.participant(base.Role.JUDGE),
            panel=seating.panelists,
            further_judge=base.Participant(tool=further) if further else None,
            rounds=options.rounds,
            effort=options.effort,
            timeout_s=options.timeout_s,
            repo_access=seeing.access,
            readers=seeing.readers,
            blind_openings=options.blind_openings,
            devil=is_one,
            unnamed=_unnamed(options),
            notices=roster.notices
            + seating.notices
            + _further_notices(further)
            + material.notices
            + gathered.notices
            + blind
            + seeing.notices,
        )
    )


def _unnamed(options: DebateOptions) -> tuple[base.Role, ...]:
    """Return the roles for which no tool was named."""
    sides = options.devil or options.provider
    named = {
        base.Role.PROPOSER: options.proposer or sides,
        base.Role.CHALLENGER: options.challenger or sides,
        base.Role.JUDGE: options.judge or options.judges or options.provider,
    }
    return tuple(role for role, tool in named.items() if not tool.strip())


@dataclass(frozen=True)
class _Seeing:
    """Access to the project, the sides that have it where not both do, and notices for the user."""

    access: base.RepoAccess
    readers: tuple[judgement.Side, ...]
    notices: tuple[str, ...]


def _seeing(
    asked: shared.Looking,
    debaters: Mapping[judgement.Side, base.ToolName],
    roster: seats.Tools,
    *,
    there_are_exhibits: bool,
) -> _Seeing:
    if asked is shared.Looking.AUTO and there_are_exhibits:
        reading = seats.readers(debaters, roster)
        return _Seeing(base.RepoAccess.NONE, reading, seats.reading_notices(debaters, reading, roster))
    access = base.RepoAccess.READ if asked is shared.Looking.READ else base.RepoAccess.NONE
    return _Seeing(access, (), seats.access_notices(debaters.values(), access, roster))


Sides = Mapping[base.Role, seats.Named]
"""Tool of either side, the proposer first."""


def _judges(options: DebateOptions, sides: Sides, roster: seats.Tools) -> tuple[seats.Named, ...]:
    if options.judges.strip():
        return _panel(options, roster)
    judge = seats.seated(options.judge or options.provider, options.model_judge, roster)
    return (judge or seats.Named(_furthest(sides, roster), seats.model_of(options.model_judge)),)


def _judging_notices(judges: tuple[seats.Named, ...], sides: Sides, roster: seats.Tools) -> tuple[str, ...]:
    """Warnings about judges who are no third party, or no fresh session (design: Debate, default judge)."""
    called = ("The judge",) if len(judges) == 1 else tuple(f"Judge {number}" for number in range(1, len(judges) + 1))
    notices = list[str]()
    for who, judge in zip(called, judges, strict=True):
        if kinship := _kinship(judge, sides, roster):
            notices.append(f"[WARN] {who} is {kinship}.")
        if notice := seats.deciding_notice(who, judge.tool, roster):
            notices.append(notice)
    return tuple(notices)


def _panel(options: DebateOptions, roster: seats.Tools) -> tuple[seats.Named, ...]:
    if options.judge.strip():
        raise UsageError("The judges are named twice: give one judge, or a panel.")
    if seats.model_of(options.model_judge):
        raise UsageError("One model cannot be for a panel.", hint="Name it beside its tool, as in claude:MODEL,codex.")
    judges = seats.listed(options.judges)
    if len(judges) > debate.MOST_JUDGES:
        raise UsageError(f"A panel has at most {debate.MOST_JUDGES} judges; {len(judges)} are named.")
    for judge, times in Counter(judges).items():
        roster.spec(judge.tool)
        if times > 1 and judge.tool != base.RULE_BASED_TOOL:
            raise UsageError(
                f"{judge.tool} is {times} judges of the panel.",
                hint="A tool may sit there more than once with different models: claude:MODEL,claude:OTHER.",
            )
    return judges


def _furthest(sides: Sides, roster: seats.Tools) -> str:
    """A tool of another family than both sides, else one that is neither side, else the calling agent, else a side's.

    Where one tool argues both sides, it judges them rather than the calling agent, which knows what it has been told.
    """
    tools = [side.tool for side in sides.values()]
    families = {seats.family_of(side.tool, roster, side.model) for side in sides.values()}
    others = [tool for tool in roster.ai_tools() if tool not in tools]
    strangers = [tool for tool in others if seats.family_of(tool, roster) not in families]
    own = [tool for tool in tools if tool != base.RULE_BASED_TOOL and not roster.is_host(tool)]  # code judges nothing
    host = [roster.host] if roster.host and roster.host not in tools else []
    rest = (*own, *host) if len(set(tools)) == 1 else (*host, *own)
    return (*seats.known_first(strangers, roster), *others, *rest, *tools)[0]


def _further_judge(seating: seats.Seating, roster: seats.Tools) -> base.ToolName | None:
    """Return a ready tool of another family than everybody who has a seat; None where there is none.

    Where no judge is a model, none is asked either: a debate of scripts and code stays one.
    """
    sitting = (*seating.seats.values(), *seating.panel)
    judges = (seating.seats[base.Role.JUDGE], *seating.panel)
    if all(isinstance(roster.spec(judge.tool), _WITHOUT_MODEL) for judge in judges):
        return None
    families = {seats.family_of(seat.tool, roster, seat.model) for seat in sitting}
    free = [tool for tool in roster.ai_tools() if tool not in seating.tools]
    others = [tool for tool in free if seats.family_of(tool, roster) not in families]
    return next(iter(seats.known_first(others, roster)), None)


def _further_notices(further: base.ToolName | None) -> tuple[str, ...]:
    return (f"Where the judges leave it undecided, {further} is asked as one more judge.",) if further else ()


_WITHOUT_MODEL = (providers.OfflineProvider, providers.ScriptedProvider)


def _kinship(judge: seats.Named, sides: Sides, roster: seats.Tools) -> str:
    """Return how ``judge`` is related to a side; empty if it is not."""
    family = roster.family(judge.tool, judge.model)
    for role, side in sides.items():
        if side.tool == judge.tool:
            return seats.own_seat(judge.tool, role, roster)
    for role, side in sides.items():
        if seats.are_related(judge, side, roster):
            return f"{judge.tool}, of the same family of models ({family}) as {side.tool}, the {role}"
    return f"{judge.tool}, whose family of models is not known" if seats.is_unknown(judge, roster) else ""


def _seated(options: DebateOptions, roster: seats.Tools) -> seats.Seating:
    """Proposer, challenger and judges; raises ``SparringError`` where there is nobody who could take an empty seat."""
    sides = _sides(options, roster)
    judge, *panel = _judges(options, sides, roster)
    return seats.Seating(
        {**sides, base.Role.JUDGE: judge}, _seating_notices(options, sides, (judge, *panel), roster), tuple(panel)
    )


def _seating_notices(
    options: DebateOptions, sides: Sides, judges: tuple[seats.Named, ...], roster: seats.Tools
) -> tuple[str, ...]:
    """Return notices about the seats; one tool in all seats is named once."""
    tool, other = (side.tool for side in sides.values())
    of_judges = _judging_notices(judges, sides, roster)
    if tool != other or tool == base.RULE_BASED_TOOL or _is_one_script([tool], roster):
        return of_judges
    if options.devil.strip():
        return (f"[WARN] Devil's advocate: {tool} argues both sides.", *of_judges)
    if {judge.tool for judge in judges} == {tool}:
        return (seats.one_tool_notice(tool, "both sides and the judge", roster),)
    return (seats.one_tool_notice(tool, "both sides", roster), *of_judges)


def _sides(options: DebateOptions, roster: seats.Tools) -> Sides:
    """Both sides; who was not named is chosen to be as different as can be had."""
    named = {
        base.Role.PROPOSER: seats.seated(_tool(options, options.proposer), options.model_proposer, roster),
        base.Role.CHALLENGER: seats.seated(_tool(options, options.challenger), options.model_challenger, roster),
    }
    _refuse_one_for_both(options, named.values(), roster)
    models = {base.Role.PROPOSER: options.model_proposer, base.Role.CHALLENGER: options.model_challenger}
    sides: dict[base.Role, seats.Named] = {}
    for role, seat in named.items():
        taken = [each.tool for each in (*named.values(), *sides.values()) if each]
        sides[role] = seat or seats.Named(seats.another(taken, roster), seats.model_of(models[role]))
    return sides


def _tool(options: DebateOptions, seat: str) -> str:
    if options.devil.strip() and seat.strip():
        raise UsageError("The devil's advocate argues both sides.", hint="Leave the proposer and the challenger out.")
    return options.devil or seat or options.provider


def _refuse_one_for_both(options: DebateOptions, named: Iterable[seats.Named | None], roster: seats.Tools) -> None:
    tools = {seat.tool if seat else "" for seat in named}
    are_both_named = bool(options.proposer.strip() and options.challenger.strip())
    if are_both_named and len(tools) == 1 and tools != {base.RULE_BASED_TOOL} and not _is_one_script(tools, roster):
        raise UsageError(
            f"Proposer and challenger must be different tools, both are {tools.pop()!r}.",
            hint="For one tool on both sides name it as the devil's advocate.",
        )


def _is_one_script(tools: Iterable[str], roster: seats.Tools) -> bool:
    """Return whether one script speaks for all: it says for whom each reply is, so that nobody argues with himself."""
    first, *others = set(tools)
    return not others and roster.spec(first).kind is providers.ProviderKind.SCRIPTED
