"""The scores of both sides, 1 to 5, from what is counted.

evidence: the share of a side's citations that hold. reasoning: the share of its points that rest on a citation which
holds. responsiveness: the share of the other side's points that it took up. A share becomes 1 for none of it up to 5
for all of it. candor: 5, less one for each citation that is not found and for each concession that it took back.
"""

from sparring.consult.offline.debating.defending import main_points
from sparring.consult.offline.debating.scoring import Tally, unanswered
from sparring.consult.offline.reading import HeardSpeech
from sparring.schema.debate import Scores

_WORST, _BEST = 1, 5


def scores(speeches: tuple[HeardSpeech, ...], own: Tally, other: Tally) -> Scores:
    """The scores of the side that made ``speeches`` and has shown ``own``."""
    points = [point for speech in speeches for point in main_points(speech.points)]
    held = sum(bool(point.verified) for point in points)
    taken_up = len(other.raised) - len(unanswered(other))
    return Scores(
        evidence=_graded(own.verified, own.verified + own.not_found, empty=_WORST),
        reasoning=_graded(held, len(points), empty=_WORST),
        responsiveness=_graded(taken_up, len(other.raised), empty=_BEST),
        candor=max(_WORST, _BEST - own.not_found - own.taken_back),
    )


def _graded(part: int, whole: int, *, empty: int) -> int:
    return _WORST + int((_BEST - _WORST) * part / whole + 0.5) if whole else empty
