"""Who sits where in a chaired debate: seats as they were named, and tools for those that were left empty."""

from collections.abc import Mapping
from dataclasses import dataclass

from sparring.app.asked import Named, named
from sparring.app.requests.debate_config import ReadConfig
from sparring.app.requests.hosting import deciding_notice, own_seat
from sparring.app.requests.seats import Seating
from sparring.app.roster import Roster
from sparring.app.wishes import ChairedDebateWish
from sparring.errors import UsageError
from sparring.schema.base import Role
from sparring.schema.chaired_debate import DEBATERS
from sparring.schema.participants import RULE_BASED_TOOL
from sparring.text.tidying import one_line

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
