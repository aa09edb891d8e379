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

_BISECTIONS = 40
"""Halvings of an interval of shares: what remains is below any figure that is shown."""

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
    """Two-sided p value of the exact McNemar test (McNemar 1947); 1 where no row is discordant."""
    return exact_mcnemar(pair.wins, pair.losses)


def mid_p(pair: Discordance) -> float:
    """Two-sided mid-p value of McNemar's test (Fagerland, Lydersen and Laake 2013).

    Half of the probability of the observed split is left out, in each tail. Less conservative than the exact test. Its
    size may exceed the level by about one point at small n.
    """
    discordant = pair.wins + pair.losses
    if not discordant:
        return 1.0
    log_probability = _log_choose(discordant, pair.wins) - discordant * math.log(2)
    probability_of_split = math.exp(log_probability)
    if pair.wins == pair.losses:
        # Both tails contain this split, so the exact p value is capped at 1 and cannot be corrected.
        return 1 - probability_of_split / 2
    return exact_p(pair) - probability_of_split


def e_value(pair: Discordance) -> float:
    """E-value of the discordant rows against "each falls to either side equally often".

    The likelihood of the wins under a mixture of shares, distributed as Beta(½, ½), divided by that under the share ½.
    It is valid after any number of rows (Ville 1939): with equal arms the probability that it ever reaches 20 is at
    most 5 %.
    """
    discordant = pair.wins + pair.losses
    log_mixture = _log_beta(pair.wins + 0.5, pair.losses + 0.5) - _log_beta(0.5, 0.5)
    log_even = -discordant * math.log(2)
    log_ratio = log_mixture - log_even
    return math.exp(min(log_ratio, 700))  # beyond that a float overflows, and the exact figure is of no use


def anytime_p(pair: Discordance) -> float:
    """P value that stays valid when a test is repeated as rows come in: 1 over the e-value, at most 1."""
    return min(1.0, 1 / e_value(pair))


def score_z(wins: float, losses: float, rows: int, difference: float) -> float:
    """Score statistic of a paired difference (Tango 1998), approximately standard normal under the null hypothesis.

    Positive where the observed difference exceeds ``difference``; infinite where it is impossible under the null.

    Args:
        wins: Rows that only the first arm has right. Where a row stands for several answers, the sum of their net
            shares: the variance of such a sum is at most that of whole rows, so that the test is conservative.
        losses: The same of the second arm.
        rows: All rows, at least one.
        difference: The difference under the null hypothesis, as a share.
    """
    # The variance is that under the null hypothesis. It needs the share of rows that only the second arm has right: its
    # restricted maximum-likelihood estimate is the larger root of 2 rows q² + linear q + constant = 0.
    linear = -wins - losses + (2 * rows - wins + losses) * difference
    constant = -losses * difference * (1 - difference)
    root = math.sqrt(max(0.0, linear * linear - 8 * rows * constant))
    losses_share = (root - linear) / (4 * rows)
    variance = rows * (2 * losses_share + difference * (1 - difference))
    distance = wins - losses - rows * difference
    if variance <= 1e-12:
        # The null hypothesis allows no variation: either the observation is exactly what it predicts, or impossible.
        return 0.0 if abs(distance) < 1e-9 else math.copysign(math.inf, distance)
    return distance / math.sqrt(variance)


def score_interval(wins: float, losses: float, rows: int) -> tuple[float, float]:
    """95 % interval of a paired difference, as shares: what Tango's score test does not reject; (-1, 1) of no rows."""
    if not rows:
        return -1.0, 1.0
    critical_z = _NORMAL.inv_cdf(1 - ALPHA / 2)
    observed = (wins - losses) / rows

    def bound(extreme: float) -> float:
        # Bisection between the observed difference, which is never rejected, and the largest possible one.
        accepted, rejected = observed, extreme
        for _ in range(_BISECTIONS):
            tried = (accepted + rejected) / 2
            if abs(score_z(wins, losses, rows, tried)) <= critical_z:
                accepted = tried
            else:
                rejected = tried
        return accepted

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
    """P value of two one-sided tests (TOST, Schuirmann 1987); small where the arms differ by less than ``margin``."""
    return within_p(pair.wins, pair.losses, pair.rows, margin)


def within_p(wins: float, losses: float, rows: int, margin: float) -> float:
    """P value of TOST for a paired difference; arguments as in ``score_z``. 1 of no rows.

    It is the larger of the p values of "the first arm is worse by ``margin``" and "the second is".
    """
    if not rows:
        return 1.0
    z_not_worse = score_z(wins, losses, rows, -margin)
    z_not_better = score_z(losses, wins, rows, -margin)
    return 1 - _NORMAL.cdf(min(z_not_worse, z_not_better))


def rows_for_equivalence(discordant: float, margin: float) -> int:
    """Rows at which TOST shows with 80 % power that no difference exceeds ``margin``, where there is none.

    By the normal approximation, n = ψ ((z₀.₉₅ + z₀.₉₀) / margin)², where ψ is the share of ``discordant`` rows. Each of
    the two tests may miss in half of the remaining 20 %. Never fewer than the score test needs without a single
    discordant row.
    """
    z_level, z_power = _NORMAL.inv_cdf(1 - ALPHA), _NORMAL.inv_cdf((1 + POWER) / 2)
    rows_without_discordance = z_level**2 * (1 - margin) / margin
    rows_by_formula = discordant * ((z_level + z_power) / margin) ** 2
    return math.ceil(max(rows_without_discordance, rows_by_formula))


def change_p(now: tuple[float, float, int], before: tuple[float, float, int]) -> float:
    """Two-sided p value of "two paired differences on different rows are equal", by the normal approximation.

    Args:
        now: Wins, losses and rows of the one; see ``score_z``.
        before: The same of the other. Without rows on either side the p value is 1.
    """
    _, _, rows_now = now
    _, _, rows_before = before
    if not rows_now or not rows_before:
        return 1.0
    effects, variance = list[float](), 0.0
    for wins, losses, rows in (now, before):
        effect = (wins - losses) / rows
        effects.append(effect)
        # Half a row is added to either side, so that zero discordant rows are not taken for certainty.
        variance += ((wins + losses + 1) / (rows + 1) - effect**2) / rows
    effect_now, effect_before = effects
    if variance <= 0:
        return 1.0 if effect_now == effect_before else 0.0
    z = abs(effect_now - effect_before) / math.sqrt(variance)
    return 2 * (1 - _NORMAL.cdf(z))


def sign_flip_p(differences: Sequence[int]) -> float:
    """Exact two-sided p value of "each difference is as likely with the other sign"; 1 where all are 0.

    Fisher's randomisation test of paired differences (1935). With differences of -1, 0 and 1 this is the exact sign
    test. Larger ones, such as sums over repeated answers to one case, are kept together, so that answers that depend on
    each other are not counted as independent.
    """
    magnitudes = [abs(difference) for difference in differences if difference]
    if not magnitudes:
        return 1.0
    observed = abs(sum(differences))
    if max(magnitudes) == 1:
        wins = (len(magnitudes) + observed) // 2
        return exact_mcnemar(wins, len(magnitudes) - wins)
    # ways[s] is the number of choices of signs whose positive terms sum to s, over the terms so far.
    ways, total = [1], 0
    for magnitude in magnitudes:
        extended = [*ways, *([0] * magnitude)]
        for positive_sum, count in enumerate(ways):
            extended[positive_sum + magnitude] += count
        ways, total = extended, total + magnitude
    # Positive terms that sum to s leave total - s to the negative ones: together 2 s - total.
    as_extreme = sum(count for positive_sum, count in enumerate(ways) if abs(2 * positive_sum - total) >= observed)
    return min(1.0, as_extreme / (1 << len(magnitudes)))


def holm(values: Sequence[float]) -> tuple[float, ...]:
    """P values adjusted by Holm's procedure (1979), in the order of ``values``; each at least as large as before.

    The smallest of m values is multiplied by m, the next one by m - 1, and so on.
    """
    ascending = sorted(range(len(values)), key=lambda place: values[place])
    adjusted = [0.0] * len(values)
    largest = 0.0
    for rank, place in enumerate(ascending):
        multiplied = min(1.0, (len(values) - rank) * values[place])
        # A test is rejected only if all with smaller p values are: the adjusted ones never decrease.
        largest = max(largest, multiplied)
        adjusted[place] = largest
    return tuple(adjusted)


def difference_interval(first: Sequence[bool], second: Sequence[bool]) -> tuple[float, float]:
    """95 % interval of the difference of two accuracies on the same rows: percentiles of a paired bootstrap.

    (-1, 1) of no rows. Same input, same interval.
    """
    pair = Discordance.of(first, second)
    if not pair.rows:
        return -1.0, 1.0
    # To draw rows with replacement is to draw how many of them are wins, and how many of the rest are losses: by far
    # faster than row by row.
    source = random.Random(_SEED)  # noqa: S311 -- nothing secret
    not_wins = pair.rows - pair.wins
    losses_share = pair.losses / not_wins if not_wins else 0.0
    wins_sampler = _Binomial(pair.rows, pair.wins / pair.rows)
    losses_samplers = dict[int, _Binomial]()  # by the number of wins that were drawn; it is often the same
    resampled = list[float]()
    for _ in range(RESAMPLES):
        wins = wins_sampler.draw(source)
        if wins not in losses_samplers:
            losses_samplers[wins] = _Binomial(pair.rows - wins, losses_share)
        losses = losses_samplers[wins].draw(source)
        resampled.append((wins - losses) / pair.rows)
    return _percentiles(resampled)


def figure_interval(rows: Sequence[L], figure: Callable[[Sequence[L]], float]) -> tuple[float, float]:
    """95 % interval of any ``figure`` of rows by a percentile bootstrap; (0, 1) of no rows."""
    if not rows:
        return 0.0, 1.0
    source = random.Random(_SEED)  # noqa: S311 -- nothing secret
    # A fifth of the resamples: a figure of all rows takes far longer than two draws of a number.
    return _percentiles([figure(source.choices(rows, k=len(rows))) for _ in range(RESAMPLES // 5)])


def _percentiles(resampled: Sequence[float]) -> tuple[float, float]:
    """Return the 2.5th and the 97.5th percentile."""
    ordered = sorted(resampled)
    cut = round(ALPHA / 2 * len(ordered))
    return ordered[cut], ordered[-cut - 1]


def formula_rows(discordant: float, difference: float) -> int:
    """Rows at which McNemar's test has 80 % power by the normal approximation, at the level of 5 %.

    n = (z₀.₉₇₅ √ψ + z₀.₈₀ √(ψ - δ²))² / δ² (Connor 1987).

    Args:
        discordant: The expected share of discordant rows (ψ), at least ``difference``.
        difference: The difference of accuracies that is to be found (δ), as a share above 0.

    Raises:
        ValueError: The arguments are no such shares.
    """
    if not 0 < difference <= discordant <= 1:
        raise ValueError(f"0 < difference <= discordant <= 1 does not hold of {difference} and {discordant}")
    z_level, z_power = _NORMAL.inv_cdf(1 - ALPHA / 2), _NORMAL.inv_cdf(POWER)
    root = z_level * math.sqrt(discordant) + z_power * math.sqrt(discordant - difference**2)
    return math.ceil((root / difference) ** 2)


def planned_rows(discordant: float, difference: float) -> int:
    """Rows to plan for the exact test: a tenth more than ``formula_rows``. Arguments as there."""
    return math.ceil(SAFETY * formula_rows(discordant, difference))


def detectable_difference(discordant: float, rows: int) -> float | None:
    """Smallest difference that ``rows`` show with 80 % power, as a share; None where they show none at all."""
    if rows < 1 or not 0 < discordant <= 1:
        return None
    if planned_rows(discordant, discordant) > rows:
        return None  # the largest possible difference, where all discordant rows fall to one side, is not shown either
    too_small, shown = 0.0, discordant
    for _ in range(_BISECTIONS):
        tried = (too_small + shown) / 2
        if tried > 0 and planned_rows(discordant, tried) <= rows:
            shown = tried
        else:
            too_small = tried
    return shown


def error_correlation(errors: Sequence[Sequence[bool]]) -> float | None:
    """Mean correlation of the errors of raters, over all pairs of them.

    Args:
        errors: For each rater, whether it was wrong on each of the same rows.

    Returns:
        None where no pair of raters has a correlation, because one of the two never or always errs.
    """
    correlations = [_correlation(one, other) for one, other in combinations(errors, 2)]
    known = [correlation for correlation in correlations if correlation is not None]
    return fmean(known) if known else None


def effective_votes(errors: Sequence[Sequence[bool]]) -> float | None:
    """Number of independent raters that the given ones are worth: k / (1 + (k - 1) ρ), by Kish's design effect (1965).

    ρ is ``error_correlation``. 1 where all err together, k where errors are independent, at most k. None where no
    correlation is known.
    """
    correlation = error_correlation(errors)
    if correlation is None:
        return None
    raters = len(errors)
    # Raters whose errors exclude each other are not counted as more than there are.
    design_effect = 1 + (raters - 1) * max(0.0, correlation)
    return min(float(raters), raters / design_effect)


def krippendorff_alpha(rows: Sequence[Sequence[Hashable | None]]) -> float | None:
    """Agreement of raters on nominal labels: Krippendorff's α (2004), 1 - observed / expected disagreement.

    Args:
        rows: For each row the labels that raters gave it; None is an abstention.

    Returns:
        1 for full agreement, 0 for that of chance. None where fewer than two labels can be compared, or where only one
        label occurs.
    """
    all_counts: Counter[Hashable] = Counter()
    observed = 0.0
    for row in rows:
        counts = Counter(label for label in row if label is not None)
        labels = counts.total()
        if labels < 2:
            continue  # a single label can be compared with no other one
        all_counts.update(counts)
        observed += _unequal_pairs(counts) / (labels - 1)
    expected = _unequal_pairs(all_counts)
    if not expected:
        return None
    return 1 - (all_counts.total() - 1) * observed / expected


def _unequal_pairs(counts: Counter[Hashable]) -> int:
    """Return the number of ordered pairs of labels that differ."""
    total = counts.total()
    return total * total - sum(count * count for count in counts.values())


def macro_f1(pairs: Sequence[tuple[str, str | None]]) -> float | None:
    """Mean F1 over the gold labels that occur; an abstention (None) is a miss.

    Args:
        pairs: Gold label and given label of each row.

    Returns:
        A share; None of no rows.
    """
    if not pairs:
        return None
    gold_counts = Counter(gold for gold, _ in pairs)
    answer_counts = Counter(answer for _, answer in pairs)
    right_counts = Counter(gold for gold, answer in pairs if gold == answer)
    # F1 = 2 TP / (2 TP + FP + FN), and the denominator is the number of gold labels and answers together.
    return fmean(2 * right_counts[label] / (gold_counts[label] + answer_counts[label]) for label in gold_counts)


def brier(pairs: Sequence[tuple[float, bool]]) -> float | None:
    """Mean squared distance of stated confidence (0 to 1) and outcome (Brier 1950); 0 is best. None of no rows."""
    return fmean((confidence - right) ** 2 for confidence, right in pairs) if pairs else None


def calibration_error(pairs: Sequence[tuple[float, bool]]) -> float | None:
    """Expected calibration error over ten bins of equal width (Naeini et al. 2015), as a share; None of no rows.

    In each bin it is the distance of mean confidence and share of right answers, weighted by the bin's share of rows.
    """
    if not pairs:
        return None
    gaps_by_bin: Mapping[int, list[float]] = defaultdict(list)
    for confidence, right in pairs:
        bin_number = min(CALIBRATION_BINS - 1, int(confidence * CALIBRATION_BINS))  # 1.0 belongs to the last bin
        gaps_by_bin[bin_number].append(confidence - right)
    # |mean gap| of a bin times its share of rows is |sum of its gaps| / all rows.
    return sum(abs(sum(gaps)) for gaps in gaps_by_bin.values()) / len(pairs)


class _Binomial:
    """Sampler of the number of successes in ``trials``; values that are hardly ever drawn are left out.

    By inversion: the weight of each value follows from that of its neighbour, beginning at the mode with weight 1, so
    that no factorial has to be computed.
    """

    def __init__(self, trials: int, share: float) -> None:
        mode = min(trials, int((trials + 1) * share))
        above, below = [1.0], list[float]()  # weights of the mode and of larger values; of smaller ones, downwards
        if 0 < share < 1:  # else the mode is the only value
            odds = share / (1 - share)
            for count in range(mode, trials):
                above.append(above[-1] * odds * (trials - count) / (count + 1))
                if above[-1] < _NEGLIGIBLE:
                    break
            weight = 1.0
            for count in range(mode, 0, -1):
                weight *= count / (odds * (trials - count + 1))
                below.append(weight)
                if weight < _NEGLIGIBLE:
                    break
        self._smallest = mode - len(below)
        self._cumulative = list(accumulate([*reversed(below), *above]))

    def draw(self, source: random.Random) -> int:
        threshold = source.random() * self._cumulative[-1]
        return self._smallest + bisect_right(self._cumulative, threshold)


_NEGLIGIBLE = 1e-12
"""Weight of a value, relative to the most frequent one, from which on values are left out."""


def _correlation(one: Sequence[bool], other: Sequence[bool]) -> float | None:
    """Return the φ coefficient of two binary sequences; None where one of them is constant or empty."""
    if not one or not other:
        return None
    mean_one, mean_other = fmean(one), fmean(other)
    product_of_variances = mean_one * (1 - mean_one) * mean_other * (1 - mean_other)
    if product_of_variances <= 0:
        return None
    mean_of_product = fmean(a and b for a, b in zip(one, other, strict=True))
    return (mean_of_product - mean_one * mean_other) / math.sqrt(product_of_variances)


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
