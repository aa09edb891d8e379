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
    cost = statistics.known_total(each.cost_usd for each in all_uses)
    return ArmUse(
        calls=sum(each.calls for each in all_uses),
        tokens=statistics.known_total(each.tokens for each in all_uses),
        cost_usd=None if cost is None else round(cost, 9),
        seconds=round(sum(each.seconds for each in all_uses), 3),
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
    figures = tuple(_arm(rows, arm, arms, plan) for arm in arms)
    first = next((pair for pair in pairs if pair.arm == plan.about), None)
    errors = _errors(rows)
    gate = _gate(rows, plan)
    return schema.Evaluation(
        verdict=first.verdict if first else EvaluationVerdict.CANNOT_TELL,
        sentence=first.sentence if first else f"Nothing is compared: {plan.against} is the only arm.",
        plan=plan,
        rows=len(rows),
        arms=figures,
        pairs=pairs,
        debate=_debate(rows, plan) if DEBATE in arms else None,
        groups=_groups(rows, plan),
        seats=_seats(rows),
        error_correlation=statistics.error_correlation(errors),
        effective_votes=statistics.effective_votes(errors),
        krippendorff_alpha=statistics.krippendorff_alpha([[seat.blind for seat in row.seats] for row in rows]),
        gate=gate,
        escalation=_escalation(rows, plan),
        deviations=(*deviations, *_deviations(rows, figures, plan)),
        notices=(*notices, *_notices(rows, pairs, figures, plan)),
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
    discordant = max(pair.share, 1 / max(pair.rows, 1))
    difference = min(margin, discordant)
    while (needed := statistics.planned_rows(discordant, difference)) <= pair.rows:
        difference /= 2
    return needed


def _pairs(rows: Sequence[EvaluatedRow], arms: Sequence[str], plan: EvaluationPlan) -> tuple[schema.Pair, ...]:
    others = [arm for arm in arms if arm != plan.against]
    both = {
        arm: [row for row in rows if row.arms[arm].label is not None and row.arms[plan.against].label is not None]
        for arm in others
    }
    counts = {arm: compared(both[arm], arm, plan.against) for arm in others}
    adjusted = statistics.holm([decisive_p(counts[arm], with_looks=bool(plan.looks)) for arm in others])
    return tuple(
        _pair(rows, both[arm], arm, counts[arm], p_holm, plan) for arm, p_holm in zip(others, adjusted, strict=True)
    )


def compared(rows: Sequence[EvaluatedRow], arm: str, against: str) -> Discordance:
    """Count on which of ``rows`` only one of the two arms is right."""
    return Discordance.of(_rightness(rows, arm), _rightness(rows, against))


def _rightness(rows: Sequence[EvaluatedRow], arm: str) -> list[bool]:
    return [is_right(row, arm) for row in rows]


def _pair(
    rows: Sequence[EvaluatedRow],
    both: Sequence[EvaluatedRow],
    arm: str,
    pair: Discordance,
    p_holm: float,
    plan: EvaluationPlan,
) -> schema.Pair:
    against = plan.against
    uses = {name: summed(row.arms[name].use for row in rows) for name in (arm, against)}
    spend, other = uses[arm].of(plan.budget), uses[against].of(plan.budget)
    is_cheaper = None if spend is None or other is None else spend < (1 - EQUAL_SPEND) * other
    is_last = not plan.looks or len(rows) >= plan.looks[-1]
    verdict = verdict_of(pair, p_holm, plan.margin, is_cheaper=is_cheaper, is_last=is_last)
    needed = rows_to_tell(pair, plan.margin) if verdict is EvaluationVerdict.CANNOT_TELL else None
    whole = compared(rows, arm, against)
    return schema.Pair(
        arm=arm,
        against=against,
        rows=pair.rows,
        wins=pair.wins,
        losses=pair.losses,
        difference=pair.difference,
        interval=statistics.difference_interval(_rightness(both, arm), _rightness(both, against)),
        p_exact=statistics.exact_p(pair),
        p_mid=statistics.mid_p(pair),
        e_value=statistics.e_value(pair),
        p_holm=p_holm,
        tost=schema.NoWorse(
            margin=plan.margin,
            p_no_worse=statistics.non_inferiority_p(pair, plan.margin),
            p_equivalent=statistics.equivalence_p(pair, plan.margin),
        ),
        cheaper=is_cheaper,
        difference_all=whole.difference,
        use_per_right=_per_right(spend, other, whole),
        usd_per_right=_per_right(uses[arm].cost_usd, uses[against].cost_usd, whole),
        seconds_per_right=_per_right(uses[arm].seconds, uses[against].seconds, whole),
        verdict=verdict,
        rows_needed=needed,
        sentence=_sentence(arm, pair, verdict, needed, p_holm, plan),
    )


def _per_right(spend: float | None, other: float | None, whole: Discordance) -> float | None:
    more = whole.wins - whole.losses
    return (spend - other) / more if more > 0 and spend is not None and other is not None else None


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
    by_all = [row for row in rows if all(row.arms[each].label is not None for each in arms)]
    use = summed(row.arms[arm].use for row in rows)
    reference = summed(row.arms[_reference(arms, plan)].use for row in rows).of(plan.budget)
    spend = use.of(plan.budget)
    stated = [
        (confidence, is_right(row, arm)) for row in answered if (confidence := row.arms[arm].confidence) is not None
    ]
    return schema.MeasuredArm(
        name=arm,
        whole=_scores(rows, arm),
        answered=_scores(by_all, arm),
        abstained=len(rows) - len(answered),
        selective_accuracy=_scores(answered, arm).accuracy,
        use=use,
        spend_ratio=spend / reference if spend is not None and reference else None,
        brier=statistics.brier(stated),
        calibration_error=statistics.calibration_error(stated),
    )


def _reference(arms: Sequence[str], plan: EvaluationPlan) -> str:
    return DEBATE if DEBATE in arms else plan.against


def _deviations(
    rows: Sequence[EvaluatedRow], figures: Sequence[schema.MeasuredArm], plan: EvaluationPlan
) -> Iterable[str]:
    if len(rows) != plan.rows and not _ended_at_look(rows, plan):
        yield f"{len(rows):,} of {plan.rows:,} planned rows were evaluated."
    for arm in figures:
        if arm.name.split(":")[0] in EQUALISED and arm.spend_ratio is not None:
            off = arm.spend_ratio - 1
            if abs(off) > EQUAL_SPEND:
                yield f"{arm.name} used {abs(100 * off):.0f} % {'more' if off > 0 else 'less'} than {DEBATE}."


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
        if pair.difference * pair.difference_all < 0:
            yield (
                f"With abstentions counted as wrong, {pair.arm} and {pair.against} change places "
                f"({100 * pair.difference_all:+.1f} points on all rows)."
            )
    for arm in figures:
        if arm.abstained:
            yield f"{arm.name} abstained on {arm.abstained:,} of {arm.whole.rows:,} rows."


# -- Seats and debate ------------------------------------------------------------------------------------------------


def _named(rows: Sequence[EvaluatedRow]) -> dict[str, str | None]:
    return {seat.seat: seat.tool for row in rows for seat in row.seats}


def _seats(rows: Sequence[EvaluatedRow]) -> tuple[schema.SeatFigures, ...]:
    def of(name: str, tool: str | None) -> schema.SeatFigures:
        given = [(seat.blind, row.gold) for row in rows for seat in row.seats if seat.seat == name and seat.blind]
        right = sum(blind == gold for blind, gold in given)
        return schema.SeatFigures(
            seat=name, tool=tool, rows=len(given), right=right, accuracy=right / len(given) if given else None
        )

    return tuple(of(name, tool) for name, tool in _named(rows).items())


def _errors(rows: Sequence[EvaluatedRow]) -> list[list[bool]]:
    """For each seat whether it erred blind, on the rows that all seats answered."""
    names = list(_named(rows))
    blind = [{seat.seat: seat.blind for seat in row.seats if seat.blind} | {"": row.gold} for row in rows]
    whole = [row for row in blind if all(name in row for name in names)]
    return [[row[name] != row[""] for row in whole] for name in names]


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
    return "abstained" if label is None else "right" if label == gold else "wrong"


def blind_vote(row: EvaluatedRow) -> str | None:
    """Return the vote of the seats' first round."""
    return counted(seat.blind for seat in row.seats)


def _debate(rows: Sequence[EvaluatedRow], plan: EvaluationPlan) -> schema.DebateFigures:
    votes = [(seat.blind, seat.label, row) for row in rows for seat in row.seats if seat.blind and seat.label]
    minority = [(last, row) for blind, last, row in votes if blind == row.gold and blind_vote(row) not in {blind, None}]
    oracle = fmean(any(seat.blind == row.gold for seat in row.seats) for row in rows) if rows else None
    accuracy = _scores(rows, DEBATE).accuracy
    return schema.DebateFigures(
        fixed=sum(blind != row.gold and last == row.gold for blind, last, row in votes),
        broke=sum(blind == row.gold and last != row.gold for blind, last, row in votes),
        kept=sum(blind == last for blind, last, _ in votes),
        conformed=sum(last == blind_vote(row) for last, row in minority),
        could_conform=len(minority),
        oracle=oracle,
        oracle_gap=None if oracle is None or accuracy is None else oracle - accuracy,
        flow=Counter(
            f"{_state(blind_vote(row), row.gold)}->{_state(row.arms[DEBATE].label, row.gold)}" for row in rows
        ),
        by_agreement=_parts(rows, agreement, plan),
    )


def _parts(
    rows: Sequence[EvaluatedRow], named: Callable[[EvaluatedRow], str], plan: EvaluationPlan
) -> tuple[schema.Part, ...]:
    parts: dict[str, list[EvaluatedRow]] = {}
    for row in rows:
        parts.setdefault(named(row), []).append(row)
    return tuple(_part(name, parts[name], plan) for name in sorted(parts))


def _part(name: str, rows: Sequence[EvaluatedRow], plan: EvaluationPlan) -> schema.Part:
    pair = compared(rows, plan.about, plan.against)
    right: Mapping[str, int] = {arm: sum(_rightness(rows, arm)) for arm in rows[0].arms}
    return schema.Part(name=name, rows=len(rows), right=right, wins=pair.wins, losses=pair.losses)


def _groups(rows: Sequence[EvaluatedRow], plan: EvaluationPlan) -> tuple[schema.Part, ...]:
    return _parts(rows, lambda row: row.group or "(none)", plan) if plan.group else ()


def _escalation(rows: Sequence[EvaluatedRow], plan: EvaluationPlan) -> str | None:
    """Return when debating is advised: never where it is no better, auto where it gains on rows that seats dispute."""
    has_seats = all(any(seat.label for seat in row.seats) for row in rows)
    if plan.about != DEBATE or plan.against == DEBATE or not has_seats:
        return None
    disputed = [row for row in rows if agreement(row) in {"majority", "split"}]
    alike = [row for row in rows if agreement(row) == "unanimous"]
    pair, other = (compared(part, DEBATE, plan.against) for part in (disputed, alike))
    pays = pair.wins > pair.losses and statistics.exact_p(pair) <= statistics.ALPHA
    pays_always = other.wins > other.losses and statistics.exact_p(other) <= statistics.ALPHA
    return "always" if pays_always else "auto" if pays else "never"


# -- The gate --------------------------------------------------------------------------------------------------------


def gated(row: EvaluatedRow, arm: str) -> ArmRow:
    """Return the result of ``arm`` where code decides first, and no tool is asked about a row that it decides."""
    return row.arms[arm] if row.by_code is None else ArmRow(label=row.by_code)


def _gate(rows: Sequence[EvaluatedRow], plan: EvaluationPlan) -> schema.GateFigures | None:
    if not plan.gate:
        return None
    arm = plan.gate
    decided = [row for row in rows if row.by_code is not None]
    return schema.GateFigures(
        arm=arm,
        decided=len(decided),
        right=sum(row.by_code == row.gold for row in decided),
        saved=summed(row.arms[arm].use for row in decided),
        gained=sum(row.by_code == row.gold and not is_right(row, arm) for row in decided),
        lost=sum(row.by_code != row.gold and is_right(row, arm) for row in decided),
    )
