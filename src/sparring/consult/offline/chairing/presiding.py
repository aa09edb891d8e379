"""The chair: rules by what code found out about sources, decides by counting, and says what was counted."""

from dataclasses import dataclass

from sparring.consult.offline.case import Case
from sparring.consult.offline.chairing.arguing import seqs
from sparring.consult.offline.chairing.proceedings import Challenge, Entry, Proceedings
from sparring.consult.offline.chairing.wording import say
from sparring.consult.offline.writing import json_block
from sparring.schema.base import Role
from sparring.schema.chaired_debate import DebateDecision

_MOST_DECISIVE = 3
_BOTH = 2


@dataclass(frozen=True)
class _Count:
    """What one side has to show.

    Attributes:
        open_points: Its entries that the other side left unanswered.
    """

    sources: int
    entries: tuple[Entry, ...]
    open_points: tuple[Entry, ...]

    @property
    def worth(self) -> tuple[int, int, int]:
        """What is compared, the first thing first."""
        return self.sources, len(self.entries), len(self.open_points)


def clarification(case: Case) -> str:
    """That nothing was ruled beyond the rules, and what they are."""
    return say(case, "clarification")


def review(case: Case) -> str:
    """A ruling on each challenge; another round is needed as long as the last one brought something."""
    proceedings = Proceedings(case)
    rulings = [_ruling(case, challenge, proceedings) for challenge in proceedings.challenges]
    goes_on = any(entry.brings_something for entry in proceedings.entries[-_BOTH:])
    reason = say(case, "goes-on" if goes_on else "all-said")
    return json_block({"rulings": rulings, "continue": goes_on, "reason": reason})


def conclusion(case: Case) -> str:
    """The decision by the counts: verified sources, entries that stand, points that were left unanswered."""
    proceedings = Proceedings(case)
    promoter, detractor = (_count(proceedings, role) for role in (Role.PROMOTER, Role.DETRACTOR))
    outcome, step = _decide(promoter, detractor)
    winner = {DebateDecision.AFFIRMATIVE_WINS: promoter, DebateDecision.NEGATIVE_WINS: detractor}.get(outcome)
    decisive = _decisive(winner, step) if winner else (*promoter.entries[:1], *detractor.entries[:1])
    counts = say(case, "counts", **_told("promoter", promoter), **_told("detractor", detractor))
    reasoning = f"{counts} {say(case, f'decided-{step}')}"
    if decisive:
        reasoning += f" {say(case, 'decisive', seqs=seqs(decisive))}"
    return json_block({"outcome": outcome.value, "reasoning": reasoning, "decisive": [entry.seq for entry in decisive]})


def _ruling(case: Case, challenge: Challenge, proceedings: Proceedings) -> dict[str, object]:
    is_upheld = proceedings.is_unreliable(challenge.target_seq)
    verb = "upheld" if is_upheld else "dismissed"
    return {"challenge_seq": challenge.seq, "ruling": verb, "reason": say(case, verb)}


def _count(proceedings: Proceedings, role: Role) -> _Count:
    return _Count(proceedings.verified_sources(role), proceedings.by(role), proceedings.unanswered(role))


def _decide(promoter: _Count, detractor: _Count) -> tuple[DebateDecision, str]:
    for step, one, other in zip(("sources", "entries", "open"), promoter.worth, detractor.worth, strict=True):
        if one != other:
            return DebateDecision.AFFIRMATIVE_WINS if one > other else DebateDecision.NEGATIVE_WINS, step
    return DebateDecision.DRAW, "equal"


def _decisive(winner: _Count, step: str) -> tuple[Entry, ...]:
    entries = winner.open_points if step == "open" else winner.entries
    return entries[:_MOST_DECISIVE]


def _told(side: str, count: _Count) -> dict[str, str]:
    sources, entries, open_points = count.worth
    return {
        f"{side}_sources": str(sources),
        f"{side}_entries": str(entries),
        f"{side}_open": str(open_points),
    }
