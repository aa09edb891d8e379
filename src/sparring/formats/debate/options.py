"""What can be said about a debate, and how it becomes a request: who argues, who judges, what they are shown."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar

from sparring.errors import UsageError
from sparring.schema.base import RULE_BASED_TOOL, Effort, RepoAccess, Role
from sparring.schema.debate import EDITION, MOST_JUDGES, SPEAKING_ORDER, DebateRequest, Rounds
from sparring.schema.providers import ProviderKind
from sparring.seating.options import (
    CONTEXT_KIB,
    Access,
    ContextLimit,
    ContextOption,
    EffortOption,
    Model,
    Option,
    Options,
    SecretFiles,
    UntoldModel,
    timeout,
    valid,
)
from sparring.seating.seats import (
    Circumstances,
    Named,
    Seating,
    Tools,
    access_notices,
    blind_notices,
    deciding_notice,
    listed,
    model_of,
    own_seat,
    seated,
    stands_in_notice,
)


class DebateOptions(Options[DebateRequest]):
    """An empty seat lets sparring choose; ``provider`` fills every empty one."""

    format: ClassVar[str] = "debate"

    topic: Annotated[
        str,
        Option(
            "What to argue about; `-` reads it from standard input.",
            told="The question to argue about, with the facts both sides need",
            words="all that is none of the following",
            is_subject=True,
        ),
    ]
    proposer: Annotated[
        str,
        Option(
            "Tool that takes a position.",
            told="Tool that argues for; host: you; empty: chosen",
            value="TOOL",
            words='"codex vs gemini about …": the first of them',
            is_hinted=True,
        ),
    ] = ""
    challenger: Annotated[
        str,
        Option(
            "Tool that attacks it; must differ from the proposer.",
            told="Another, that argues against",
            value="TOOL",
            words="the second; never the same as the proposer",
            is_hinted=True,
        ),
    ] = ""
    judge: Annotated[
        str,
        Option(
            "Tool that gives the verdict; by default a third one.",
            told="Tool that decides; host: you; empty: a third one, or host",
            value="TOOL",
            words='"judged by …"; "you decide" = host',
            is_hinted=True,
        ),
    ] = ""
    judges: Annotated[
        str,
        Option(
            "A panel of up to 5 instead: claude,codex:MODEL,gemini. Most of them decide.",
            told="Instead, a panel of up to 5: claude,codex:MODEL,gemini",
            value="TOOL,TOOL",
            words='"a panel of …", up to 5, instead of a judge',
            is_hinted=True,
        ),
    ] = ""
    devil: Annotated[
        str,
        Option(
            "Tool that argues both sides, instead of two tools.",
            told="Instead of two tools, one that argues both sides",
            value="TOOL",
            words='"devil\'s advocate": one tool argues both sides, instead of two',
        ),
    ] = ""
    provider: Annotated[
        str,
        Option(
            "Tool for every seat not named.",
            told='For every empty seat; "offline" needs no AI tool',
            value="TOOL",
            words="for every seat that is not named",
        ),
    ] = ""
    rounds: Annotated[
        Rounds,
        Option(
            "Rounds of back and forth, 1 to 5.", words='"quick" = 1, "thorough" = 3, "4 rounds" = 4', is_hinted=True
        ),
    ] = 2
    blind_openings: Annotated[
        bool,
        Option(
            "Both sides open without hearing the other; takes 2 rounds or more.",
            told="Both open without hearing the other",
            words="both open without hearing the other; needs 2 rounds or more",
        ),
    ] = False
    effort: EffortOption = Effort.MEDIUM
    model_proposer: Model = ""
    model_challenger: Model = ""
    model_judge: UntoldModel = ""
    timeout_s: Annotated[float, timeout("Seconds for each speech")] = 240.0
    context: ContextOption = ()
    context_limit: ContextLimit = CONTEXT_KIB
    allow_secret_files: SecretFiles = False
    repo_access: Access = RepoAccess.NONE


def complete(options: DebateOptions, here: Circumstances) -> DebateRequest:
    """The whole request; raises ``UsageError`` where it contradicts itself or names what does not exist."""
    roster = here.tools
    seating = seat_debate(options, roster)
    material = here.context(options.context, options.context_limit, secrets_allowed=options.allow_secret_files)
    blind = blind_notices(seating.tools, material)
    access = options.repo_access
    debaters = tuple(seating.seats[role].tool for role in SPEAKING_ORDER)
    reading = access_notices(debaters, access, roster)
    return valid(
        lambda: DebateRequest(
            edition=EDITION,
            topic=here.redact(options.topic).text.strip(),
            context=material.parts,
            proposer=seating.participant(Role.PROPOSER),
            challenger=seating.participant(Role.CHALLENGER),
            judge=seating.participant(Role.JUDGE),
            panel=seating.panelists,
            rounds=options.rounds,
            effort=options.effort,
            timeout_s=options.timeout_s,
            repo_access=access,
            blind_openings=options.blind_openings,
            devil=bool(options.devil.strip()) or _is_one_script(debaters, roster),
            notices=roster.notices + seating.notices + material.notices + blind + reading,
        ),
    )


Sides = Mapping[Role, Named]
"""Who sits on either side, the proposer first."""


def choose_judges(options: DebateOptions, sides: Sides, roster: Tools) -> tuple[Named, ...]:
    """The judges in their order; there is at least one.

    Raises:
        UsageError: They are named in two ways that contradict each other, are too many, or one of them does not exist.
    """
    if options.judges.strip():
        return _panel(options, roster)
    judge = seated(options.judge or options.provider, options.model_judge, roster)
    return (judge or Named(_furthest(sides, roster), model_of(options.model_judge)),)


def judging_notices(judges: tuple[Named, ...], sides: Sides, roster: Tools) -> tuple[str, ...]:
    """Warnings about judges who are no third party, or no fresh session (design: Debate, default judge)."""
    called = ("The judge",) if len(judges) == 1 else tuple(f"Judge {number}" for number in range(1, len(judges) + 1))
    notices = list[str]()
    for who, judge in zip(called, judges, strict=True):
        if kinship := _kinship(judge, sides, roster):
            notices.append(f"[WARN] {who} is {kinship}.")
        if notice := deciding_notice(who, judge.tool, roster):
            notices.append(notice)
    return tuple(notices)


def _panel(options: DebateOptions, roster: Tools) -> tuple[Named, ...]:
    if options.judge.strip():
        raise UsageError("The judges are named twice: give one judge, or a panel.")
    if model_of(options.model_judge):
        raise UsageError("One model cannot be for a panel.", hint="Name it beside its tool, as in claude:MODEL,codex.")
    judges = listed(options.judges)
    if len(judges) > MOST_JUDGES:
        raise UsageError(f"A panel has at most {MOST_JUDGES} judges; {len(judges)} are named.")
    for judge, times in Counter(judges).items():
        roster.spec(judge.tool)
        if times > 1 and judge.tool != RULE_BASED_TOOL:
            raise UsageError(
                f"{judge.tool} is {times} judges of the panel.",
                hint="A tool may sit there more than once with different models: claude:MODEL,claude:OTHER.",
            )
    return judges


def _furthest(sides: Sides, roster: Tools) -> str:
    """A tool of another family than both sides, else one that is neither side, else the calling agent, else a side's.

    Of both sides that is the proposer's own, unless the proposer is the calling agent: it would judge what it has said.
    """
    tools = {side.tool for side in sides.values()}
    families = {roster.spec(tool).family for tool in tools}
    others = [tool for tool in roster.ai_tools() if tool not in tools]
    strangers = [tool for tool in others if roster.spec(tool).family not in families]
    host = [roster.host] if roster.host and roster.host not in tools else []
    own = [side.tool for side in sides.values() if not roster.is_host(side.tool)]
    return (*strangers, *others, *host, *own)[0]


def _kinship(judge: Named, sides: Sides, roster: Tools) -> str:
    """What ties ``judge`` to a side; empty if nothing does."""
    family = roster.spec(judge.tool).family
    for role, side in sides.items():
        if side.tool == judge.tool:
            return own_seat(judge.tool, role, roster)
    for role, side in sides.items():
        if roster.are_related(judge.tool, side.tool):
            return f"{judge.tool}, of the same family of models ({family}) as {side.tool}, the {role}"
    return ""


def seat_debate(options: DebateOptions, roster: Tools) -> Seating:
    """Proposer, challenger and judges.

    Raises:
        UsageError: They are named in ways that contradict each other, or one of them does not exist.
    """
    sides, notices = _sides(options, roster)
    _refuse_one_tool(options, sides, roster)
    judge, *panel = choose_judges(options, sides, roster)
    kinship = judging_notices((judge, *panel), sides, roster)
    return Seating({**sides, Role.JUDGE: judge}, (*notices, *kinship), tuple(panel))


def _sides(options: DebateOptions, roster: Tools) -> tuple[Sides, tuple[str, ...]]:
    """Both sides, and what the user should know about those that were not named."""
    named = {
        Role.PROPOSER: seated(_tool(options, options.proposer), options.model_proposer, roster),
        Role.CHALLENGER: seated(_tool(options, options.challenger), options.model_challenger, roster),
    }
    models = {Role.PROPOSER: options.model_proposer, Role.CHALLENGER: options.model_challenger}
    taken = {seat.tool for seat in named.values() if seat}
    free = _free(options, taken, roster)
    sides: dict[Role, Named] = {}
    notices: list[str] = []
    for role, seat in named.items():
        sides[role] = seat or Named(next(free, RULE_BASED_TOOL), model_of(models[role]))
        if seat is None and sides[role].tool == RULE_BASED_TOOL:
            notices.append(
                f"[WARN] No further AI tool is installed: {RULE_BASED_TOOL}, which is rule-based, is the {role}."
            )
        elif seat is None and roster.is_host(sides[role].tool):
            notices.append(stands_in_notice(sides[role].tool, role))
    return sides, tuple(notices)


def _free(options: DebateOptions, taken: set[str], roster: Tools) -> Iterator[str]:
    """Who may sit on a side that nobody was named for; the calling agent last, and not if it is to judge."""
    yield from [tool for tool in roster.ai_tools() if tool not in taken]
    judges = {judge.tool for judge in listed(options.judges or options.judge)}
    if roster.host and roster.host not in taken | judges:
        yield roster.host


def _tool(options: DebateOptions, seat: str) -> str:
    if options.devil.strip() and seat.strip():
        raise UsageError("The devil's advocate argues both sides.", hint="Leave the proposer and the challenger out.")
    return options.devil or seat or options.provider


def _refuse_one_tool(options: DebateOptions, sides: Sides, roster: Tools) -> None:
    proposer, challenger = (side.tool for side in sides.values())
    if proposer == challenger and roster.is_host(proposer):
        raise UsageError(
            f"{proposer} is one conversation and cannot argue both sides.",
            hint=f"Let another tool take one of them; {RULE_BASED_TOOL} needs nothing installed.",
        )
    if _is_one_script((proposer, challenger), roster):
        return
    if proposer == challenger and not options.devil.strip() and proposer != RULE_BASED_TOOL:
        raise UsageError(
            f"Proposer and challenger must be different tools, both are {proposer!r}.",
            hint="For one tool on both sides name it as the devil's advocate.",
        )


def _is_one_script(debaters: tuple[str, ...], roster: Tools) -> bool:
    """Whether one script speaks for both sides: it says for whom each reply is, so that nobody argues with himself."""
    return len(set(debaters)) == 1 and roster.spec(debaters[0]).kind is ProviderKind.SCRIPTED
