"""Who sits where in a debate, with its judges, and in a chaired debate."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sparring.app.asked import Named, listed, model_of, named
from sparring.app.debate_folder import ReadConfig
from sparring.app.roster import Roster
from sparring.app.seats import Seating, deciding_notice, own_seat, seated, stands_in_notice
from sparring.app.wishes import ChairedDebateWish, DebateWish
from sparring.errors import UsageError
from sparring.schema.base import Role
from sparring.schema.chaired_debate import DEBATERS
from sparring.schema.debate import MOST_JUDGES
from sparring.schema.participants import RULE_BASED_TOOL
from sparring.text.tidying import one_line

Sides = Mapping[Role, Named]
"""Who sits on either side, the proposer first."""


def choose_judges(wish: DebateWish, sides: Sides, roster: Roster) -> tuple[Named, ...]:
    """The judges in their order; there is at least one.

    Raises:
        UsageError: They are named in two ways that contradict each other, are too many, or one of them does not exist.
    """
    if wish.judges.strip():
        return _panel(wish, roster)
    judge = seated(wish.judge or wish.provider, wish.model_judge, roster)
    return (judge or Named(_furthest(sides, roster), model_of(wish.model_judge)),)


def judging_notices(judges: tuple[Named, ...], sides: Sides, roster: Roster) -> tuple[str, ...]:
    """Warnings about judges who are no third party, or no fresh session (design: Debate, default judge)."""
    called = ("The judge",) if len(judges) == 1 else tuple(f"Judge {number}" for number in range(1, len(judges) + 1))
    notices = list[str]()
    for who, judge in zip(called, judges, strict=True):
        if kinship := _kinship(judge, sides, roster):
            notices.append(f"[WARN] {who} is {kinship}.")
        if notice := deciding_notice(who, judge.tool, roster):
            notices.append(notice)
    return tuple(notices)


def _panel(wish: DebateWish, roster: Roster) -> tuple[Named, ...]:
    if wish.judge.strip():
        raise UsageError("The judges are named twice: give one judge, or a panel.")
    if model_of(wish.model_judge):
        raise UsageError("One model cannot be for a panel.", hint="Name it beside its tool, as in claude:MODEL,codex.")
    judges = listed(wish.judges)
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


def _furthest(sides: Sides, roster: Roster) -> str:
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


def _kinship(judge: Named, sides: Sides, roster: Roster) -> str:
    """What ties ``judge`` to a side; empty if nothing does."""
    family = roster.spec(judge.tool).family
    for role, side in sides.items():
        if side.tool == judge.tool:
            return own_seat(judge.tool, role, roster)
    for role, side in sides.items():
        if roster.are_related(judge.tool, side.tool):
            return f"{judge.tool}, of the same family of models ({family}) as {side.tool}, the {role}"
    return ""


def seat_debate(wish: DebateWish, roster: Roster) -> Seating:
    """Proposer, challenger and judges.

    Raises:
        UsageError: They are named in ways that contradict each other, or one of them does not exist.
    """
    sides, notices = _sides(wish, roster)
    _refuse_one_tool(wish, sides, roster)
    judge, *panel = choose_judges(wish, sides, roster)
    kinship = judging_notices((judge, *panel), sides, roster)
    return Seating({**sides, Role.JUDGE: judge}, (*notices, *kinship), tuple(panel))


def _sides(wish: DebateWish, roster: Roster) -> tuple[Sides, tuple[str, ...]]:
    """Both sides, and what the user should know about those that were not named."""
    named = {
        Role.PROPOSER: seated(_tool(wish, wish.proposer), wish.model_proposer, roster),
        Role.CHALLENGER: seated(_tool(wish, wish.challenger), wish.model_challenger, roster),
    }
    models = {Role.PROPOSER: wish.model_proposer, Role.CHALLENGER: wish.model_challenger}
    taken = {seat.tool for seat in named.values() if seat}
    free = _free(wish, taken, roster)
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


def _free(wish: DebateWish, taken: set[str], roster: Roster) -> Iterator[str]:
    """Who may sit on a side that nobody was named for; the calling agent last, and not if it is to judge."""
    yield from [tool for tool in roster.ai_tools() if tool not in taken]
    judges = {judge.tool for judge in listed(wish.judges or wish.judge)}
    if roster.host and roster.host not in taken | judges:
        yield roster.host


def _tool(wish: DebateWish, seat: str) -> str:
    if wish.devil.strip() and seat.strip():
        raise UsageError("The devil's advocate argues both sides.", hint="Leave the proposer and the challenger out.")
    return wish.devil or seat or wish.provider


def _refuse_one_tool(wish: DebateWish, sides: Sides, roster: Roster) -> None:
    proposer, challenger = (side.tool for side in sides.values())
    if proposer == challenger and roster.is_host(proposer):
        raise UsageError(
            f"{proposer} is one conversation and cannot argue both sides.",
            hint=f"Let another tool take one of them; {RULE_BASED_TOOL} needs nothing installed.",
        )
    if proposer == challenger and not wish.devil.strip() and proposer != RULE_BASED_TOOL:
        raise UsageError(
            f"Proposer and challenger must be different tools, both are {proposer!r}.",
            hint="For one tool on both sides name it as the devil's advocate.",
        )


_NEEDED = (*DEBATERS, Role.CHAIR)
_SEATS = (*_NEEDED, Role.AUDIENCE, Role.REPORTER)
_SHOWN = 60


@dataclass(frozen=True)
class _Said:
    """What is said about one seat; empty where nothing is.

    Attributes:
        place: Who says so, for an error.
    """

    spelled: str
    place: str = ""


def seat_chaired_debate(wish: ChairedDebateWish, config: ReadConfig, roster: Roster) -> Seating:
    """Promoter, detractor and chair; audience and reporter if somebody named them.

    A seat named on the command line goes before the provider for every seat, and both before the config file: then
    ``--provider offline`` needs nothing installed, whatever the file says.

    Raises:
        UsageError: One tool, other than the rule-based one, would sit on both sides; or there is no such tool.
    """
    named_seats = {role: _seated(role, said, roster) for role, said in _said(wish, config) if said.spelled}
    free = [tool for tool in roster.ai_tools() if tool not in _tools(named_seats)]
    notices: list[str] = []
    seats: dict[Role, Named] = {}
    for role in DEBATERS:
        if role not in named_seats and not free:
            notices.append(_nobody_else(role))
        seats[role] = named_seats.get(role) or Named(free.pop(0) if free else RULE_BASED_TOOL)
    _refuse_one_for_both(seats)
    seats[Role.CHAIR] = named_seats.get(Role.CHAIR) or Named(_third(seats, free, roster))
    seats |= {role: seat for role, seat in named_seats.items() if role not in seats}
    deciding = filter(None, (deciding_notice("The chair", seats[Role.CHAIR].tool, roster),))
    return Seating(seats, (*notices, *_chair_notices(seats, roster), *deciding, *_unknown_seats(config)))


def _said(wish: ChairedDebateWish, config: ReadConfig) -> tuple[tuple[Role, _Said], ...]:
    typed = {
        Role.CHAIR: wish.chair,
        Role.PROMOTER: wish.promoter,
        Role.DETRACTOR: wish.detractor,
        Role.AUDIENCE: wish.audience,
        Role.REPORTER: wish.reporter,
    }
    return tuple((role, _first(typed[role], wish, role, config)) for role in _SEATS)


def _first(typed: str, wish: ChairedDebateWish, role: Role, config: ReadConfig) -> _Said:
    configured = config.config.models.get(role, "").strip()
    if typed.strip():
        return _Said(typed.strip())
    if wish.provider.strip() and (role in _NEEDED or configured):
        return _Said(wish.provider.strip())
    return _Said(configured, config.path)


def _seated(role: Role, said: _Said, roster: Roster) -> Named:
    try:
        seat = named(said.spelled, "")
        roster.spec(seat.tool)
    except UsageError as error:
        if not said.place:
            raise
        raise UsageError(
            f"{said.place} says that the {role} is {one_line(repr(said.spelled), _SHOWN)}: {error}",
            hint="Write a tool, or a tool and its model, e.g. claude:MODEL.",
        ) from error
    return seat


def _refuse_one_for_both(seats: Mapping[Role, Named]) -> None:
    promoter, detractor = (seats[role].tool for role in DEBATERS)
    if promoter == detractor and promoter != RULE_BASED_TOOL:
        raise UsageError(
            f"Promoter and detractor must be different tools; both are {promoter}.",
            hint=f"Name another one, or {RULE_BASED_TOOL}, which is rule-based.",
        )


def _third(seats: Mapping[Role, Named], free: list[str], roster: Roster) -> str:
    """A tool for the chair: of another family than both debaters if there is one, else one that is neither."""
    families = {roster.spec(seat.tool).family for seat in seats.values()}
    strangers = [tool for tool in free if roster.spec(tool).family not in families]
    own = [seats[role].tool for role in DEBATERS if not roster.is_host(seats[role].tool)]
    return (*strangers, *free, *own)[0]


def _chair_notices(seats: Mapping[Role, Named], roster: Roster) -> tuple[str, ...]:
    """A warning when the chair is not a third party (design: Debate, default judge)."""
    chair = seats[Role.CHAIR].tool
    own = next((role for role in DEBATERS if seats[role].tool == chair), None)
    if own:
        return (f"[WARN] The chair is {own_seat(chair, own, roster)}.",)
    kin = next((role for role in DEBATERS if roster.are_related(chair, seats[role].tool)), None)
    if kin is None:
        return ()
    family = roster.spec(chair).family
    return (f"[WARN] The chair is {chair}, of the same family ({family}) as the {kin}'s tool {seats[kin].tool}.",)


def _nobody_else(role: Role) -> str:
    return f"[WARN] No further AI tool is installed: {RULE_BASED_TOOL}, which is rule-based, is the {role}."


def _unknown_seats(config: ReadConfig) -> tuple[str, ...]:
    unknown = sorted(config.config.models.keys() - {role.value for role in _SEATS})
    if not unknown:
        return ()
    names = ", ".join(one_line(name, _SHOWN) for name in unknown[:10])
    return (f"[WARN] Ignored in {config.path}: there are no such seats: {names}.",)


def _tools(seats: Mapping[Role, Named]) -> frozenset[str]:
    return frozenset(seat.tool for seat in seats.values())
