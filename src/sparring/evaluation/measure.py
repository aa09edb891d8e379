"""Figures of an evaluation: the whole content of the report, as a pure function of the rows and the plan.

The page and ``evaluation.json`` show nothing else, so every figure can be recomputed from the file of rows.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean

from sparring.evaluation import statistics
from sparring.evaluation.statistics import Discordance
from sparring.schema import evaluation as schema
from sparring.schema.evaluation import ArmRow, ArmUse, EvaluatedRow, EvaluationPlan, EvaluationVerdict
from sparring.text.intervals import wilson

ASSUMED_DISCORDANCE = 0.2
"""Share of discordant rows that a plan assumes before any is known; with fewer, fewer rows are needed."""

EQUAL_SPEND = 0.02
"""Spends that differ by no more count as equal."""

DEBATE = "debate"
VOTE = "vote"


def counted(votes: Iterable[str | None]) -> str | None:
    """Return the label with most votes; of labels with as many, the one that was given first; None without a vote."""
    counts = Counter(vote for vote in votes if vote is not None)
    return max(counts, key=lambda label: counts[label]) if counts else None


def is_right(row: EvaluatedRow, arm: str) -> bool:
    """Return whether ``arm`` gave the gold label; an abstention is not right."""
    return row.arms[arm].label == row.gold


def summed(uses: Iterable[ArmUse]) -> ArmUse:
    """Return the sum; an amount that one of them does not know is not known."""
    all_uses = tuple(uses)
    cost = statistics.known_total(use.cost_usd for use in all_uses)
    return ArmUse(
        calls=sum(use.calls for use in all_uses),
        tokens=statistics.known_total(use.tokens for use in all_uses),
        cost_usd=None if cost is None else round(cost, 9),
        seconds=round(sum(use.seconds for use in all_uses), 3),
    )


def measured(
    rows: Sequence[EvaluatedRow],
    plan: EvaluationPlan,
    deviations: Sequence[str] = (),
    notices: Sequence[str] = (),
) -> schema.Evaluation:
    """Return every figure of ``rows``.

    Args:
        rows: At least one; all have the same arms.
        plan: Decisions made in advance.
        deviations: Deviations of the evaluation from the plan that the rows do not show.
        notices: Further notices for the report.
    """
    arms = tuple(rows[0].arms)
    pairs = _pairs(rows, arms, plan)
    measured_arms = tuple(_arm(rows, arm, arms, plan) for arm in arms)

    # The first sentence of the report is about the one pair that the plan declared.
    verdict = EvaluationVerdict.CANNOT_TELL
    sentence = f"Nothing is compared: {plan.against} is the only arm."
    for pair in pairs:
        if pair.arm == plan.about:
            verdict, sentence = pair.verdict, pair.sentence

    blind_labels = [[seat.blind for seat in row.seats] for row in rows]
    errors = _errors(rows)
    return schema.Evaluation(
        verdict=verdict,
        sentence=sentence,
        plan=plan,
        rows=len(rows),
        arms=measured_arms,
        pairs=pairs,
        debate=_debate(rows, plan) if DEBATE in arms else None,
        groups=_parts(rows, lambda row: row.group or "(none)", plan) if plan.group else (),
        seats=_seats(rows),
        error_correlation=statistics.error_correlation(errors),
        effective_votes=statistics.effective_votes(errors),
        krippendorff_alpha=statistics.krippendorff_alpha(blind_labels),
        gate=_gate(rows, plan),
        escalation=_escalation(rows, plan),
        deviations=(*deviations, *_deviations(rows, measured_arms, plan)),
        notices=(*notices, *_notices(rows, pairs, measured_arms, plan)),
    )


# -- Pairs of arms ---------------------------------------------------------------------------------------------------


def decisive_p(pair: Discordance, *, with_looks: bool) -> float:
    """Return the p value that decides: the exact test, or the anytime-valid one where there are interim looks."""
    return statistics.anytime_p(pair) if with_looks else statistics.exact_p(pair)


def verdict_of(
    pair: Discordance, p_adjusted: float, margin: float, *, is_cheaper: bool | None, is_last: bool = True
) -> EvaluationVerdict:
    """Return which of the four sentences holds.

    Better and worse are shown by the adjusted p value. "No worse" is tested once, after the last row, and only
    for an arm that is cheaper.
    """
    if p_adjusted <= statistics.ALPHA and pair.wins != pair.losses:
        return EvaluationVerdict.BETTER if pair.wins > pair.losses else EvaluationVerdict.WORSE
    if is_cheaper and is_last and statistics.non_inferiority_p(pair, margin) <= statistics.ALPHA:
        return EvaluationVerdict.NO_WORSE
    return EvaluationVerdict.CANNOT_TELL


def rows_to_tell(pair: Discordance, margin: float) -> int:
    """Return the rows needed for the margin, or where these are enough for it, for a smaller difference."""
    # Without a discordant row the share is not taken as 0: the next row could be the first one.
    discordant = max(pair.share, 1 / max(pair.rows, 1))
    difference = min(margin, discordant)
    needed = statistics.planned_rows(discordant, difference)
    while needed <= pair.rows:
        difference /= 2
        needed = statistics.planned_rows(discordant, difference)
    return needed


def _pairs(rows: Sequence[EvaluatedRow], arms: Sequence[str], plan: EvaluationPlan) -> tuple[schema.Pair, ...]:
    """Compare each arm with ``plan.against`` on the rows that both answered; p values are adjusted over all pairs."""
    others = [arm for arm in arms if arm != plan.against]
    answered_by_both, counts = dict[str, list[EvaluatedRow]](), dict[str, Discordance]()
    for arm in others:
        answered_by_both[arm] = [
            row for row in rows if row.arms[arm].label is not None and row.arms[plan.against].label is not None
        ]
        counts[arm] = compared(answered_by_both[arm], arm, plan.against)
    p_values = [decisive_p(counts[arm], with_looks=bool(plan.looks)) for arm in others]
    adjusted = dict(zip(others, statistics.holm(p_values), strict=True))
    return tuple(_pair(rows, answered_by_both[arm], arm, counts[arm], adjusted[arm], plan) for arm in others)


def compared(rows: Sequence[EvaluatedRow], arm: str, against: str) -> Discordance:
    """Count on which of ``rows`` only one of the two arms is right."""
    return Discordance.of(_rightness(rows, arm), _rightness(rows, against))


def _rightness(rows: Sequence[EvaluatedRow], arm: str) -> list[bool]:
    return [is_right(row, arm) for row in rows]


def _pair(
    rows: Sequence[EvaluatedRow],
    answered_by_both: Sequence[EvaluatedRow],
    arm: str,
    pair: Discordance,
    p_holm: float,
    plan: EvaluationPlan,
) -> schema.Pair:
    against = plan.against
    # What was spent counts on all rows, also where an arm abstained.
    use, use_against = (summed(row.arms[name].use for row in rows) for name in (arm, against))
    spend, spend_against = use.of(plan.budget), use_against.of(plan.budget)
    is_cheaper = None
    if spend is not None and spend_against is not None:
        is_cheaper = spend < (1 - EQUAL_SPEND) * spend_against
    is_last = not plan.looks or len(rows) >= plan.looks[-1]
    verdict = verdict_of(pair, p_holm, plan.margin, is_cheaper=is_cheaper, is_last=is_last)
    needed = rows_to_tell(pair, plan.margin) if verdict is EvaluationVerdict.CANNOT_TELL else None
    on_all_rows = compared(rows, arm, against)
    return schema.Pair(
        arm=arm,
        against=against,
        rows=pair.rows,
        wins=pair.wins,
        losses=pair.losses,
        difference=pair.difference,
        interval=statistics.difference_interval(
            _rightness(answered_by_both, arm), _rightness(answered_by_both, against)
        ),
        p_exact=statistics.exact_p(pair),
        p_mid=statistics.mid_p(pair),
        e_value=statistics.e_value(pair),
        p_holm=p_holm,
        tost=schema.NonInferiority(
            margin=plan.margin,
            p_no_worse=statistics.non_inferiority_p(pair, plan.margin),
            p_equivalent=statistics.equivalence_p(pair, plan.margin),
        ),
        cheaper=is_cheaper,
        difference_all=on_all_rows.difference,
        use_per_right=_per_further_right(spend, spend_against, on_all_rows),
        usd_per_right=_per_further_right(use.cost_usd, use_against.cost_usd, on_all_rows),
        seconds_per_right=_per_further_right(use.seconds, use_against.seconds, on_all_rows),
        verdict=verdict,
        rows_needed=needed,
        sentence=_sentence(arm, pair, verdict, needed, p_holm, plan),
    )


def _per_further_right(spend: float | None, spend_against: float | None, on_all_rows: Discordance) -> float | None:
    """Return what each further right row costs more; None where there is none, or an amount is not known."""
    further_right = on_all_rows.wins - on_all_rows.losses
    if further_right <= 0 or spend is None or spend_against is None:
        return None
    return (spend - spend_against) / further_right


def _sentence(
    arm: str,
    pair: Discordance,
    verdict: EvaluationVerdict,
    needed: int | None,
    p_holm: float,
    plan: EvaluationPlan,
) -> str:
    points, margin = f"{abs(100 * pair.difference):.1f} points", f"{100 * plan.margin:g} points"
    comparison = f"{pair.wins:,} won and {pair.losses:,} lost of {pair.rows:,} rows, p = {p_holm:.3g}"
    match verdict:
        case EvaluationVerdict.BETTER:
            return f"{arm} is better than {plan.against} by {points} ({comparison})."
        case EvaluationVerdict.WORSE:
            return f"{arm} is worse than {plan.against} by {points} ({comparison})."
        case EvaluationVerdict.NO_WORSE:
            return f"{arm} is no worse than {plan.against} within {margin}, and cheaper ({comparison})."
        case EvaluationVerdict.CANNOT_TELL:
            limits = f"{needed or 0:,} are needed ({comparison})"
            return f"These {pair.rows:,} rows cannot tell {arm} from {plan.against}: {limits}."


# -- One arm ---------------------------------------------------------------------------------------------------------


def _scores(rows: Sequence[EvaluatedRow], arm: str) -> schema.ArmScores:
    right = sum(_rightness(rows, arm))
    return schema.ArmScores(
        rows=len(rows),
        right=right,
        accuracy=right / len(rows) if rows else None,
        interval=wilson(right, len(rows)),
        macro_f1=statistics.macro_f1([(row.gold, row.arms[arm].label) for row in rows]),
    )


def _arm(rows: Sequence[EvaluatedRow], arm: str, arms: Sequence[str], plan: EvaluationPlan) -> schema.MeasuredArm:
    answered = [row for row in rows if row.arms[arm].label is not None]
    answered_by_all = [row for row in rows if all(row.arms[name].label is not None for name in arms)]

    # Budgets are equalised to that of the debate; without one, spends are compared with those of the other side.
    reference_arm = DEBATE if DEBATE in arms else plan.against
    reference = summed(row.arms[reference_arm].use for row in rows).of(plan.budget)
    use = summed(row.arms[arm].use for row in rows)
    spend = use.of(plan.budget)

    stated = list[tuple[float, bool]]()
    for row in answered:
        confidence = row.arms[arm].confidence
        if confidence is not None:
            stated.append((confidence, is_right(row, arm)))
    return schema.MeasuredArm(
        name=arm,
        whole=_scores(rows, arm),
        answered=_scores(answered_by_all, arm),
        abstained=len(rows) - len(answered),
        selective_accuracy=_scores(answered, arm).accuracy,
        use=use,
        spend_ratio=spend / reference if spend is not None and reference else None,
        brier=statistics.brier(stated),
        calibration_error=statistics.calibration_error(stated),
    )


def _deviations(
    rows: Sequence[EvaluatedRow], figures: Sequence[schema.MeasuredArm], plan: EvaluationPlan
) -> Iterable[str]:
    if len(rows) != plan.rows and not _ended_at_look(rows, plan):
        yield f"{len(rows):,} of {plan.rows:,} planned rows were evaluated."
    for arm in figures:
        kind, _, _ = arm.name.partition(":")
        if kind not in EQUALISED or arm.spend_ratio is None:
            continue
        excess = arm.spend_ratio - 1
        if abs(excess) > EQUAL_SPEND:
            yield f"{arm.name} used {abs(100 * excess):.0f} % {'more' if excess > 0 else 'less'} than {DEBATE}."


def _ended_at_look(rows: Sequence[EvaluatedRow], plan: EvaluationPlan) -> bool:
    return len(rows) in plan.looks[:-1]


EQUALISED = frozenset({VOTE, "self", "revise", "placebo"})
"""Arms that are to spend as much as the debate."""


def _notices(
    rows: Sequence[EvaluatedRow],
    pairs: Sequence[schema.Pair],
    figures: Sequence[schema.MeasuredArm],
    plan: EvaluationPlan,
) -> Iterable[str]:
    if _ended_at_look(rows, plan):
        yield f"The evaluation ended at a planned look, after {len(rows):,} of {plan.rows:,} rows."
    for pair in pairs:
        if pair.difference * pair.difference_all < 0:  # the signs differ
            yield (
                f"With abstentions counted as wrong, {pair.arm} and {pair.against} change places "
                f"({100 * pair.difference_all:+.1f} points on all rows)."
            )
    for arm in figures:
        if arm.abstained:
            yield f"{arm.name} abstained on {arm.abstained:,} of {arm.whole.rows:,} rows."


# -- Seats and debate ------------------------------------------------------------------------------------------------


def _seat_tools(rows: Sequence[EvaluatedRow]) -> dict[str, str | None]:
    """Return the tool of each seat, by the name of the seat, in the order of their first appearance."""
    return {seat.seat: seat.tool for row in rows for seat in row.seats}


def _seats(rows: Sequence[EvaluatedRow]) -> tuple[schema.SeatFigures, ...]:
    """Return the accuracy of each seat's blind labels, on the rows that it answered."""
    tools = _seat_tools(rows)
    answered, right = Counter[str](), Counter[str]()
    for row in rows:
        for seat in row.seats:
            if seat.blind:
                answered[seat.seat] += 1
                right[seat.seat] += seat.blind == row.gold
    return tuple(
        schema.SeatFigures(
            seat=name,
            tool=tool,
            rows=answered[name],
            right=right[name],
            accuracy=right[name] / answered[name] if answered[name] else None,
        )
        for name, tool in tools.items()
    )


def _errors(rows: Sequence[EvaluatedRow]) -> list[list[bool]]:
    """Return for each seat whether its blind label is wrong, on the rows that all seats answered."""
    names = list(_seat_tools(rows))
    errors = [list[bool]() for _ in names]
    for row in rows:
        blind = {seat.seat: seat.blind for seat in row.seats if seat.blind}
        if all(name in blind for name in names):
            for of_seat, name in zip(errors, names, strict=True):
                of_seat.append(blind[name] != row.gold)
    return errors


def agreement(row: EvaluatedRow) -> str:
    """Return the agreement of the seats before their exchange: unanimous, majority, split, or too few."""
    votes = Counter(seat.blind for seat in row.seats if seat.blind)
    if votes.total() < 2:
        return "too few"
    if len(votes) == 1:
        return "unanimous"
    (_, most), (_, second) = votes.most_common(2)
    return "majority" if most > second else "split"


def _state(label: str | None, gold: str) -> str:
    if label is None:
        return "abstained"
    return "right" if label == gold else "wrong"


def blind_vote(row: EvaluatedRow) -> str | None:
    """Return the vote of the seats' first round."""
    return counted(seat.blind for seat in row.seats)


def _debate(rows: Sequence[EvaluatedRow], plan: EvaluationPlan) -> schema.DebateFigures:
    """Return how the votes of the seats changed from their blind round to the last one, and what rows gained by it."""
    fixed = broke = kept = conformed = could_conform = 0
    flow = Counter[str]()
    for row in rows:
        majority = blind_vote(row)
        flow[f"{_state(majority, row.gold)}->{_state(row.arms[DEBATE].label, row.gold)}"] += 1
        for seat in row.seats:
            if not seat.blind or not seat.label:
                continue  # a seat that did not vote twice shows no change
            was_right, is_now_right = seat.blind == row.gold, seat.label == row.gold
            fixed += is_now_right and not was_right
            broke += was_right and not is_now_right
            kept += seat.blind == seat.label
            # Conformity: a seat that was right gives its vote up for that of a wrong majority.
            if was_right and majority not in {seat.blind, None}:
                could_conform += 1
                conformed += seat.label == majority

    # The oracle picks the right answer wherever a seat had it: the most that a debate of these seats could reach.
    oracle = fmean(any(seat.blind == row.gold for seat in row.seats) for row in rows) if rows else None
    accuracy = _scores(rows, DEBATE).accuracy
    return schema.DebateFigures(
        fixed=fixed,
        broke=broke,
        kept=kept,
        conformed=conformed,
        could_conform=could_conform,
        oracle=oracle,
        oracle_gap=None if oracle is None or accuracy is None else oracle - accuracy,
        flow=flow,
        by_agreement=_parts(rows, agreement, plan),
    )


def _parts(
    rows: Sequence[EvaluatedRow], part_of: Callable[[EvaluatedRow], str], plan: EvaluationPlan
) -> tuple[schema.Part, ...]:
    """Return how many rows each arm has right in each part of ``rows``, sorted by the names that ``part_of`` gives."""
    by_name: dict[str, list[EvaluatedRow]] = {}
    for row in rows:
        by_name.setdefault(part_of(row), []).append(row)
    parts = list[schema.Part]()
    for name, members in sorted(by_name.items()):
        pair = compared(members, plan.about, plan.against)
        right: Mapping[str, int] = {arm: sum(_rightness(members, arm)) for arm in members[0].arms}
        parts.append(schema.Part(name=name, rows=len(members), right=right, wins=pair.wins, losses=pair.losses))
    return tuple(parts)


def _escalation(rows: Sequence[EvaluatedRow], plan: EvaluationPlan) -> str | None:
    """Return when debating is advised: never where it is no better, auto where it gains on rows that seats dispute."""
    seats_vote = all(any(seat.label for seat in row.seats) for row in rows)
    if plan.about != DEBATE or plan.against == DEBATE or not seats_vote:
        return None

    def pays_on(*agreements: str) -> bool:
        pair = compared([row for row in rows if agreement(row) in agreements], DEBATE, plan.against)
        return pair.wins > pair.losses and statistics.exact_p(pair) <= statistics.ALPHA

    if pays_on("unanimous"):
        return "always"
    return "auto" if pays_on("majority", "split") else "never"


# -- The gate --------------------------------------------------------------------------------------------------------


def gated(row: EvaluatedRow, arm: str) -> ArmRow:
    """Return the result of ``arm`` where code decides first, and no tool is asked about a row that it decides."""
    return row.arms[arm] if row.by_code is None else ArmRow(label=row.by_code)


def _gate(rows: Sequence[EvaluatedRow], plan: EvaluationPlan) -> schema.GateFigures | None:
    if not plan.gate:
        return None
    arm = plan.gate
    decided = [row for row in rows if row.by_code is not None]
    code_right = [row.by_code == row.gold for row in decided]
    by_code = Discordance.of(code_right, _rightness(decided, arm))
    return schema.GateFigures(
        arm=arm,
        decided=len(decided),
        right=sum(code_right),
        saved=summed(row.arms[arm].use for row in decided),
        gained=by_code.wins,
        lost=by_code.losses,
    )
