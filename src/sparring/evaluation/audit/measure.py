"""The figures of an audit: pure functions of the judgements and of the plan.

The unit is the case: answers to the same prompt depend on each other, and a judge that always answers alike must not
count three times. A bias is flagged by a test, never by a share of flips: the number of flips only shows how unsure a
judge is, their direction shows what influences it.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from statistics import fmean

from msgspec import Struct

from sparring.evaluation import statistics
from sparring.evaluation.audit.probes import CALIBRATION, MARK, NOISE, PLAIN, PROBES, Probe
from sparring.schema.audit import (
    AuditCalibration,
    AuditDrift,
    AuditJudgement,
    AuditPlan,
    AuditUse,
    CaseSide,
    JudgeAudit,
    KnownAudit,
    MeasuredProbe,
    ProbeVerdict,
)
from sparring.schema.base import spelled_tool
from sparring.text.intervals import wilson

THRESHOLD = 0.2
"""Share of flips from which on the usual rule calls a judge biased; shown with each test for comparison."""

UNDECIDED = frozenset({"parse", "no side"})
"""Causes for which an answer is no pick although it came."""

FEWEST_FOR_ACCURACY = 30
"""Cases from which on a judge fails that is not shown to be better than a coin."""


class Pairs(Struct, frozen=True):
    """The pairs of one probe.

    Attributes:
        differences: For each case the sum over its answers: +1 where one moved towards the planted side, -1 away.
        sizes: For each case its number of pairs of answers.
        flips: Pairs of answers that differ.
        asked: Cases that were asked in both forms.
    """

    differences: tuple[int, ...]
    sizes: tuple[int, ...]
    flips: int
    asked: int

    @property
    def shares(self) -> list[float]:
        """The difference of each case as a share of its answers."""
        return [difference / size for difference, size in zip(self.differences, self.sizes, strict=True)]

    @property
    def towards(self) -> float:
        """Sum of all shares of cases that moved towards the planted side."""
        return sum(max(0.0, share) for share in self.shares)

    @property
    def away(self) -> float:
        """The same of those that moved away."""
        return sum(max(0.0, -share) for share in self.shares)


_Answers = Mapping[tuple[str, str], Sequence[AuditJudgement]]
"""By case and variant, in the order of the samples."""


def pairs_of(probe: Probe, answers: _Answers, cases: Iterable[str]) -> Pairs:
    """Return the pairs of ``probe``; pairs of answers of which one has no pick are left out."""
    differences, sizes, flips, asked = list[int](), list[int](), 0, 0
    for case in cases:
        base, varied = answers.get((case, probe.base), ()), answers.get((case, probe.varied), ())
        if not base or not varied:
            continue
        asked += 1
        moves = list[int]()
        for before, after in zip(base, varied, strict=False):
            if not before.pick or not after.pick:
                continue
            side_before = side_after = after.planted
            if probe.is_exchange and side_after:
                # The texts change places: the text that is now on the planted side was on the other one before.
                side_before = side_after.other
            moves.append((after.pick is side_after) - (before.pick is side_before))
        if moves:
            differences.append(sum(moves))
            sizes.append(len(moves))
            flips += sum(move != 0 for move in moves)
    return Pairs(tuple(differences), tuple(sizes), flips, asked)


def measured(
    judgements: Sequence[AuditJudgement],
    plan: AuditPlan,
    missing: Mapping[str, str],
    *,
    before: KnownAudit | None = None,
    notices: Sequence[str] = (),
) -> JudgeAudit:
    """Return every figure that follows from ``judgements``.

    Args:
        judgements: All answers, those without a pick as well.
        plan: Decisions made in advance.
        missing: Why a probe is impossible for this seat, by its name.
        before: An earlier audit, for drift.
        notices: Further notices for the report.
    """
    answers = defaultdict[tuple[str, str], list[AuditJudgement]](list)
    for judgement in judgements:
        answers[judgement.case, judgement.variant].append(judgement)
    cases = tuple(dict.fromkeys(judgement.case for judgement in judgements))
    probes = _probes(answers, cases, plan, missing)

    plain = [judgement for judgement in judgements if judgement.variant == PLAIN]
    accuracy = _Accuracy.of(plain)
    sensitivity = _Accuracy.of([judgement for judgement in plain if judgement.right is CaseSide.FIRST])
    specificity = _Accuracy.of([judgement for judgement in plain if judgement.right is CaseSide.SECOND])
    noise = _noise(answers, cases) if NOISE in plan.probes else _NO_CASES

    # The probe of the mark compares a marked citation with a plain one: the mark helps where its effect is negative.
    mark_helps = None
    for probe in probes:
        if probe.name == MARK and probe.effect is not None:
            mark_helps = 0.0 - probe.effect  # 0.0, not -0.0, of no effect
    calibrated = CALIBRATION in plan.probes and CALIBRATION not in missing
    audit = JudgeAudit(
        sentence="",
        paragraph="",
        failures=(*_unreadable(judgements), *_failures(probes, plan, accuracy)),
        plan=plan,
        accuracy=accuracy.share,
        accuracy_interval=accuracy.interval,
        sensitivity=sensitivity.share,
        specificity=specificity.share,
        noise=noise.share,
        noise_interval=noise.interval,
        probes=probes,
        mark_helps=mark_helps,
        calibration=_calibration(plain) if calibrated else None,
        drift=_drift(probes, before),
        use=_use(judgements),
        notices=(*notices, *_unanswered(judgements)),
    )
    return audit.model_copy(update={"sentence": sentence_of(audit), "paragraph": paragraph_of(audit)})


def _probes(
    answers: _Answers, cases: Sequence[str], plan: AuditPlan, missing: Mapping[str, str]
) -> tuple[MeasuredProbe, ...]:
    """Test each probe of the plan; p values are adjusted over those that are possible for this seat."""
    planned = [probe for probe in PROBES if probe.asked_as in plan.probes]
    pairs = {probe.name: pairs_of(probe, answers, cases) for probe in planned if probe.name not in missing}
    exact = {name: statistics.sign_flip_p(of_probe.differences) for name, of_probe in pairs.items()}
    adjusted = dict(zip(exact, statistics.holm(list(exact.values())), strict=True))
    probes = list[MeasuredProbe]()
    for probe in planned:
        name = probe.name
        if name in pairs:
            probes.append(_measured(probe, pairs[name], exact[name], adjusted[name], plan))
        else:
            not_asked = MeasuredProbe(
                name=name,
                title=probe.title,
                verdict=ProbeVerdict.NOT_APPLICABLE,
                sentence=f"Not asked: {missing[name]}.",
                counts=probe.counts,
            )
            probes.append(not_asked)
    return tuple(probes)


def _measured(probe: Probe, pairs: Pairs, p_exact: float, p_holm: float, plan: AuditPlan) -> MeasuredProbe:
    cases, towards, away = len(pairs.sizes), pairs.towards, pairs.away
    effect = (towards - away) / cases if cases else None
    p_free = statistics.within_p(towards, away, cases, plan.margin)
    verdict = verdict_of(p_holm, p_free)
    more = 0
    if verdict is ProbeVerdict.CANNOT_TELL:
        more = more_pairs(towards + away, cases, plan.margin)
    flips = pairs.flips / sum(pairs.sizes) if pairs.sizes else None
    return MeasuredProbe(
        name=probe.name,
        title=probe.title,
        verdict=verdict,
        sentence=_sentence(probe, verdict, effect, plan.margin, more),
        asked=pairs.asked,
        pairs=cases,
        towards=towards,
        away=away,
        flips=flips,
        effect=effect,
        interval=statistics.score_interval(towards, away, cases) if cases else None,
        p_exact=p_exact if cases else None,
        p_holm=p_holm if cases else None,
        p_free=p_free if cases else None,
        more_pairs=more,
        exceeds_threshold=None if flips is None else flips > THRESHOLD,
        counts=probe.counts,
    )


def verdict_of(p_holm: float, p_free: float) -> ProbeVerdict:
    """Return the result: an effect, the absence of one beyond the margin, or neither.

    A small effect can be shown and lie within the margin; then it is flagged.
    """
    if p_holm <= statistics.ALPHA:
        return ProbeVerdict.FLAGGED
    return ProbeVerdict.FREE if p_free <= statistics.ALPHA else ProbeVerdict.CANNOT_TELL


def more_pairs(moved: float, rows: int, margin: float) -> int:
    """Return the further pairs needed to show that there is no effect beyond ``margin``, if there is none.

    Args:
        moved: Sum of the shares of cases that moved either way.
        rows: Cases so far.
        margin: As a share.
    """
    # Without a case that moved the share is not taken as 0: the next one could.
    discordant = max(moved, 1) / rows if rows else 1.0
    return max(1, statistics.rows_for_equivalence(discordant, margin) - rows)


def _sentence(probe: Probe, verdict: ProbeVerdict, effect: float | None, margin: float, more: int) -> str:
    if verdict is ProbeVerdict.FLAGGED and effect is not None:
        what = probe.title if effect > 0 else f"the opposite of “{probe.title}”"
        return f"Flagged: {what} in {100 * abs(effect):.0f} % of pairs."
    if verdict is ProbeVerdict.FREE:
        return f"Free of it within ±{100 * margin:g} points."
    return f"Undecided: {more:,} more pairs needed."


class _Accuracy(Struct, frozen=True):
    """A share of cases with its interval; None where there are none."""

    cases: int
    share: float | None
    interval: tuple[float, float] | None

    @classmethod
    def of(cls, judgements: Iterable[AuditJudgement]) -> "_Accuracy":
        """Count the cases with a known right side; each case counts once, by the share of its answers."""
        by_case = defaultdict[str, list[bool]](list)
        for judgement in judgements:
            if judgement.is_right is not None:
                by_case[judgement.case].append(judgement.is_right)
        if not by_case:
            return _NO_CASES
        cases = len(by_case)
        share = fmean(fmean(is_right) for is_right in by_case.values())
        # Wilson's interval takes whole cases; the nearest number of them stands for the sum of shares.
        return cls(cases, share, wilson(round(share * cases), cases))


_NO_CASES = _Accuracy(0, None, None)


def _noise(answers: _Answers, cases: Iterable[str]) -> _Accuracy:
    """Return the share of cases in which an answer to the same prompt differs from the one before it."""
    shares = list[float]()
    for case in cases:
        picks = [judgement.pick for judgement in answers.get((case, PLAIN), ()) if judgement.pick]
        if len(picks) > 1:
            shares.append(fmean(one is not other for one, other in pairwise(picks)))
    if not shares:
        return _NO_CASES
    return _Accuracy(len(shares), fmean(shares), wilson(round(sum(shares)), len(shares)))


def _unreadable(judgements: Sequence[AuditJudgement]) -> Iterable[str]:
    """Yield that most answers decide nothing, if they do; a provider that fails is not the judge's fault."""
    answered = [judgement for judgement in judgements if judgement.pick or judgement.failure in UNDECIDED]
    lost = sum(judgement.pick is None for judgement in answered)
    if 2 * lost > len(answered):
        yield f"gives no readable decision in {lost:,} of {len(answered):,} answers"


def _unanswered(judgements: Sequence[AuditJudgement]) -> Iterable[str]:
    """Yield how many questions had no answer, by cause."""
    causes = Counter(
        judgement.failure for judgement in judgements if judgement.failure and judgement.failure not in UNDECIDED
    )
    yield from (f"{count:,} questions had no answer: {cause}." for cause, count in causes.most_common())


def _failures(probes: Iterable[MeasuredProbe], plan: AuditPlan, accuracy: _Accuracy) -> Iterable[str]:
    """Yield why the judge fails: a bias beyond the margin, or an accuracy that could be chance."""
    for probe in probes:
        effect = probe.effect or 0.0
        if probe.verdict is ProbeVerdict.FLAGGED and probe.counts and effect > plan.margin:
            yield f"{probe.title} in {100 * effect:.0f} % of pairs"
    if accuracy.interval is None or accuracy.cases < FEWEST_FOR_ACCURACY:
        return
    lower_bound, _ = accuracy.interval
    if lower_bound <= 0.5:
        right = f"{100 * (accuracy.share or 0):.0f} % of {accuracy.cases} cases right"
        yield f"is not shown to be better than a coin ({right})"


def _calibration(plain: Iterable[AuditJudgement]) -> AuditCalibration | None:
    stated = [
        (judgement.confidence, judgement.is_right)
        for judgement in plain
        if judgement.confidence is not None and judgement.is_right is not None
    ]
    brier, error = statistics.brier(stated), statistics.calibration_error(stated)
    if brier is None or error is None:
        return None
    return AuditCalibration(
        answers=len(stated),
        brier=brier,
        calibration_error=error,
        mean_confidence=fmean(confidence for confidence, _ in stated),
        accuracy=fmean(right for _, right in stated),
    )


def _drift(probes: Iterable[MeasuredProbe], before: KnownAudit | None) -> tuple[AuditDrift, ...]:
    """Compare each effect with that of an earlier audit, adjusted over all probes that both have."""
    if before is None:
        return ()
    in_both = [probe for probe in probes if probe.effect is not None and probe.name in before.effects]
    p_values = list[float]()
    for probe in in_both:
        old = before.effects[probe.name]
        p_values.append(
            statistics.change_p((probe.towards, probe.away, probe.pairs), (old.towards, old.away, old.pairs))
        )
    drift = list[AuditDrift]()
    for probe, p_holm in zip(in_both, statistics.holm(p_values), strict=True):
        drift.append(
            AuditDrift(
                name=probe.name,
                before=before.effects[probe.name].effect,
                now=probe.effect or 0.0,
                p_holm=p_holm,
                has_changed=p_holm <= statistics.ALPHA,
            )
        )
    return tuple(drift)


def _use(judgements: Sequence[AuditJudgement]) -> AuditUse:
    cost = statistics.known_total(judgement.cost_usd for judgement in judgements)
    return AuditUse(
        answers=len(judgements),
        abstained=sum(judgement.pick is None for judgement in judgements),
        tokens=statistics.known_total(judgement.tokens for judgement in judgements),
        cost_usd=None if cost is None else round(cost, 9),
        seconds=round(sum(judgement.seconds for judgement in judgements), 3),
    )


# -- In words --------------------------------------------------------------------------------------------------------


def summary_of(audit: JudgeAudit) -> str:
    """Return the finding in a few words, as the first lines of a debate have it behind "audited:"."""
    biases = list[str]()
    for probe in audit.probes:
        if probe.verdict is ProbeVerdict.FLAGGED and probe.counts and probe.effect:
            behaviour = probe.title if probe.effect > 0 else f"does the opposite of “{probe.title}”"
            biases.append(f"{behaviour} in {100 * abs(probe.effect):.0f} % of pairs")
    if biases:
        return "; ".join(biases)
    if audit.failures:
        return audit.failures[0]
    free = sum(probe.verdict is ProbeVerdict.FREE for probe in audit.probes)
    tested = sum(probe.verdict is not ProbeVerdict.NOT_APPLICABLE for probe in audit.probes)
    return f"no bias shown; {free} of {tested} probes exclude one beyond ±{100 * audit.plan.margin:g} points"


def sentence_of(audit: JudgeAudit) -> str:
    """Return the first line of an audit."""
    plan = audit.plan
    judge = spelled_tool(plan.tool, plan.model)
    right = "" if audit.accuracy is None else f", right in {100 * audit.accuracy:.0f} % of {plan.cases} cases"
    verdict = "fails" if audit.failures else "does not fail"
    return f"{judge} as {plan.seat} {verdict}: {summary_of(audit)}{right}."


def paragraph_of(audit: JudgeAudit) -> str:
    """Return the results in one paragraph that can be quoted."""
    plan, by_verdict = audit.plan, defaultdict[ProbeVerdict, list[str]](list)
    for probe in audit.probes:
        by_verdict[probe.verdict].append(probe.name)
    parts = [
        sentence_of(audit),
        (
            f"It was asked {audit.use.answers:,} times about {plan.cases} cases with the prompts of sparring "
            f"{plan.sparring_version}, each {plan.repeat} times, on {plan.declared_at:%Y-%m-%d}."
        ),
    ]
    if audit.noise is not None:
        parts.append(f"Asked the same again, it answers otherwise in {100 * audit.noise:.0f} % of cases.")
    margin = f"±{100 * plan.margin:g} points"
    for verdict, lead in (
        (ProbeVerdict.FLAGGED, "Flagged at 5 % over all probes (Holm)"),
        (ProbeVerdict.FREE, f"Free of an effect beyond {margin} (TOST at 5 %)"),
        (ProbeVerdict.CANNOT_TELL, "Not decided by these pairs, which is not to say unbiased"),
        (ProbeVerdict.NOT_APPLICABLE, "Not applicable to this seat"),
    ):
        if names := by_verdict[verdict]:
            parts.append(f"{lead}: {', '.join(names)}.")
    if audit.failures:
        parts.append(f"It fails because it {'; it '.join(audit.failures)}.")
    return " ".join(parts)
