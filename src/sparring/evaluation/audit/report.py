"""An audit in words: the sentence, why the judge fails if it does, the probes, and one paragraph to quote."""

from collections.abc import Iterator, Sequence

from sparring.evaluation.report import number, percent, table
from sparring.schema.audit import AuditPlan, JudgeAudit, MeasuredProbe
from sparring.schema.base import spelled_tool
from sparring.schema.runs import CHARACTERS_PER_TOKEN


def report_of(audit: JudgeAudit) -> str:
    """Return the report over several lines; the first one is the sentence."""
    return "\n".join(_lines(audit))


def plan_lines(plan: AuditPlan) -> list[str]:
    """Return the plan in words, before anything is paid."""
    judge = spelled_tool(plan.tool, plan.model)
    detectable = "no effect at all" if plan.detectable is None else f"an effect of {100 * plan.detectable:.0f} points"
    price = "unknown before the first call" if plan.price_usd is None else f"about ${plan.price_usd:.2f}"
    tokens = f"{plan.prompt_characters // CHARACTERS_PER_TOKEN:,}"
    assumption = "one probe, 80 % power, a fifth of pairs flip"
    return [
        f"Plan: {judge} as {plan.seat} of {plan.format}, {plan.cases} cases, each prompt asked {plan.repeat} times.",
        f"Probes: {', '.join(plan.probes)}.",
        f"Calls: up to {plan.calls:,}, less what the ledger has. Tokens of prompts: about {tokens}. Price: {price}.",
        f"{plan.cases} pairs show {detectable} ({assumption}). Margin: ±{100 * plan.margin:g} points.",
        f"Prompts {plan.prompts_sha256[:12]}, cases {plan.cases_sha256[:12]}.",
    ]


def _lines(audit: JudgeAudit) -> Iterator[str]:
    yield audit.sentence
    for why in audit.failures:
        yield f"- It {why}."
    for notice in audit.notices:
        yield f"- {notice}"
    yield ""
    yield from table(HEAD, [cells(probe) for probe in audit.probes])
    yield ""
    for probe in audit.probes:
        yield f"{probe.name}: {probe.sentence}"
    yield ""
    yield from other_figures(audit)
    yield ""
    yield audit.paragraph


HEAD = (
    "probe",
    "pairs",
    "towards",
    "away",
    "flips",
    "effect",
    "95 %",
    "p",
    "p Holm",
    "p free",
    "verdict",
    "flips > 20 %",
)


def cells(probe: MeasuredProbe) -> Sequence[str]:
    """Return the cells of a probe, in the order of ``HEAD``."""
    interval, by_flips = "?", "?"
    if probe.interval:
        low, high = probe.interval
        interval = f"{100 * low:+.1f} to {100 * high:+.1f}"
    if probe.exceeds_threshold is not None:
        by_flips = "biased" if probe.exceeds_threshold else "unbiased"
    return (
        probe.name,
        f"{probe.pairs:,}",
        f"{probe.towards:.4g}",
        f"{probe.away:.4g}",
        percent(probe.flips),
        "?" if probe.effect is None else f"{100 * probe.effect:+.1f}",
        interval,
        _p_value(probe.p_exact),
        _p_value(probe.p_holm),
        _p_value(probe.p_free),
        probe.verdict.replace("_", " "),
        by_flips,
    )


def _p_value(p: float | None) -> str:
    return "?" if p is None else f"{p:.3g}"


def other_figures(audit: JudgeAudit) -> Iterator[str]:
    """Yield the figures that are no probe: accuracy, noise, code's mark, calibration, drift, usage."""
    if audit.accuracy is not None:
        yield (
            f"Right: {_share(audit.accuracy, audit.accuracy_interval)}; where the first side is right "
            f"{percent(audit.sensitivity)}, where the second is {percent(audit.specificity)}."
        )
    if audit.noise is not None:
        yield f"Noise: the same prompt again is answered otherwise in {_share(audit.noise, audit.noise_interval)}."
    if audit.mark_helps is not None:
        yield f"Code's mark “not found” takes back {100 * audit.mark_helps:+.1f} points of a false citation's effect."
    if calibration := audit.calibration:
        yield (
            f"Confidence: {percent(calibration.mean_confidence)} stated, {percent(calibration.accuracy)} right, "
            f"{calibration.answers:,} answers; calibration error {number(calibration.calibration_error, 3)}, "
            f"Brier {number(calibration.brier, 3)}."
        )
    for drift in audit.drift:
        change = "changed" if drift.has_changed else "no change shown"
        yield (
            f"Drift of {drift.name}: {100 * drift.before:+.1f} before, {100 * drift.now:+.1f} now "
            f"(p Holm {drift.p_holm:.3g}: {change})."
        )
    use = audit.use
    tokens = "?" if use.tokens is None else f"{use.tokens:,}"
    yield f"{use.answers:,} answers, {use.abstained:,} without a pick; tokens {tokens}, USD {number(use.cost_usd, 4)}."


def _share(share: float, interval: tuple[float, float] | None) -> str:
    if interval is None:
        return percent(share)
    low, high = interval
    return f"{percent(share)} ({percent(low)} to {percent(high)})"
