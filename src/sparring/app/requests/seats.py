"""Seats as they were named, and who sits in a jury when some of its seats were left empty."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import cycle

from sparring.app.asked import Named, model_of, named
from sparring.app.requests.hosting import deciding_notice, own_seat
from sparring.app.roster import Roster
from sparring.app.wishes import JuryWish
from sparring.schema.base import Role
from sparring.schema.participants import RULE_BASED_TOOL, Participant

_DEBATERS = (Role.ADVOCATE, Role.SKEPTIC)
_CHOOSING = (*_DEBATERS, Role.JUDGE, Role.FACT_CHECKER)
"""In this order empty seats of a jury are given tools: whose difference matters most, first."""


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


def seated(tool: str, model: str, roster: Roster) -> Named | None:
    """A seat as it was named, None if it was not; raises ``UsageError`` for a tool that does not exist."""
    if not tool.strip():
        return None
    seat = named(tool.strip(), model)
    roster.spec(seat.tool)
    return seat


def seat_jury(wish: JuryWish, roster: Roster) -> Seating:
    """Advocate, Skeptic, Fact-Checker and Judge: different tools as far as they go round; raises ``UsageError``."""
    wanted = {
        Role.ADVOCATE: (wish.advocate, wish.model_advocate),
        Role.SKEPTIC: (wish.skeptic, wish.model_skeptic),
        Role.FACT_CHECKER: (wish.fact_checker, wish.model_fact_checker),
        Role.JUDGE: (wish.judge, wish.model_judge),
    }
    seats = {
        role: seat
        for role, (tool, model) in wanted.items()
        if (seat := seated(tool or wish.provider, model, roster)) is not None
    }
    empty = [role for role in _CHOOSING if role not in seats]
    installed = list(roster.ai_tools()) if empty else []
    taken = _tools(*seats.values())
    round_ = cycle(sorted(installed, key=lambda tool: tool in taken) or [RULE_BASED_TOOL])
    seats |= {role: Named(next(round_), model_of(wanted[role][1])) for role in empty}
    alone = () if installed or not empty else (_nobody_else(empty),)
    return Seating(seats, (*alone, *_both_sides_notices(seats, roster), *_judging_notices(seats, roster)))


def _participant(seat: Named) -> Participant:
    return Participant(tool=seat.tool, model=seat.model)


def _tools(*seats: Named | None) -> frozenset[str]:
    return frozenset(seat.tool for seat in seats if seat)


def _nobody_else(roles: list[Role]) -> str:
    *others, last = (role.spoken for role in roles)
    names = f"{', '.join(others)} and {last}" if others else last
    return f"[WARN] No AI tool is installed: {RULE_BASED_TOOL}, which is rule-based, is {names}."


def _both_sides_notices(seats: Mapping[Role, Named], roster: Roster) -> tuple[str, ...]:
    advocate, skeptic = (seats[role].tool for role in _DEBATERS)
    if advocate != skeptic or advocate == RULE_BASED_TOOL:
        return ()
    how = "in one conversation" if roster.is_host(advocate) else "each in a fresh session"
    return (f"[WARN] {advocate} is both advocate and skeptic, {how}.",)


def _judging_notices(seats: Mapping[Role, Named], roster: Roster) -> tuple[str, ...]:
    """Warnings when the judge is not a third party, or no fresh session."""
    judge = seats[Role.JUDGE].tool
    side = next((role for role in _DEBATERS if seats[role].tool == judge), None)
    own = f"[WARN] The judge is {own_seat(judge, side, roster)}." if side else ""
    return tuple(filter(None, (own, deciding_notice("The judge", judge, roster))))
