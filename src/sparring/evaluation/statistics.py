"""Statistics of labelled rows: paired tests, sequential tests, sample sizes, agreement and calibration.

Pure functions of counts and labels, which know no arm, probe or provider. Two-sided unless the name states
otherwise. ``sparring.text.intervals`` has Wilson's interval, the bootstrap and the exact McNemar test.

Notation of a pair of arms on the same rows: ``wins`` are rows that only the first has right, ``losses`` rows that only
the second has right; both together are the discordant rows. Other rows carry no information about which is better.
"""

import math
import random
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import accumulate, combinations
from statistics import NormalDist, fmean
from typing import TypeVar

from msgspec import Struct

from sparring.text.intervals import exact_mcnemar

ALPHA = 0.05
"""Level of every test, and of the sum of errors over a family of tests that Holm's procedure adjusts."""

POWER = 0.80
RESAMPLES = 2_000
SAFETY = 1.1
"""Factor by which a planned number of rows exceeds the formula: at the formula's n the exact test has 76 % power."""

CALIBRATION_BINS = 10

_NORMAL = NormalDist()
_SEED = 20260301

L = TypeVar("L", bound=Hashable)


class Discordance(Struct, frozen=True):
    """Outcomes of two arms on the same rows.

    Attributes:
        wins: Rows that only the first arm has right.
        losses: Rows that only the second arm has right.
        rows: All rows that are compared.
    """

    wins: int
    losses: int
    rows: int

    @classmethod
    def of(cls, first: Sequence[bool], second: Sequence[bool]) -> "Discordance":
        """Count two sequences of equal length; raises ``ValueError`` where the lengths differ."""
        pairs = list(zip(first, second, strict=True))
        return cls(pairs.count((True, False)), pairs.count((False, True)), len(pairs))

    @property
    def difference(self) -> float:
        """Accuracy of the first arm minus that of the second; 0 of no rows."""
        return (self.wins - self.losses) / self.rows if self.rows else 0.0

    @property
    def share(self) -> float:
        """Share of discordant rows (ψ); 0 of no rows."""
        return (self.wins + self.losses) / self.rows if self.rows else 0.0


def exact_p(pair: Discordance) -> float:
    """P value of the exact McNemar test; 1 where no row is discordant."""
    return exact_mcnemar(pair.wins, pair.losses)


def mid_p(pair: Discordance) -> float:
    """Mid-p value of McNemar's test: half of the probability of the observed split is left out.

    Less conservative than the exact test. Its size may exceed the level by about one point at small n.
    """
    discordant = pair.wins + pair.losses
    if not discordant:
        return 1.0
    observed = math.exp(_log_choose(discordant, pair.wins) - discordant * math.log(2))
    if pair.wins == pair.losses:
        return 1 - observed / 2
    return exact_p(pair) - observed


def e_value(pair: Discordance) -> float:
    """E-value of the discordant rows against "each falls to either side equally often".

    A mixture over Beta(½, ½). It is valid after any number of rows: with equal arms the probability that it
    ever reaches 20 is at most 5 %.
    """
    discordant = pair.wins + pair.losses
    log_e = _log_beta(pair.wins + 0.5, pair.losses + 0.5) - _log_beta(0.5, 0.5) + discordant * math.log(2)
    return math.exp(min(log_e, 700))  # beyond that a float overflows, and the exact figure is of no use


def anytime_p(pair: Discordance) -> float:
    """P value that stays valid when a test is repeated as rows come in: 1 over the e-value, at most 1."""
    return min(1.0, 1 / e_value(pair))


def score_z(wins: float, losses: float, rows: int, difference: float) -> float:
    """Tango's score statistic of a paired difference; positive where the observed difference exceeds ``difference``.

    Args:
        wins: Rows that only the first arm has right. Where a row stands for several answers, the sum of their net
            shares: the variance of such a sum is at most that of whole rows, so that the test is conservative.
        losses: The same of the second arm.
        rows: All rows, at least one.
        difference: The difference under the null hypothesis, as a share.
    """
    # Tango (1998); q is the restricted maximum-likelihood estimate of the share that only the second arm has right.
    linear = -wins - losses + (2 * rows - wins + losses) * difference
    constant = -losses * difference * (1 - difference)
    q = (math.sqrt(max(0.0, linear * linear - 8 * rows * constant)) - linear) / (4 * rows)
    variance = rows * (2 * q + difference * (1 - difference))
    distance = wins - losses - rows * difference
    if variance <= 1e-12:
        return 0.0 if abs(distance) < 1e-9 else math.copysign(math.inf, distance)
    return distance / math.sqrt(variance)


def score_interval(wins: float, losses: float, rows: int) -> tuple[float, float]:
    """95 % interval of a paired difference: what Tango's score test does not reject; (-1, 1) of no rows."""
    if not rows:
        return -1.0, 1.0
    level = _NORMAL.inv_cdf(1 - ALPHA / 2)
    middle = (wins - losses) / rows

    def bound(away: float) -> float:
        inside, outside = middle, away
        for _ in range(40):
            tried = (inside + outside) / 2
            if abs(score_z(wins, losses, rows, tried)) <= level:
                inside = tried
            else:
                outside = tried
        return inside

    return bound(-1.0), bound(1.0)


def non_inferiority_p(pair: Discordance, margin: float) -> float:
    """One-sided p value of "the first arm is worse by ``margin`` or more" (Tango's score test of paired shares).

    A small value shows that the first arm is no worse than the margin allows. ``margin`` is a share, e.g. 0.03.
    1 where there are no rows.
    """
    if not pair.rows:
        return 1.0
    return 1 - _NORMAL.cdf(score_z(pair.wins, pair.losses, pair.rows, -margin))


def equivalence_p(pair: Discordance, margin: float) -> float:
    """P value of TOST: the larger of the two one-sided tests; small where the arms differ by less than ``margin``."""
    return within_p(pair.wins, pair.losses, pair.rows, margin)


def within_p(wins: float, losses: float, rows: int, margin: float) -> float:
    """P value of TOST for a paired difference; arguments as in ``score_z``. 1 of no rows."""
    if not rows:
        return 1.0
    above = score_z(wins, losses, rows, -margin)
    below = score_z(losses, wins, rows, -margin)
    return 1 - _NORMAL.cdf(min(above, below))


def rows_for_equivalence(discordant: float, margin: float) -> int:
    """Rows at which TOST shows with 80 % power that no difference exceeds ``margin``, where there is none.

    By the normal approximation; never fewer than the score test needs without a single discordant row.
    """
    level, power = _NORMAL.inv_cdf(1 - ALPHA), _NORMAL.inv_cdf((1 + POWER) / 2)
    least = level**2 * (1 - margin) / margin
    return math.ceil(max(least, discordant * ((level + power) / margin) ** 2))


def change_p(now: tuple[float, float, int], before: tuple[float, float, int]) -> float:
    """Two-sided p value of "two paired differences on different rows are equal", by the normal approximation.

    Args:
        now: Wins, losses and rows of the one; see ``score_z``.
        before: The same of the other. Without rows on either side the p value is 1.
    """
    if not now[2] or not before[2]:
        return 1.0
    effects, variance = list[float](), 0.0
    for wins, losses, rows in (now, before):
        effect = (wins - losses) / rows
        effects.append(effect)
        # Half a row is added to either side, so that zero discordant rows are not taken for certainty.
        variance += ((wins + losses + 1) / (rows + 1) - effect**2) / rows
    if variance <= 0:
        return 1.0 if effects[0] == effects[1] else 0.0
    return 2 * (1 - _NORMAL.cdf(abs(effects[0] - effects[1]) / math.sqrt(variance)))


def sign_flip_p(differences: Sequence[int]) -> float:
    """Exact two-sided p value of "each difference is as likely with the other sign"; 1 where all are 0.

    With differences of -1, 0 and 1 this is the exact sign test. Larger ones, such as sums over repeated answers to one
    case, are kept together, so that answers that depend on each other are not counted as independent.
    """
    sizes = [abs(each) for each in differences if each]
    if not sizes:
        return 1.0
    reached = abs(sum(differences))
    if max(sizes) == 1:
        wins = (len(sizes) + reached) // 2
        return exact_mcnemar(wins, len(sizes) - wins)
    ways, total = [1], 0  # at index i: the choices of signs whose positive ones sum to i
    for size in sizes:
        grown = [*ways, *([0] * size)]
        for place, count in enumerate(ways):
            grown[place + size] += count
        ways, total = grown, total + size
    extreme = sum(count for place, count in enumerate(ways) if abs(2 * place - total) >= reached)
    return min(1.0, extreme / (1 << len(sizes)))


def holm(values: Sequence[float]) -> tuple[float, ...]:
    """P values adjusted by Holm's procedure, in the order of ``values``; each at least as large as before."""
    order = sorted(range(len(values)), key=lambda place: values[place])
    raised = accumulate((min(1.0, (len(values) - rank) * values[at]) for rank, at in enumerate(order)), max)
    adjusted = dict(zip(order, raised, strict=True))
    return tuple(adjusted[at] for at in range(len(values)))


def difference_interval(first: Sequence[bool], second: Sequence[bool]) -> tuple[float, float]:
    """95 % interval of the difference of two accuracies on the same rows: percentiles of a paired bootstrap.

    (-1, 1) of no rows. Same input, same interval.
    """
    pair = Discordance.of(first, second)
    if not pair.rows:
        return -1.0, 1.0
    # To draw rows with replacement is to draw how many of them are wins, and how many of the rest are losses: by far
    # faster than row by row.
    drawn = random.Random(_SEED)  # noqa: S311 -- nothing secret
    not_wins = pair.rows - pair.wins
    share = pair.losses / not_wins if not_wins else 0.0
    wins = _Binomial(pair.rows, pair.wins / pair.rows)
    losses, values = dict[int, _Binomial](), list[float]()
    for _ in range(RESAMPLES):
        won = wins.draw(drawn)
        if won not in losses:
            losses[won] = _Binomial(pair.rows - won, share)
        values.append((won - losses[won].draw(drawn)) / pair.rows)
    values.sort()
    cut = round(ALPHA / 2 * RESAMPLES)
    return values[cut], values[-cut - 1]


def figure_interval(rows: Sequence[L], figure: Callable[[Sequence[L]], float]) -> tuple[float, float]:
    """95 % interval of any ``figure`` of rows by a percentile bootstrap; (0, 1) of no rows."""
    if not rows:
        return 0.0, 1.0
    drawn = random.Random(_SEED)  # noqa: S311 -- nothing secret
    values = sorted(figure(drawn.choices(rows, k=len(rows))) for _ in range(RESAMPLES // 5))
    cut = round(ALPHA / 2 * len(values))
    return values[cut], values[-cut - 1]


def formula_rows(discordant: float, difference: float) -> int:
    """Rows at which McNemar's test has 80 % power by the normal approximation, at the level of 5 %.

    Args:
        discordant: The expected share of discordant rows (ψ), at least ``difference``.
        difference: The difference of accuracies that is to be found, as a share above 0.
    """
    if not 0 < difference <= discordant <= 1:
        raise ValueError(f"0 < difference <= discordant <= 1 does not hold of {difference} and {discordant}")
    level, power = _NORMAL.inv_cdf(1 - ALPHA / 2), _NORMAL.inv_cdf(POWER)
    root = level * math.sqrt(discordant) + power * math.sqrt(discordant - difference**2)
    return math.ceil((root / difference) ** 2)


def planned_rows(discordant: float, difference: float) -> int:
    """Rows to plan for the exact test: a tenth more than ``formula_rows``. Arguments as there."""
    return math.ceil(SAFETY * formula_rows(discordant, difference))


def detectable_difference(discordant: float, rows: int) -> float | None:
    """Smallest difference that ``rows`` show with 80 % power, as a share; None where they show none at all."""
    if rows < 1 or not 0 < discordant <= 1 or planned_rows(discordant, discordant) > rows:
        return None
    low, high = 0.0, discordant
    for _ in range(40):
        middle = (low + high) / 2
        if middle > 0 and planned_rows(discordant, middle) <= rows:
            high = middle
        else:
            low = middle
    return high


def error_correlation(errors: Sequence[Sequence[bool]]) -> float | None:
    """Mean correlation of the errors of raters, over all pairs of them.

    Args:
        errors: For each rater, whether it was wrong on each of the same rows.

    Returns:
        None where no pair of raters has a correlation, because one of the two never or always errs.
    """
    correlations = [value for one, other in combinations(errors, 2) if (value := _correlation(one, other)) is not None]
    return fmean(correlations) if correlations else None


def effective_votes(errors: Sequence[Sequence[bool]]) -> float | None:
    """Number of independent raters that the given ones are worth: k / (1 + (k - 1) ρ).

    1 where all err together, k where errors are independent, at most k. None where no correlation is known.
    """
    correlation = error_correlation(errors)
    if correlation is None:
        return None
    count = len(errors)
    return min(float(count), count / (1 + (count - 1) * max(0.0, correlation)))


def krippendorff_alpha(rows: Sequence[Sequence[Hashable | None]]) -> float | None:
    """Krippendorff's α of nominal labels.

    Args:
        rows: For each row the labels that raters gave it; None is an abstention.

    Returns:
        1 for full agreement, 0 for that of chance. None where fewer than two labels can be compared, or where only one
        label occurs.
    """
    together: Counter[Hashable] = Counter()
    disagreement = 0.0
    for row in rows:
        counts = Counter(label for label in row if label is not None)
        size = counts.total()
        if size < 2:
            continue
        together.update(counts)
        disagreement += (size * size - sum(count * count for count in counts.values())) / (size - 1)
    total = together.total()
    expected = total * total - sum(count * count for count in together.values())
    if not expected:
        return None
    return 1 - (total - 1) * disagreement / expected


def macro_f1(pairs: Sequence[tuple[str, str | None]]) -> float | None:
    """Mean F1 over the gold labels that occur; an abstention (None) is a miss.

    Args:
        pairs: Gold label and given label of each row.

    Returns:
        A share; None of no rows.
    """
    if not pairs:
        return None
    gold, given = Counter(label for label, _ in pairs), Counter(label for _, label in pairs)
    right = Counter(label for label, answer in pairs if label == answer)
    return fmean(2 * right[label] / (gold[label] + given[label]) for label in gold)


def brier(pairs: Sequence[tuple[float, bool]]) -> float | None:
    """Mean squared distance of stated confidence (0 to 1) and outcome; 0 is best. None of no rows."""
    return fmean((confidence - right) ** 2 for confidence, right in pairs) if pairs else None


def calibration_error(pairs: Sequence[tuple[float, bool]]) -> float | None:
    """Expected calibration error over ten bins of equal width, as a share; None of no rows."""
    bins: Mapping[int, list[tuple[float, bool]]] = defaultdict(list)
    for confidence, right in pairs:
        bins[min(CALIBRATION_BINS - 1, int(confidence * CALIBRATION_BINS))].append((confidence, right))
    if not bins:
        return None
    return sum(abs(sum(confidence - right for confidence, right in outcomes)) for outcomes in bins.values()) / len(
        pairs
    )


class _Binomial:
    """Number of successes in ``trials``, to be drawn; values that are hardly ever drawn are left out."""

    def __init__(self, trials: int, share: float) -> None:
        mode = min(trials, int((trials + 1) * share))
        odds = share / (1 - share) if share < 1 else math.inf
        above, below = [1.0], list[float]()  # relative to the most frequent value
        for count in range(mode, trials if 0 < share < 1 else mode):
            above.append(above[-1] * odds * (trials - count) / (count + 1))
            if above[-1] < _NEGLIGIBLE:
                break
        weight = 1.0
        for count in range(mode if 0 < share < 1 else 0, 0, -1):
            weight *= count / (odds * (trials - count + 1))
            below.append(weight)
            if weight < _NEGLIGIBLE:
                break
        self._first = mode - len(below)
        self._sums = list(accumulate([*reversed(below), *above]))

    def draw(self, source: random.Random) -> int:
        return self._first + bisect_right(self._sums, source.random() * self._sums[-1])


_NEGLIGIBLE = 1e-12
"""Weight of a value, relative to the most frequent one, from which on values are left out."""


def _correlation(one: Sequence[bool], other: Sequence[bool]) -> float | None:
    mean_one, mean_other = fmean(one) if one else 0.0, fmean(other) if other else 0.0
    spread = mean_one * (1 - mean_one) * mean_other * (1 - mean_other)
    if spread <= 0:
        return None
    both = fmean(a and b for a, b in zip(one, other, strict=True))
    return (both - mean_one * mean_other) / math.sqrt(spread)


def _log_choose(whole: int, part: int) -> float:
    return math.lgamma(whole + 1) - math.lgamma(part + 1) - math.lgamma(whole - part + 1)


def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


# -- Amounts that may be unknown -------------------------------------------------------------------------------------

Amount = TypeVar("Amount", int, float)


def known_total(amounts: Iterable[Amount | None]) -> Amount | int | None:
    """Return the sum, 0 of nothing; None where an amount is not known."""
    listed = list(amounts)
    known = [amount for amount in listed if amount is not None]
    return sum(known) if len(known) == len(listed) else None


def known_mean(amounts: Iterable[float | None]) -> float | None:
    """Return the mean; None where there is no amount, or one is not known."""
    listed = list(amounts)
    total = known_total(listed)
    return total / len(listed) if listed and total is not None else None
