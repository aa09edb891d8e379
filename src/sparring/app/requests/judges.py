"""Who judges a debate: the judge or the panel that was named, else the tool that stands furthest from both sides."""

from collections import Counter
from collections.abc import Mapping

from sparring.app.asked import Named, listed, model_of
from sparring.app.requests.hosting import deciding_notice, own_seat
from sparring.app.requests.seats import seated
from sparring.app.roster import Roster
from sparring.app.wishes import DebateWish
from sparring.errors import UsageError
from sparring.schema.base import Role
from sparring.schema.debate import MOST_JUDGES
from sparring.schema.participants import RULE_BASED_TOOL

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
