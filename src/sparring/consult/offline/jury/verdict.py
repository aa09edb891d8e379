"""The judge's answer, by a written rule.

MUTATED: the claims check has a critical mismatch, or no part of the claim is in the truth. FAITHFUL: every part is, and
nothing differs. PARTIALLY_FAITHFUL: everything between. What was said is not weighed: it is made from the same texts.
"""

from dataclasses import dataclass
from enum import StrEnum

from sparring.consult.offline.jury.pair import Pair
from sparring.consult.offline.writing import Phrases, json_block, quoted
from sparring.schema.consultation import Brief
from sparring.schema.jury import Faithfulness, JudgeVerdict

_MOST_LISTED = 5


class Ground(StrEnum):
    """Which branch of the rule has decided."""

    CONFLICT = "conflict"
    NOTHING = "nothing"
    SOME = "some"
    ALL = "all"


_VERDICTS = {
    Ground.CONFLICT: Faithfulness.MUTATED,
    Ground.NOTHING: Faithfulness.MUTATED,
    Ground.SOME: Faithfulness.PARTIALLY_FAITHFUL,
    Ground.ALL: Faithfulness.FAITHFUL,
}

# How often each branch was right about faithful or not, on the half of the development pages that rules are tuned on
# (bench/jury prints both halves).
_CONFIDENCE = {Ground.CONFLICT: 0.95, Ground.NOTHING: 0.8, Ground.SOME: 0.6, Ground.ALL: 0.8}


@dataclass(frozen=True)
class _Change:
    """A difference, and what would undo it."""

    difference: str
    remedy: str


def verdict(brief: Brief, phrases: Phrases) -> str:
    """The JSON object with the specification's six fields."""
    pair = Pair(brief)
    ground = ground_of(pair)
    changes = _changes(pair, phrases)[:_MOST_LISTED]
    is_mutated = _VERDICTS[ground] is Faithfulness.MUTATED
    carried = [phrases.say("carried", part=quoted(part.text), truth=quoted(part.quote or "")) for part in pair.covered]
    decided = JudgeVerdict(
        verdict=_VERDICTS[ground],
        confidence=_CONFIDENCE[ground],
        rationale=(phrases.say(f"because-{ground}"), *(each.difference for each in changes), *carried[:_MOST_LISTED]),
        critical_differences=tuple(each.difference for each in changes) if is_mutated else (),
        what_would_make_it_faithful=tuple(each.remedy for each in changes),
        one_sentence_summary=phrases.say(f"summary-{ground}"),
    )
    return json_block(decided.model_dump(mode="json"))


def ground_of(pair: Pair) -> Ground:
    """The branch of the rule that decides about ``pair``."""
    if pair.conflicts:
        return Ground.CONFLICT
    if not pair.covered:
        return Ground.NOTHING
    return Ground.SOME if pair.missing or pair.shifts else Ground.ALL


def _changes(pair: Pair, phrases: Phrases) -> list[_Change]:
    """What differs, critical first, then what the truth does not have."""
    changes: list[_Change] = []
    for each in (*pair.conflicts, *pair.shifts):
        values = {"claim": quoted(each.claim), "truth": quoted(each.truth)}
        changes.append(_Change(phrases.say("differs", **values), phrases.say("remedy-differs", **values)))
    for part in pair.missing:
        values = {"part": quoted(part.text)}
        changes.append(_Change(phrases.say("lacks", **values), phrases.say("remedy-lacks", **values)))
    return changes
