"""The page of an evaluation: one file that reads whole without JavaScript and shows figures of the evaluation alone."""

from collections.abc import Iterator, Sequence
from shlex import quote

from sparring.evaluation.charts import STATES, Effect, flow, forest
from sparring.evaluation.measure import is_right
from sparring.evaluation.report import number, percent
from sparring.reports.page.elements import (
    NOTHING,
    Html,
    document,
    element,
    footer,
    fragment,
    grid,
    header,
    section,
    table_row,
)
from sparring.schema.evaluation import DebateFigures, EvaluatedRow, Evaluation, Part

_ROWS_SHOWN = 10


def page_of_evaluation(evaluation: Evaluation, rows: Sequence[EvaluatedRow], rows_file: str, ledger: str) -> str:
    """Return the page.

    Args:
        evaluation: All figures.
        rows: The rows that they follow from, of which examples are shown.
        rows_file: Name of the file of all rows.
        ledger: Address of the ledger, as ``sparring batch show`` takes it.
    """
    plan = evaluation.plan
    effects = [Effect(pair.arm, pair.difference, pair.interval) for pair in evaluation.pairs]
    places = [("conclusion", "Result"), ("arms", "Arms"), ("pairs", "Differences")]
    sections = [
        _first(evaluation, rows_file),
        section("arms", "Arms", _arms(evaluation)),
        section("pairs", f"Differences from {plan.against}", forest(effects, plan.margin), _pairs(evaluation)),
    ]
    if evaluation.debate:
        places += [("pays", "Where it pays"), ("rows", "Rows")]
        sections += [
            section("pays", "Where it pays", *_where_it_pays(evaluation, evaluation.debate)),
            section("rows", "Rows that differ", *_rows_that_differ(evaluation, rows, ledger)),
        ]
    return document(
        evaluation.sentence,
        header("evaluation", places),
        element("main", *sections, id="main"),
        footer(f"{evaluation.rows:,} rows in {rows_file}"),
        styles=("page.css", "evaluation.css"),
        scripts=(),
    )


def _first(evaluation: Evaluation, rows_file: str) -> Html:
    plan = evaluation.plan
    items = [element("li", notice) for notice in (*evaluation.deviations, *evaluation.notices)]
    detectable = "none" if plan.detectable is None else f"{100 * plan.detectable:.1f} points"
    facts = {
        "Rows": f"{evaluation.rows:,} of {plan.rows:,} planned",
        "Smallest difference that they show": f"{detectable} (80 % power, planned)",
        "Margin": f"{100 * plan.margin:g} points",
        "Equal between arms": plan.budget,
        "Plan": f"declared {plan.declared_at:%Y-%m-%d %H:%M} UTC; {'not ' if evaluation.deviations else ''}kept",
        "Prompts": plan.prompts_sha256[:16],
        "Table": plan.table_sha256[:16],
        "All rows": rows_file,
    }
    listed = [fragment(element("dt", name), element("dd", value)) for name, value in facts.items()]
    tone = "headline doubtful" if evaluation.verdict == "cannot_tell" else "headline"
    return element(
        "section",
        element("div", element("h1", evaluation.sentence), class_=tone),
        element("ul", *items) if items else NOTHING,
        element("dl", *listed, class_="facts"),
        id="conclusion",
    )


def _arms(evaluation: Evaluation) -> Html:
    head = ("arm", "right", "95 %", "macro F1", "right of rows that all answered", "abstained", "calls", "tokens")
    head += ("USD", "seconds", "spend")
    body = [
        table_row(
            arm.name,
            f"{arm.whole.right:,} of {arm.whole.rows:,} ({percent(arm.whole.accuracy)})",
            f"{percent(arm.whole.interval[0])} to {percent(arm.whole.interval[1])}",
            number(arm.whole.macro_f1, 3),
            f"{arm.answered.right:,} of {arm.answered.rows:,}",
            f"{arm.abstained:,}",
            f"{arm.use.calls:,}",
            "?" if arm.use.tokens is None else f"{arm.use.tokens:,}",
            number(arm.use.cost_usd, 4),
            number(arm.use.seconds, 1),
            percent(arm.spend_ratio),
        )
        for arm in evaluation.arms
    ]
    return grid("Arms", head, body)


def _pairs(evaluation: Evaluation) -> Html:
    head = ("pair", "rows", "won", "lost", "difference", "95 %", "p exact", "mid-p", "e", "p Holm", "p no worse")
    head += ("points on all rows", "USD per further right row", "seconds per further right row", "sentence")
    body = [
        table_row(
            f"{pair.arm} - {pair.against}",
            f"{pair.rows:,}",
            f"{pair.wins:,}",
            f"{pair.losses:,}",
            f"{100 * pair.difference:+.1f}",
            f"{100 * pair.interval[0]:+.1f} to {100 * pair.interval[1]:+.1f}",
            f"{pair.p_exact:.3g}",
            f"{pair.p_mid:.3g}",
            f"{pair.e_value:.3g}",
            f"{pair.p_holm:.3g}",
            f"{pair.tost.p_no_worse:.3g}",
            f"{100 * pair.difference_all:+.1f}",
            number(pair.usd_per_right, 4),
            number(pair.seconds_per_right, 1),
            pair.sentence,
        )
        for pair in evaluation.pairs
    ]
    return grid("Differences", head, body)


def _where_it_pays(evaluation: Evaluation, debate: DebateFigures) -> Iterator[Html]:
    """Yield on which rows the debate changed an answer, and how far its seats are independent of each other."""
    yield flow(debate.flow)
    moves = list[Html]()
    for before in STATES:
        counts = [debate.flow.get(f"{before}->{after}", 0) for after in STATES]
        moves.append(table_row(f"first round {before}", *(f"{count:,}" for count in counts)))
    yield grid("From first round to debate", ("", *(f"debated: {state}" for state in STATES)), moves)
    yield element(
        "p",
        f"Votes of seats: {debate.fixed:,} fixed, {debate.broke:,} broken, {debate.kept:,} kept. Right votes of a "
        f"minority that went over to a wrong majority: {debate.conformed:,} of {debate.could_conform:,}. At least one "
        f"seat was right on {percent(debate.oracle)} of the rows; gap to the debate: {percent(debate.oracle_gap)}.",
    )
    yield _parts("By agreement in the first round", debate.by_agreement)
    if evaluation.groups:
        yield _parts(f"By {evaluation.plan.group}", evaluation.groups)
    seats = [
        table_row(f"{seat.seat} ({seat.tool})", f"{seat.right:,} of {seat.rows:,} ({percent(seat.accuracy)})")
        for seat in evaluation.seats
    ]
    yield grid("Seats", ("seat", "right in the first round"), seats)
    yield element(
        "p",
        f"Effective votes: {number(evaluation.effective_votes, 2)}. Correlation of errors: "
        f"{number(evaluation.error_correlation, 2)}. Krippendorff's alpha: {number(evaluation.krippendorff_alpha, 2)}.",
    )
    yield _gate(evaluation)


def _rows_that_differ(evaluation: Evaluation, rows: Sequence[EvaluatedRow], ledger: str) -> Iterator[Html]:
    """Yield examples of the rows that only one of the two compared arms has right, with links to their runs."""
    about, against = evaluation.plan.about, evaluation.plan.against
    only_about, only_against = _differing(evaluation, rows)
    yield _examples(f"Only {about} has it right", only_about, about, against)
    yield _examples(f"Only {against} has it right", only_against, about, against)
    yield element(
        "p",
        "Each answer leads to its run. Any other run, by the column ",
        element("code", "run"),
        " of the rows: ",
        element("code", f"sparring batch show {quote(ledger)} RUN"),
    )


def _differing(evaluation: Evaluation, rows: Sequence[EvaluatedRow]) -> tuple[list[EvaluatedRow], list[EvaluatedRow]]:
    """Return the rows that only the arm of the first sentence has right, and those that only the other one has."""
    about, against = evaluation.plan.about, evaluation.plan.against
    differ = [row for row in rows if is_right(row, about) != is_right(row, against)]
    return [row for row in differ if is_right(row, about)], [row for row in differ if is_right(row, against)]


def linked_runs(evaluation: Evaluation, rows: Sequence[EvaluatedRow]) -> Iterator[str]:
    """Yield the keys of the runs that the page links to, each once; see ``run_file``."""
    if evaluation.debate is None:
        return
    only_about, only_against = _differing(evaluation, rows)
    keys = dict[str, None]()
    for row in (*only_about[:_ROWS_SHOWN], *only_against[:_ROWS_SHOWN]):
        for arm in (evaluation.plan.about, evaluation.plan.against):
            keys[row.arms[arm].run] = None
    keys.pop("", None)  # the answer of code alone has no run
    yield from keys


def run_file(key: str) -> str:
    """Return the file of the page of a run, as seen from the page of the evaluation."""
    return f"runs/{key}.html"


def _parts(name: str, parts: Sequence[Part]) -> Html:
    arms = list(parts[0].right) if parts else []
    body = list[Html]()
    for part in parts:
        right = [f"{part.right[arm]:,}" for arm in arms]
        body.append(table_row(part.name, f"{part.rows:,}", *right, f"{part.wins:,}", f"{part.losses:,}"))
    return grid(name, (name, "rows", *(f"right: {arm}" for arm in arms), "won", "lost"), body)


def _gate(evaluation: Evaluation) -> Html:
    gate = evaluation.gate
    if gate is None:
        return NOTHING
    return element(
        "p",
        f"Code decides {gate.decided:,} rows, {gate.right:,} of them right. In front of {gate.arm} it saves "
        f"{gate.saved.calls:,} calls; {gate.gained:,} rows are right only then, {gate.lost:,} only without it.",
    )


def _examples(title: str, rows: Sequence[EvaluatedRow], about: str, against: str) -> Html:
    def answer_cell(row: EvaluatedRow, arm: str) -> Html:
        answer = row.arms[arm]
        label = answer.label or "abstained"
        return element("td", element("a", label, href=run_file(answer.run)) if answer.run else label)

    body = [
        element(
            "tr",
            element("th", row.row_id or str(row.row), scope="row"),
            element("td", row.about),
            element("td", row.gold),
            answer_cell(row, about),
            answer_cell(row, against),
        )
        for row in rows[:_ROWS_SHOWN]
    ]
    rest = f", of which {_ROWS_SHOWN} are shown" if len(rows) > _ROWS_SHOWN else ""
    count = element("p", f"{title}: {len(rows):,} rows{rest}.")
    if not rows:
        return count
    return fragment(count, grid(title, ("row", "about", "gold", about, against), body))
