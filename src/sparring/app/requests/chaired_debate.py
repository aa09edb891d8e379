"""A chaired debate, complete."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from sparring.app.context import blind_notices, gather
from sparring.app.debate_folder import named_folder
from sparring.app.requests.chairing import seat_chaired_debate
from sparring.app.requests.debate_config import CONFIG_PATH, ReadConfig, read_config
from sparring.app.requests.desk import Desk
from sparring.app.requests.seats import Seating
from sparring.app.requests.validating import effort, valid
from sparring.app.roster import Roster
from sparring.app.wishes import ChairedDebateWish
from sparring.errors import UsageError
from sparring.schema.base import Role
from sparring.schema.chaired_debate import DEBATERS, ChairedDebateRequest

_SECONDS_A_MINUTE = 60


def complete_chaired_debate(wish: ChairedDebateWish, desk: Desk) -> ChairedDebateRequest:
    """The whole request; raises ``UsageError`` where it contradicts itself or names what does not exist."""
    roster = desk.roster
    read = read_config(wish.config, desk.place, desk.settings)
    topic = _topic(wish, read)
    seating = seat_chaired_debate(wish, read, roster)
    searching = () if wish.no_web else tuple(role for role in DEBATERS if _can_search(seating, role, roster))
    material = gather(wish.context, desk.place, desk.settings, roster.redactor)
    blind = blind_notices(seating.tools, material)
    web = tuple(_web_notices(wish, seating, searching))
    return valid(
        lambda: ChairedDebateRequest(
            topic=roster.redactor.redact(topic).text.strip(),
            context=material.parts,
            chair=seating.participant(Role.CHAIR),
            promoter=seating.participant(Role.PROMOTER),
            detractor=seating.participant(Role.DETRACTOR),
            audience=seating.participant(Role.AUDIENCE) if Role.AUDIENCE in seating.seats else None,
            reporter=seating.participant(Role.REPORTER) if Role.REPORTER in seating.seats else None,
            searching=searching,
            effort=effort(wish.effort),
            timeout_s=wish.timeout_s,
            output_dir=named_folder(wish.output_dir or read.config.output_dir or "", desk.place.project),
            notices=roster.notices + read.notices + seating.notices + web + material.notices + blind,
            **_bounds(wish, read),
        ),
    )


def _topic(wish: ChairedDebateWish, read: ReadConfig) -> str:
    topic = wish.topic if wish.topic.strip() else read.config.topic
    if not topic.strip():
        where = f"in {read.path}" if read.path else f"in {CONFIG_PATH}"
        raise UsageError("There is no topic to debate.", hint=f"Name one, or write it {where}.")
    return topic


def _bounds(wish: ChairedDebateWish, read: ReadConfig) -> Mapping[str, Any]:
    """How long the debate may last: what was said, else what the file says, else nothing: the record's own bounds.

    Of two bounds of which only one is said, the other one gives way.
    """
    low = wish.min_rounds if wish.min_rounds is not None else read.config.min_rounds
    high = wish.max_rounds if wish.max_rounds is not None else read.config.max_rounds
    usual_low, usual_high = (ChairedDebateRequest.model_fields[name].default for name in ("min_rounds", "max_rounds"))
    if high is not None and low is None:
        low = min(usual_low, high)
    if low is not None and high is None:
        high = max(usual_high, low)
    if low is not None and high is not None and low > high:
        raise UsageError(f"min_rounds is {low} and max_rounds is {high}: the least cannot be more than the most.")
    chosen = {"min_rounds": low, "max_rounds": high, "time_budget_s": _time_budget_s(wish, read)}
    return {name: value for name, value in chosen.items() if value is not None}


def _time_budget_s(wish: ChairedDebateWish, read: ReadConfig) -> float | None:
    minutes = read.config.time_budget_minutes
    if wish.time_budget_s is not None:
        minutes = wish.time_budget_s / _SECONDS_A_MINUTE
    if minutes is None:
        return None
    if not (math.isfinite(minutes) and minutes > 0):
        raise UsageError(f"The time budget must be a number of minutes above 0; it is {minutes:g}.")
    return minutes * _SECONDS_A_MINUTE


def _can_search(seating: Seating, role: Role, roster: Roster) -> bool:
    return roster.spec(seating.seats[role].tool).can_search


def _web_notices(wish: ChairedDebateWish, seating: Seating, searching: tuple[Role, ...]) -> Iterator[str]:
    if wish.no_web:
        yield "Nobody searches the web: what the debaters cannot source they have to label."
        return
    for role in DEBATERS:
        tool = seating.seats[role].tool
        if role in searching:
            yield f"The {role} ({tool}) may search the web."
        else:
            yield f"The {role} ({tool}) cannot search the web, and has to label what it cannot source."
