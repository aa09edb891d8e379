"""The page of an evaluation in a real browser: every figure on it is computed anew from the file of rows."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from math import comb, gamma, sqrt
from pathlib import Path
from typing import Any

import pytest

from sparring.evaluation import statistics
from sparring.evaluation.statistics import Discordance
from sparring.schema.evaluation import EvaluatedRow, Evaluation
from sparring.testing import ModelEndpoint
from support.chromium import PHONE, Chromium, Tab
from support.evaluated_rows import read_rows
from support.evaluating import TOOLS, add_voters, labelled, voter
from support.workbench import Workbench

pytestmark = pytest.mark.browser

ROWS = 14
BY_CODE = "a,It opened in 1889.,It opened in 1889.,SUPPORTED,odd\nb,It opened in 1889.,It opened in 1889.,REFUTED,odd\n"
"""Rows that code decides, once rightly."""

MARGIN = 0.05
COMMAND = (
    *("evaluate", "rows.csv", "--with", "ann,bob,cy", "--set", "max_rounds=2", "--arms", "single,vote,debate"),
    *(
        "--set",
        "against=single:ann",
        "--set",
        "group=topic",
        "--gate",
        "code",
        "--set",
        f"margin={MARGIN}",
        "--output",
        "out",
    ),
)
AGAINST = "single:ann"
STATES = ("right", "wrong", "abstained")

TABLES = """
[...document.querySelectorAll('main table')].map((table) =>
  [...table.rows].map((row) => [...row.cells].map((cell) => cell.innerText.trim())))
"""
PARAGRAPHS = "[...document.querySelectorAll('main p, main li, main h1, main dd')].map((each) => each.innerText.trim())"
DRAWN = "[...document.querySelectorAll('main svg text')].map((each) => each.textContent)"
FOREST = """
[...document.querySelectorAll('main svg g')].map((each) => {
  const line = each.querySelector('line'), at = (name) => Number(line.getAttribute(name));
  const circle = each.querySelector('circle');
  return [each.textContent, at('x1'), Number(circle.getAttribute('cx')), at('x2')];
})
"""
AXIS = """
[...document.querySelector('main svg').querySelectorAll(':scope > text')].map((each) =>
  [Number(each.getAttribute('x')), Number(each.textContent)])
"""
LEFT_OVER = """
(() => {
  const copy = document.querySelector('main').cloneNode(true);
  copy.querySelectorAll('table, p, li, h1, dl, svg').forEach((each) => each.remove());
  return copy.textContent;
})()
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output of an evaluation in which some seats fail."""
    bench = Workbench.below(tmp_path_factory.mktemp("evaluated"))
    found = {name: ModelEndpoint(voter(name, fails=0.1, usd=0.01), keeps_alive=True) for name in TOOLS}
    add_voters(bench, found)
    (bench.project / "rows.csv").write_text(labelled(ROWS) + BY_CODE, encoding="utf-8")
    done = bench.run(*COMMAND)
    for each in found.values():
        each.close()
    assert done.code == 0, done.err
    return bench.project / "out"


@pytest.fixture
def rows(folder: Path) -> list[EvaluatedRow]:
    return read_rows(next(folder.glob("rows.*")))


@pytest.fixture
def tab(browser: Chromium, folder: Path) -> Iterator[Tab]:
    with browser.tab(runs_scripts=False) as tab:
        tab.show((folder / "evaluation.html").as_uri())
        yield tab


def is_right(row: EvaluatedRow, arm: str) -> bool:
    return row.arms[arm].label == row.gold


def per_cent(part: float, whole: float = 1) -> str:
    return f"{100 * part / whole:.1f} %"


def wilson(right: int, count: int) -> tuple[float, float]:
    z, share = 1.959963984540054, right / count
    middle, width = share + z * z / (2 * count), z * sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return (middle - width) / (1 + z * z / count), (middle + width) / (1 + z * z / count)


def macro_f1(rows: Sequence[EvaluatedRow], arm: str) -> float:
    scores: list[float] = []
    for label in {row.gold for row in rows}:
        hits = sum(row.gold == label == row.arms[arm].label for row in rows)
        given, gold = sum(row.arms[arm].label == label for row in rows), sum(row.gold == label for row in rows)
        scores.append(2 * hits / (given + gold))
    return sum(scores) / len(scores)


def spent(rows: Sequence[EvaluatedRow], arm: str, what: str) -> Any:
    values = [getattr(row.arms[arm].use, what) for row in rows]
    return None if None in values else sum(values)


def arms_table(rows: Sequence[EvaluatedRow]) -> list[list[str]]:
    arms, found = list(rows[0].arms), list[list[str]]()
    by_all = [row for row in rows if all(each.label is not None for each in row.arms.values())]
    for arm in arms:
        right = sum(is_right(row, arm) for row in rows)
        low, high = wilson(right, len(rows))
        calls = spent(rows, arm, "calls")
        found.append(
            [
                arm,
                f"{right} of {len(rows)} ({per_cent(right, len(rows))})",
                f"{per_cent(low)} to {per_cent(high)}",
                f"{macro_f1(rows, arm):.3f}",
                f"{sum(is_right(row, arm) for row in by_all)} of {len(by_all)}",
                str(sum(row.arms[arm].label is None for row in rows)),
                str(calls),
                f"{spent(rows, arm, 'tokens'):,}",
                f"{spent(rows, arm, 'cost_usd'):.4f}",
                f"{spent(rows, arm, 'seconds'):.1f}",
                per_cent(calls, spent(rows, "debate", "calls")),
            ]
        )
    return found


def exact(wins: int, losses: int) -> float:
    both = wins + losses
    tail = sum(comb(both, k) for k in range(min(wins, losses) + 1)) / 2**both
    return min(1.0, 2 * tail)


def mid(wins: int, losses: int) -> float:
    both = wins + losses
    if not both:
        return 1.0
    at = comb(both, wins) / 2**both
    return 1 - at / 2 if wins == losses else exact(wins, losses) - at


def evidence(wins: int, losses: int) -> float:
    return beta_of(wins + 0.5, losses + 0.5) / beta_of(0.5, 0.5) * 2 ** (wins + losses)


def adjusted(values: Sequence[float]) -> list[float]:
    order, found, highest = sorted(range(len(values)), key=values.__getitem__), [0.0] * len(values), 0.0
    for rank, place in enumerate(order):
        highest = max(highest, min(1.0, (len(values) - rank) * values[place]))
        found[place] = highest
    return found


def pairs_table(rows: Sequence[EvaluatedRow], sentences: Sequence[str]) -> list[list[str]]:
    arms = [arm for arm in rows[0].arms if arm != AGAINST]
    both = [[row for row in rows if row.arms[arm].label and row.arms[AGAINST].label] for arm in arms]
    counts = [
        tuple(
            sum(is_right(row, one) and not is_right(row, other) for row in part)
            for one, other in ((arm, AGAINST), (AGAINST, arm))
        )
        for arm, part in zip(arms, both, strict=True)
    ]
    holm = adjusted([exact(*each) for each in counts])
    found = list[list[str]]()
    for arm, part, (wins, losses), p_holm, sentence in zip(arms, both, counts, holm, sentences, strict=True):
        more = sum(is_right(row, arm) for row in rows) - sum(is_right(row, AGAINST) for row in rows)
        low, high = statistics.difference_interval(*([is_right(row, each) for row in part] for each in (arm, AGAINST)))
        dollars, seconds = (
            (spent(rows, arm, what) - spent(rows, AGAINST, what)) / more if more > 0 else None
            for what in ("cost_usd", "seconds")
        )
        no_worse = statistics.non_inferiority_p(Discordance(wins, losses, len(part)), MARGIN)
        found.append(
            [
                f"{arm} - {AGAINST}",
                *map(str, (len(part), wins, losses)),
                f"{100 * (wins - losses) / len(part):+.1f}",
                f"{100 * low:+.1f} to {100 * high:+.1f}",
                *(f"{each:.3g}" for each in (exact(wins, losses), mid(wins, losses), evidence(wins, losses))),
                *(f"{each:.3g}" for each in (p_holm, no_worse)),
                f"{100 * more / len(rows):+.1f}",
                "?" if dollars is None else f"{dollars:.4f}",
                "?" if seconds is None else f"{seconds:.1f}",
                sentence,
            ]
        )
    return found


def first_vote(row: EvaluatedRow) -> str | None:
    votes = Counter(seat.blind for seat in row.seats if seat.blind)
    return max(votes, key=votes.__getitem__) if votes else None


def agreement(row: EvaluatedRow) -> str:
    votes = Counter(seat.blind for seat in row.seats if seat.blind)
    if votes.total() < 2:
        return "too few"
    ranked = sorted(votes.values(), reverse=True)
    return "unanimous" if len(ranked) == 1 else "majority" if ranked[0] > ranked[1] else "split"


def state(label: str | None, gold: str) -> str:
    return "abstained" if label is None else "right" if label == gold else "wrong"


def moves(rows: Sequence[EvaluatedRow]) -> Counter[tuple[str, str]]:
    return Counter((state(first_vote(row), row.gold), state(row.arms["debate"].label, row.gold)) for row in rows)


def parts_table(rows: Sequence[EvaluatedRow], named: Callable[[EvaluatedRow], str]) -> list[list[str]]:
    found = list[list[str]]()
    for name in sorted({named(row) for row in rows}):
        part = [row for row in rows if named(row) == name]
        differing = [(is_right(row, "debate"), is_right(row, AGAINST)) for row in part]
        right = [str(sum(is_right(row, arm) for row in part)) for arm in part[0].arms]
        found.append(
            [name, str(len(part)), *right, str(differing.count((True, False))), str(differing.count((False, True)))]
        )
    return found


def seats_table(rows: Sequence[EvaluatedRow]) -> list[list[str]]:
    found = list[list[str]]()
    for number, tool in enumerate(TOOLS, start=1):
        given = [seat.blind == row.gold for row in rows for seat in row.seats if seat.tool == tool and seat.blind]
        right = f"{sum(given)} of {len(given)} ({per_cent(sum(given), len(given))})"
        found.append([f"Agent {number} ({tool})", right])
    return found


def differing_table(rows: Sequence[EvaluatedRow], one: str, other: str) -> list[list[str]]:
    return [
        [row.row_id, row.about, row.gold, *(row.arms[arm].label or "abstained" for arm in ("debate", AGAINST))]
        for row in rows
        if is_right(row, one) and not is_right(row, other)
    ]


def test_every_table_agrees_with_the_rows(tab: Tab, rows: list[EvaluatedRow], folder: Path) -> None:
    found = Evaluation.model_validate_json((folder / "evaluation.json").read_bytes())
    flow = moves(rows)
    expected = [
        arms_table(rows),
        pairs_table(rows, [pair.sentence for pair in found.pairs]),
        [[f"first round {one}", *(str(flow[one, two]) for two in STATES)] for one in STATES],
        parts_table(rows, agreement),
        parts_table(rows, lambda row: row.group),
        seats_table(rows),
        differing_table(rows, "debate", AGAINST),
        differing_table(rows, AGAINST, "debate"),
    ]
    assert [table[1:] for table in tab.value(TABLES)] == [table for table in expected if table]
    assert expected[6], "no row differs"


def test_every_sentence_agrees_with_the_rows(tab: Tab, rows: list[EvaluatedRow], folder: Path) -> None:
    found = Evaluation.model_validate_json((folder / "evaluation.json").read_bytes())
    votes = [(seat.blind, seat.label, row) for row in rows for seat in row.seats if seat.blind and seat.label]
    minority = [
        (label, row) for blind, label, row in votes if blind == row.gold and first_vote(row) not in {blind, None}
    ]
    any_right = sum(any(seat.blind == row.gold for seat in row.seats) for row in rows)
    right = sum(is_right(row, "debate") for row in rows)
    errors = [[seat.blind != row.gold for seat in row.seats] for row in rows if all(seat.blind for seat in row.seats)]
    decided = [row for row in rows if row.by_code is not None]
    by_code = [(row.by_code == row.gold, is_right(row, "debate")) for row in decided]
    abstained = {arm: sum(row.arms[arm].label is None for row in rows) for arm in rows[0].arms}
    errors_of_seats = list(zip(*errors, strict=True))
    conformed = sum(label == first_vote(row) for label, row in minority)
    votes_told = (
        f"Votes of seats: {sum(blind != row.gold == label for blind, label, row in votes)} fixed, "
        f"{sum(blind == row.gold != label for blind, label, row in votes)} broken, "
        f"{sum(blind == label for blind, label, _ in votes)} kept. Right votes of a minority that went over to a wrong "
        f"majority: {conformed} of {len(minority)}. At least one seat was right on {per_cent(any_right, len(rows))} of "
        f"the rows; gap to the debate: {per_cent(any_right - right, len(rows))}."
    )
    seats_told = (
        f"Effective votes: {3 / (1 + 2 * correlation(errors_of_seats)):.2f}. "
        f"Correlation of errors: {correlation(errors_of_seats):.2f}. "
        f"Krippendorff's alpha: {alpha([[seat.blind for seat in row.seats] for row in rows]):.2f}."
    )
    gate_told = (
        f"Code decides {len(decided)} rows, {sum(right for right, _ in by_code)} of them right. In front of debate it "
        f"saves {spent(decided, 'debate', 'calls')} calls; {by_code.count((True, False))} rows are right only then, "
        f"{by_code.count((False, True))} only without it."
    )
    expected = [
        found.sentence,
        *(f"{arm} abstained on {count} of {len(rows)} rows." for arm, count in abstained.items() if count),
        f"{len(rows)} of {len(rows)} planned",
        "none (80 % power, planned)",
        f"{100 * MARGIN:g} points",
        "calls",
        f"declared {found.plan.declared_at:%Y-%m-%d %H:%M} UTC; kept",
        found.plan.prompts_sha256[:16],
        found.plan.table_sha256[:16],
        next(folder.glob("rows.*")).name,
        votes_told,
        seats_told,
        gate_told,
        *(
            f"Only {one} has it right: {len(differing_table(rows, one, other))} rows."
            for one, other in (("debate", AGAINST), (AGAINST, "debate"))
        ),
        "Each answer leads to its run. Any other run, by the column run of the rows: sparring batch show project RUN",
    ]
    assert tab.value(PARAGRAPHS) == expected
    assert not any(character.isdigit() for character in tab.value(LEFT_OVER))


def test_every_chart_agrees_with_the_rows(tab: Tab, rows: list[EvaluatedRow]) -> None:
    (left, low), (right, high) = tab.value(AXIS)[0], tab.value(AXIS)[-1]
    table = {pair[0].split(" - ")[0]: pair for pair in pairs_table(rows, [""] * (len(rows[0].arms) - 1))}
    drawn = tab.value(FOREST)
    assert [arm for arm, *_ in drawn] == list(table)
    for arm, *places in drawn:
        bounds = table[arm][5].split(" to ")
        wanted = [float(bounds[0]), float(table[arm][4]), float(bounds[1])]
        shown = [low + (high - low) * (place - left) / (right - left) for place in places]
        assert shown == pytest.approx(wanted, abs=0.6)  # the ends of the axis are whole points
    flow = moves(rows)
    before = [(one, sum(flow[one, two] for two in STATES)) for one in STATES]
    after = [(two, sum(flow[one, two] for one in STATES)) for two in STATES]
    said = [f"first round {name}: {count}" for name, count in before if count]
    said += [f"debate {name}: {count}" for name, count in after if count]
    assert tab.value(DRAWN)[-len(said) :] == said


def test_an_answer_leads_to_its_run_and_the_page_fits_a_phone(browser: Chromium, folder: Path) -> None:
    with browser.tab(PHONE) as tab:
        tab.show((folder / "evaluation.html").as_uri())
        assert not tab.is_too_wide
        assert tab.refused == []
        links = tab.value("[...document.querySelectorAll('main td a')].map((each) => each.href)")
        assert len(links) > 1
        for link in links:
            tab.show(link)
            assert "Fact-check" in tab.value("document.querySelector('main').innerText")


def beta_of(a: float, b: float) -> float:
    return gamma(a) * gamma(b) / gamma(a + b)


def correlation(errors: Sequence[Sequence[bool]]) -> float:
    found = statistics.error_correlation(errors)
    assert found is not None
    return found


def alpha(labels: Sequence[Sequence[str | None]]) -> float:
    found = statistics.krippendorff_alpha(labels)
    assert found is not None
    return found
