"""The page of a judged table: pictures of the results, then the rows."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from shlex import quote

from msgspec import Struct
from msgspec.structs import replace

from sparring.reports.page.elements import NOTHING, Html, element, fragment, grid
from sparring.reports.page.pictures import Figure, badge, parted, shown
from sparring.reports.page.rows import ListedRow, RowList, TableColumn, facts, named, page_of, row_name
from sparring.reports.runs import counted, spending
from sparring.schema.pairs import JudgedTable, PairStatus, RowResult
from sparring.schema.runs import summed
from sparring.text.intervals import wilson
from sparring.text.tidying import one_line

_TITLE_SHOWN = 120
_NO_VERDICT = "no verdict"
_TONES = ("accent", "other", "neither")
_MARKS = {"wrong": "bad", "contested": "open", "disputed": ""}


def table_page(table: JudgedTable, whole: str) -> str:
    """The page of ``table``, all of whose rows are in the file ``whole``."""
    gold, title = confusion(table), one_line(table.name, _TITLE_SHOWN)
    return page_of(
        f"{title}: {_counted(table)}",
        named(table.kind, "table"),
        _first(table, whole, gold),
        _figures(table, gold),
        made_from=f"the results of {title}",
        rows=_rows(table, whole, gold),
    )


# -- Results of the rows --------------------------------------------------------------------------------------------


_MOST_SEATS = 8
"""As many as a fact-check has, and code; results from elsewhere may name any number."""


class SeatAgreement(Struct, frozen=True):
    """Agreement of two seats on the rows that both judged.

    Attributes:
        kappa: Cohen's: the share of the agreement beyond chance; None where each of them used only one label.
    """

    seats: tuple[str, str]
    alike: int
    rows: int
    kappa: float | None

    @property
    def share(self) -> float:
        """Share of the rows on which they agree."""
        return self.alike / self.rows


def agreements(rows: Sequence[RowResult]) -> tuple[SeatAgreement, ...]:
    """Return, for each two seats with common rows, their agreement before they saw other answers."""
    labels = [{seat.seat: seat.blind for seat in row.seats if seat.blind} for row in rows]
    names = list(dict.fromkeys(name for row in labels for name in row))[:_MOST_SEATS]
    pairs = (
        _agreement_of(pair, Counter((row[pair[0]], row[pair[1]]) for row in labels if row.keys() >= set(pair)))
        for pair in combinations(names, 2)
    )
    return tuple(each for each in pairs if each.rows)


def _agreement_of(seats: tuple[str, str], pairs: Counter[tuple[str, str]]) -> SeatAgreement:
    rows, alike = pairs.total(), sum(count for (one, other), count in pairs.items() if one == other)
    ones, others = Counter[str](), Counter[str]()
    for (one, other), count in pairs.items():
        ones[one] += count
        others[other] += count
    by_chance = sum(ones[label] * others[label] for label in ones)
    open_ = rows * rows - by_chance
    return SeatAgreement(seats, alike, rows, (alike * rows - by_chance) / open_ if open_ else None)


class Confusion(Struct, frozen=True):
    """Counts of rows by gold label and verdict.

    Attributes:
        counts: By gold label and verdict, which is empty for rows without one.
        unknown: Rows whose gold label is no possible verdict.
    """

    counts: Counter[tuple[str, str]]
    unknown: int

    @property
    def rows(self) -> int:
        """All of them: one without a verdict is not right."""
        return self.counts.total()

    @property
    def without(self) -> int:
        """Those without a verdict."""
        return sum(count for (_, word), count in self.counts.items() if not word)

    @property
    def right(self) -> int:
        """Rows whose verdict is the gold label."""
        return sum(count for (gold, word), count in self.counts.items() if gold == word)


def confusion(table: JudgedTable) -> Confusion | None:
    """Count rows by gold label and verdict; None if no row has a gold label that a verdict can be."""
    with_gold = [row for row in table.rows if row.gold]
    known = [row for row in with_gold if row.gold in table.labels]
    if not known:
        return None
    counts = Counter((row.gold or "", row.word) for row in known)
    return Confusion(counts, len(with_gold) - len(known))


def priced(rows: Sequence[RowResult]) -> list[float]:
    """Return the costs of the rows whose calls all have a price, the lowest first."""
    return sorted(row.spent.cost_usd for row in rows if row.spent.calls and not row.spent.unpriced_calls)


def cost_bins(costs: Sequence[float], most: int = 24) -> list[int]:
    """Count the costs in bins of equal width; the highest are in the last one. Empty where all are free."""
    highest = max(costs, default=0.0)
    if not highest:
        return []
    counts = Counter(min(most - 1, int(most * (cost / highest))) for cost in costs)
    return [counts[place] for place in range(most)]


# -- How it is shown -------------------------------------------------------------------------------------------------


def _words(table: JudgedTable) -> dict[str, int]:
    """The verdicts in the order of the labels, then the rows without one."""
    counts = Counter(row.word or _NO_VERDICT for row in table.rows)
    return {word: counts[word] for word in (*table.labels, _NO_VERDICT) if counts[word]}


def _tones(table: JudgedTable) -> dict[str, str]:
    """Return a colour for each verdict, without a judgement of its worth; and one for none."""
    return dict(zip(table.labels, _TONES, strict=False)) | {_NO_VERDICT: "open"}


def _counted(table: JudgedTable) -> str:
    return ", ".join(f"{count:,} {word}" for word, count in _words(table).items())


def _first(table: JudgedTable, whole: str, gold: Confusion | None) -> Html:
    words, tones = _words(table), _tones(table)
    left = element(
        "div",
        element("p", f"Table of {counted(len(table.rows), 'row')}", class_="kicker"),
        element("h1", one_line(table.name, _TITLE_SHOWN)),
        _headline(table, gold),
        element(
            "div",
            parted([(count, tones.get(word, "neither")) for word, count in words.items()], height=12),
            [badge(f"{words[word]:,} {word}", tones.get(word, "")) for word in words],
            class_="strip",
        ),
        _looks(table),
    )
    runs = {row.key or row.row: row.spent for row in table.rows}  # rows that say the same share one
    used = spending(summed(runs.values()))
    unknown = f"That no verdict can be: {gold.unknown:,}" if gold and gold.unknown else ""
    aside = facts([("Used in total", used), ("Gold labels", unknown), ("All rows", whole)])
    return element("section", left, aside, id="conclusion")


def _headline(table: JudgedTable, gold: Confusion | None) -> Html:
    if gold is None or not gold.rows:
        doubtful = any(not row.word for row in table.rows)
        return element("div", element("p", _counted(table)), class_="headline doubtful" if doubtful else "headline")
    low, high = (100 * bound for bound in wilson(gold.right, gold.rows))
    without = f" Without a verdict, and so not right: {gold.without:,}." if gold.without else ""
    right = f"{100 * gold.right / gold.rows:.1f} % right: {gold.right:,} of {gold.rows:,} rows"
    firm = element("p", f"95 % interval {low:.1f} to {high:.1f} %.{without}", class_="firmness")
    return element("div", element("p", right), firm, class_="headline doubtful" if gold.without else "headline")


def _looks(table: JudgedTable) -> Html:
    """Return links to the most interesting rows, which filter them."""
    counts = Counter(mark for row in table.rows for mark in _marks(row, table.labels))
    links = [_look(mark, counts[mark]) for mark in sorted(counts, key=[*_MARKS, *counts].index)]
    listing = element("dl", element("dt", "Look at"), element("dd", *links), class_="reasons looks")
    return listing if links else NOTHING


def _look(mark: str, count: int) -> Html:
    return element("a", badge(f"{count:,} {mark}", _MARKS.get(mark, "")), href=f"#Marks={mark.replace(' ', '+')}")


def _figures(table: JudgedTable, gold: Confusion | None) -> Html:
    charts = [*_agreement(table), *([_confused(table, gold)] if gold and gold.rows else []), *_costs(table.rows)]
    return element("div", *map(shown, charts), class_="figures below") if charts else NOTHING


def _agreement(table: JudgedTable) -> Iterator[Figure]:
    pairs = {each.seats: each for each in agreements(table.rows)}
    if not pairs:
        return
    seats = list(dict.fromkeys(seat for pair in pairs for seat in pair))
    called = {seat.seat: seat.tool for row in table.rows for seat in row.seats if seat.tool}
    body = [
        element(
            "tr",
            element("th", _seat(one, called.get(one)), scope="row"),
            *(_met(pairs.get((one, other)), other in seats[: place + 1]) for other in seats[1:]),
        )
        for place, one in enumerate(seats[:-1])
    ]
    about = f"Of the rows that both said something of, how many they said the same of: {table.seats}."
    if any(each.kappa is not None for each in pairs.values()):
        about += " κ is Cohen's kappa: 0 is what chance would bring about, 1 is always the same."
    title = "How often the seats agree"
    yield Figure(title, grid(title, ("", *seats[1:]), body, class_="matrix"), about)


def _seat(name: str, tool: str | None) -> Html:
    return fragment(f"{name} ", element("small", tool)) if tool else fragment(name)


def _met(pair: SeatAgreement | None, is_below: bool) -> Html:  # noqa: FBT001
    if pair is None:
        return element("td", "" if is_below else "–")
    kappa = element("small", f"κ {pair.kappa:.2f}") if pair.kappa is not None else ""
    share, rows = element("b", f"{100 * pair.share:.0f} %"), element("small", f"of {pair.rows:,}")
    return element("td", share, " ", kappa, " ", rows, class_=_shade(pair.share))


def _shade(share: float) -> str:
    return f"shade{min(4, int(5 * share))}"


def _confused(table: JudgedTable, gold: Confusion) -> Figure:
    words = (*table.labels, *([""] if gold.without else []))
    head = ("gold", *(word.replace("_", " ") or "no verdict" for word in words))
    body = list[Html]()
    for truth in table.labels:
        whole = sum(gold.counts[truth, word] for word in words)
        cells = [_count(gold.counts[truth, word], whole, is_right=truth == word) for word in words]
        body.append(element("tr", element("th", truth.replace("_", " "), scope="row"), *cells))
    about = "A line for each gold label: how many of its rows got which verdict. The diagonal is right."
    title = "Against the gold labels"
    return Figure(title, grid(title, head, body, class_="matrix"), about)


def _count(count: int, whole: int, *, is_right: bool) -> Html:
    tone = ("right" if is_right else "wrong") if count else ""
    share = element("small", f"{100 * count / whole:.0f} %") if whole else ""
    return element("td", element("b", f"{count:,}"), " ", share, class_=tone or None)


def _costs(rows: Sequence[RowResult]) -> Iterator[Figure]:
    costs = priced(rows)
    bins = cost_bins(costs)
    if not bins:
        return
    most, width, step = max(bins), 100 / len(bins), costs[-1] / len(bins)
    bars = [
        element(
            "rect",
            element("title", f"${place * step:.4f} to ${(place + 1) * step:.4f}: {counted(count, 'row')}"),
            x=f"{place * width:.3f}%",
            y=f"{100 - 100 * count / most:.2f}%",
            width=f"{0.86 * width:.3f}%",
            height=f"{100 * count / most:.2f}%",
            class_="fill accent",
        )
        for place, count in enumerate(bins)
    ]
    label = f"{len(costs):,} rows: half cost at most ${costs[(len(costs) - 1) // 2]:.4f}, the dearest ${costs[-1]:.4f}."
    picture = element("svg", bars, class_="histogram", role="img", aria_label=label)
    axis = element(
        "p",
        element("span", "$0"),
        element("span", f"most in one bar: {counted(most, 'row')}"),
        element("span", f"${costs[-1]:.4f}"),
        class_="axis",
    )
    without = len(rows) - len(costs)
    about = label + (f" Of unknown cost: {without:,}." if without else "")
    yield Figure("What a row cost", fragment(picture, axis), about)


def _rows(table: JudgedTable, whole: str, gold: Confusion | None) -> RowList:
    columns = [TableColumn("Row", "number"), TableColumn("Name", "name"), TableColumn("Label", "badge", is_facet=True)]
    columns += [TableColumn("Gold", "badge", is_facet=True)] if gold else []
    columns += [
        TableColumn("Claim", "line"),
        TableColumn("Firm", "share", may_be_empty=True),
        TableColumn("Marks", "badges", is_facet=True, may_be_empty=True),
        TableColumn("Cost", "money", may_be_empty=True),
    ]
    rows = [_row(row, table, has_gold=gold is not None) for row in table.rows]
    shown_places = [place for place, column in enumerate(columns) if not column.may_be_empty or _has_value(rows, place)]
    return RowList(
        [columns[place] for place in shown_places],
        [replace(row, cells=[row.cells[place] for place in shown_places]) for row in rows],
        whole,
        _tones(table) | _MARKS,
    )


def _has_value(rows: Sequence[ListedRow], place: int) -> bool:
    return any(row.cells[place] not in (None, "", []) for row in rows)


def _row(row: RowResult, table: JudgedTable, *, has_gold: bool) -> ListedRow:
    cost = None if row.spent.unpriced_calls or not row.spent.calls else row.spent.cost_usd
    cells = [row.row, row_name(row), row.word or _NO_VERDICT, *([row.gold or ""] if has_gold else [])]
    cells += [row.claim, row.firmness, list(_marks(row, table.labels)), cost]
    statements = "\n".join(
        f"{seat.seat}{f' ({seat.tool})' if seat.tool else ''}: {_vote_text(seat.blind, seat.label)}"
        for seat in row.seats
    )
    more = [
        ("Claim", row.claim),
        ("Held against", row.truth),
        ("Problem", row.problem),
        ("Why", "\n".join(row.reasons)),
        ("How firm, of 1", "" if row.firmness is None else f"{row.firmness:.2f}"),
        ("Contested", "\n".join(row.doubted)),
        ("Who said what", statements),
        ("Used", spending(row.spent) if row.spent.calls else ""),
        ("See it whole", f"sparring batch show {quote(table.ledger)} {row.key}" if row.key else ""),
    ]
    return ListedRow(cells, more)


def _marks(row: RowResult, labels: Sequence[str]) -> Iterator[str]:
    if row.word and row.gold in labels and row.word != row.gold:
        yield "wrong"
    if row.doubted:
        yield "contested"
    if row.is_disputed:
        yield "disputed"
    if row.status is not PairStatus.JUDGED:
        yield row.status.replace("_", " ")


def _vote_text(blind: str | None, label: str | None) -> str:
    first, last = blind or "nothing", label or "nothing"
    return first if first == last else f"{first}, in the end {last}"
