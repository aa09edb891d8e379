"""An evaluation in words: the sentence first, then the arms, the pairs, and where the debate pays."""

from collections.abc import Iterator, Sequence

from sparring.reports.runs import estimated_tokens_text
from sparring.schema.base import spelled_tool
from sparring.schema.evaluation import DebateFigures, Evaluation, EvaluationPlan, MeasuredArm, Pair, Part, PlannedPrice


def report_of(evaluation: Evaluation) -> str:
    """Return the report over several lines; the first one is the sentence."""
    return "\n".join(_lines(evaluation))


def plan_lines(plan: EvaluationPlan) -> list[str]:
    """Return the plan in words, before anything is paid."""
    detectable = "no difference at all" if plan.detectable is None else f"{100 * plan.detectable:.1f} points at best"
    discordant = f"{100 * plan.assumed_discordance:g} % of rows discordant"
    margin = f"{100 * plan.margin:g} points"
    seats = ", ".join(spelled_tool(seat.tool, seat.model) for seat in plan.seats)
    options = ", ".join(f"{name}={value}" for name, value in plan.options.items()) or "those of the format"
    fewest, most = plan.calls
    usual = f" if {plan.price.expected_if}" if plan.price.expected_if else ""
    looks = ", ".join(f"{look:,}" for look in plan.looks) or "none; one test at the end"
    return [
        f"Plan: {', '.join(plan.arms)}, each compared with {plan.against}; the first sentence is about {plan.about}.",
        f"Rows: {plan.rows:,}. They show {detectable} (80 % power, {discordant}).",
        f"Rows needed for a difference of {margin}: {plan.rows_needed:,}.",
        f"Seats: {seats}. Equal {plan.budget} for each arm.",
        f"Options: {options}.",
        f"Calls: {fewest:,} to {most:,}, about {plan.price.calls:,}{usual}; what several arms ask is asked once.",
        f"Price: {price_of(plan.price)}.",
        f"Looks: {looks}.",
        f"Prompts {plan.prompts_sha256[:12]}, table {plan.table_sha256[:12]}, seed {plan.seed}.",
    ]


def price_of(price: PlannedPrice) -> str:
    """Return the expected use in words, e.g. ``about 1,200 tokens of prompts; about $0.40, by 12 earlier answers``."""
    basis = f", by {price.answers:,} earlier answers" if price.answers else ""
    tokens = f"{estimated_tokens_text(price.prompt_tokens)} of prompts"
    if price.tokens is not None:
        tokens += f" and {price.tokens:,} with answers"
    if price.cost_usd is None:
        return f"{tokens}{basis}; dollars are unknown until each tool has reported a price"
    if not price.cost_usd:
        return f"{tokens}; nothing to pay"
    return f"{tokens}; about ${price.cost_usd:.2f}{basis}"


def _lines(evaluation: Evaluation) -> Iterator[str]:
    yield evaluation.sentence
    for note in (*evaluation.deviations, *evaluation.notices):
        yield f"- {note}"
    yield ""
    yield from table(_ARM_HEAD, [_arm(arm) for arm in evaluation.arms])
    yield ""
    yield from table(_PAIR_HEAD, [_pair(pair) for pair in evaluation.pairs])
    if evaluation.debate:
        yield ""
        yield from _debate(evaluation.debate)
        yield ""
        yield from _parts("first round", evaluation.debate.by_agreement, evaluation.plan)
    if evaluation.groups:
        yield ""
        yield from _parts(evaluation.plan.group, evaluation.groups, evaluation.plan)
    yield ""
    yield from _seats(evaluation)
    if gate := evaluation.gate:
        yield (
            f"Code decides {gate.decided:,} rows, {gate.right:,} of them right. In front of {gate.arm} it saves "
            f"{gate.saved.calls:,} calls, gains {gate.gained:,} rows and loses {gate.lost:,}."
        )
    if evaluation.escalation:
        yield f"Advice: sparring config set {evaluation.plan.format}.escalation {evaluation.escalation}"


_ARM_HEAD = ("arm", "right", "95 %", "macro F1", "abstained", "calls", "tokens", "USD", "spend")


def _arm(arm: MeasuredArm) -> Sequence[str]:
    low, high = arm.whole.interval
    return (
        arm.name,
        percent(arm.whole.accuracy),
        f"{100 * low:.1f}-{100 * high:.1f}",
        number(arm.whole.macro_f1, 3),
        f"{arm.abstained:,}",
        f"{arm.use.calls:,}",
        "?" if arm.use.tokens is None else f"{arm.use.tokens:,}",
        number(arm.use.cost_usd, 4),
        "?" if arm.spend_ratio is None else f"{100 * arm.spend_ratio:.0f} %",
    )


_PAIR_HEAD = ("pair", "rows", "won", "lost", "difference", "95 %", "p", "p Holm", "p no worse", "verdict")


def _pair(pair: Pair) -> Sequence[str]:
    low, high = pair.interval
    return (
        f"{pair.arm} - {pair.against}",
        f"{pair.rows:,}",
        f"{pair.wins:,}",
        f"{pair.losses:,}",
        f"{100 * pair.difference:+.1f}",
        f"{100 * low:+.1f} to {100 * high:+.1f}",
        f"{pair.p_exact:.3g}",
        f"{pair.p_holm:.3g}",
        f"{pair.tost.p_no_worse:.3g}",
        pair.verdict.replace("_", " "),
    )


def _debate(debate: DebateFigures) -> Iterator[str]:
    yield (
        f"Votes of seats: {debate.fixed:,} fixed, {debate.broke:,} broken, {debate.kept:,} kept. Right votes of a "
        f"minority that went over to a wrong majority: {debate.conformed:,} of {debate.could_conform:,}."
    )
    yield f"At least one seat right: {percent(debate.oracle)}; gap to the debate: {percent(debate.oracle_gap)}."


def _parts(name: str, parts: Sequence[Part], plan: EvaluationPlan) -> Iterator[str]:
    head = (name, "rows", f"right: {plan.about}", f"right: {plan.against}", "won", "lost")
    body = list[Sequence[str]]()
    for part in parts:
        right, right_against = part.right[plan.about], part.right[plan.against]
        counts = (part.rows, right, right_against, part.wins, part.losses)
        body.append((part.name, *(f"{count:,}" for count in counts)))
    return table(head, body)


def _seats(evaluation: Evaluation) -> Iterator[str]:
    for seat in evaluation.seats:
        yield f"{seat.seat} ({seat.tool}): {percent(seat.accuracy)} right of {seat.rows:,} rows in the first round."
    yield (
        f"Effective votes: {number(evaluation.effective_votes, 2)}; correlation of errors: "
        f"{number(evaluation.error_correlation, 2)}; Krippendorff's alpha: {number(evaluation.krippendorff_alpha, 2)}."
    )


def percent(share: float | None) -> str:
    """Return a share in per cent; ``?`` where it is not known."""
    return "?" if share is None else f"{100 * share:.1f} %"


def number(value: float | None, digits: int) -> str:
    """Return a number with so many digits; ``?`` where it is not known."""
    return "?" if value is None else f"{value:.{digits}f}"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Return aligned lines of a table: the first column to the left, the others to the right."""
    columns = zip(head, *rows, strict=True)
    first_width, *widths = (max(map(len, column)) for column in columns)
    for first, *others in (head, *rows):
        cells = [cell.rjust(width) for cell, width in zip(others, widths, strict=True)]
        yield "  ".join((first.ljust(first_width), *cells)).rstrip()
