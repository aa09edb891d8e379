"""The page of a judged table: pictures of the results, then the rows."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from shlex import quote

from msgspec import Struct
from msgspec.structs import replace

from sparring.reports.page.elements import NOTHING, Html, element, fragment, grid
from sparring.reports.page.pictures import Figure, badge, parted, shown
from sparring.reports.page.rows import ListedRow, RowList, TableColumn, facts, page_of, page_subject, row_name
from sparring.reports.runs import number_of, spending_text
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
        f"{title}: {_label_counts(table)}",
        page_subject(table.kind, "table"),
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
    labels_of_rows = [{seat.seat: seat.blind for seat in row.seats if seat.blind} for row in rows]
    seats = list(dict.fromkeys(seat for labels in labels_of_rows for seat in labels))[:_MOST_SEATS]
    results: list[SeatAgreement] = []
    for one, other in combinations(seats, 2):
        pairs = [(labels[one], labels[other]) for labels in labels_of_rows if one in labels and other in labels]
        if pairs:
            results.append(_agreement_of((one, other), pairs))
    return tuple(results)


def _agreement_of(seats: tuple[str, str], pairs: Sequence[tuple[str, str]]) -> SeatAgreement:
    """Return the agreement of two seats from their labels of each common row."""
    rows = len(pairs)
    alike = sum(one == other for one, other in pairs)
    ones = Counter(one for one, _ in pairs)
    others = Counter(other for _, other in pairs)
    # Kappa is (observed - expected) / (1 - expected), here in counts: all shares are multiplied by rows².
    expected = sum(ones[label] * others[label] for label in ones)
    most = rows * rows
    kappa = (alike * rows - expected) / (most - expected) if most != expected else None
    return SeatAgreement(seats, alike, rows, kappa)


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
    counts = [0] * most
    for cost in costs:
        bin_ = int(most * (cost / highest))
        counts[min(bin_, most - 1)] += 1
    return counts


# -- How it is shown -------------------------------------------------------------------------------------------------


def _words(table: JudgedTable) -> dict[str, int]:
    """The verdicts in the order of the labels, then the rows without one."""
    counts = Counter(row.word or _NO_VERDICT for row in table.rows)
    return {word: counts[word] for word in (*table.labels, _NO_VERDICT) if counts[word]}


def _tones(table: JudgedTable) -> dict[str, str]:
    """Return a colour for each verdict, without a judgement of its worth; and one for none."""
    return dict(zip(table.labels, _TONES, strict=False)) | {_NO_VERDICT: "open"}


def _label_counts(table: JudgedTable) -> str:
    return ", ".join(f"{count:,} {word}" for word, count in _words(table).items())


def _first(table: JudgedTable, whole: str, gold: Confusion | None) -> Html:
    tones = _tones(table)
    segments: list[tuple[int, str]] = []
    badges: list[Html] = []
    for word, count in _words(table).items():
        segments.append((count, tones.get(word, "neither")))
        badges.append(badge(f"{count:,} {word}", tones.get(word, "")))
    left = element(
        "div",
        element("p", f"Table of {number_of(len(table.rows), 'row')}", class_="kicker"),
        element("h1", one_line(table.name, _TITLE_SHOWN)),
        _headline(table, gold),
        element("div", parted(segments, height=12), badges, class_="strip"),
        _links_to_rows(table),
    )
    spent_by_run = {row.key or row.row: row.spent for row in table.rows}  # rows that say the same share one
    used = spending_text(summed(spent_by_run.values()))
    unknown = f"That no verdict can be: {gold.unknown:,}" if gold and gold.unknown else ""
    aside = facts([("Used in total", used), ("Gold labels", unknown), ("All rows", whole)])
    return element("section", left, aside, id="conclusion")


def _headline(table: JudgedTable, gold: Confusion | None) -> Html:
    if gold is None or not gold.rows:
        is_doubtful = any(not row.word for row in table.rows)
        lines = [element("p", _label_counts(table))]
    else:
        is_doubtful = gold.without > 0
        right = f"{100 * gold.right / gold.rows:.1f} % right: {gold.right:,} of {gold.rows:,} rows"
        low, high = wilson(gold.right, gold.rows)
        firmness = f"95 % interval {100 * low:.1f} to {100 * high:.1f} %."
        if gold.without:
            firmness += f" Without a verdict, and so not right: {gold.without:,}."
        lines = [element("p", right), element("p", firmness, class_="firmness")]
    return element("div", *lines, class_="headline doubtful" if is_doubtful else "headline")


def _links_to_rows(table: JudgedTable) -> Html:
    """Return links to the most interesting rows, which filter them."""
    counts = Counter(mark for row in table.rows for mark in _marks(row, table.labels))
    marks = [mark for mark in _MARKS if mark in counts] + [mark for mark in counts if mark not in _MARKS]
    links: list[Html] = []
    for mark in marks:
        label = badge(f"{counts[mark]:,} {mark}", _MARKS.get(mark, ""))
        links.append(element("a", label, href=f"#Marks={mark.replace(' ', '+')}"))
    if not links:
        return NOTHING
    return element("dl", element("dt", "Look at"), element("dd", *links), class_="reasons looks")


def _figures(table: JudgedTable, gold: Confusion | None) -> Html:
    charts = [*_agreement(table)]
    if gold and gold.rows:
        charts.append(_confused(table, gold))
    charts += _costs(table.rows)
    return element("div", *map(shown, charts), class_="figures below") if charts else NOTHING


def _agreement(table: JudgedTable) -> Iterator[Figure]:
    """Yield the upper half of a matrix of all seats, the cells of which are the agreement of two seats."""
    pairs = {each.seats: each for each in agreements(table.rows)}
    if not pairs:
        return
    # In the order in which the pairs were made, so that each of them lies above the diagonal.
    order = dict.fromkeys(seat.seat for row in table.rows for seat in row.seats if seat.blind)
    seats = [seat for seat in order if any(seat in pair for pair in pairs)]
    tools = {seat.seat: seat.tool for row in table.rows for seat in row.seats if seat.tool}
    body: list[Html] = []
    for index, one in enumerate(seats[:-1]):
        tool = tools.get(one, "")
        head = element("th", f"{one} " if tool else one, element("small", tool) if tool else NOTHING, scope="row")
        cells = [element("td", "") for _ in range(index)]
        cells += [_agreement_cell(pairs.get((one, other))) for other in seats[index + 1 :]]
        body.append(element("tr", head, *cells))
    about = f"Share of the rows both judged on which they agree: {table.seats}."
    if any(pair.kappa is not None for pair in pairs.values()):
        about += " κ is Cohen's kappa: 0 is what chance would bring about, 1 is always the same."
    title = "How often the seats agree"
    yield Figure(title, grid(title, ("", *seats[1:]), body, class_="matrix"), about)


def _agreement_cell(pair: SeatAgreement | None) -> Html:
    if pair is None:
        return element("td", "–")  # they have no row in common
    share = element("b", f"{100 * pair.share:.0f} %")
    kappa = element("small", f"κ {pair.kappa:.2f}") if pair.kappa is not None else ""
    rows = element("small", f"of {pair.rows:,}")
    shade = min(4, int(5 * pair.share))
    return element("td", share, " ", kappa, " ", rows, class_=f"shade{shade}")


def _confused(table: JudgedTable, gold: Confusion) -> Figure:
    words = [*table.labels]
    if gold.without:
        words.append("")
    head = ("gold", *(word.replace("_", " ") or "no verdict" for word in words))
    body: list[Html] = []
    for truth in table.labels:
        whole = sum(gold.counts[truth, word] for word in words)
        cells: list[Html] = []
        for word in words:
            count = gold.counts[truth, word]
            share = element("small", f"{100 * count / whole:.0f} %") if whole else ""
            tone = "right" if truth == word else "wrong"
            cells.append(element("td", element("b", f"{count:,}"), " ", share, class_=tone if count else None))
        body.append(element("tr", element("th", truth.replace("_", " "), scope="row"), *cells))
    about = "A line for each gold label: how many of its rows got which verdict. The diagonal is right."
    title = "Against the gold labels"
    return Figure(title, grid(title, head, body, class_="matrix"), about)


def _costs(rows: Sequence[RowResult]) -> Iterator[Figure]:
    costs = priced(rows)
    bins = cost_bins(costs)
    if not bins:
        return
    most, width, step = max(bins), 100 / len(bins), costs[-1] / len(bins)
    bars: list[Html] = []
    for index, count in enumerate(bins):
        height = 100 * count / most
        bar = element(
            "rect",
            element("title", f"${index * step:.4f} to ${(index + 1) * step:.4f}: {number_of(count, 'row')}"),
            x=f"{index * width:.3f}%",
            y=f"{100 - height:.2f}%",
            width=f"{0.86 * width:.3f}%",
            height=f"{height:.2f}%",
            class_="fill accent",
        )
        bars.append(bar)
    median, dearest = costs[(len(costs) - 1) // 2], costs[-1]
    about = f"{len(costs):,} rows: half cost at most ${median:.4f}, the dearest ${dearest:.4f}."
    picture = element("svg", bars, class_="histogram", role="img", aria_label=about)
    axis = element(
        "p",
        element("span", "$0"),
        element("span", f"most in one bar: {number_of(most, 'row')}"),
        element("span", f"${dearest:.4f}"),
        class_="axis",
    )
    if len(rows) > len(costs):
        about += f" Of unknown cost: {len(rows) - len(costs):,}."
    yield Figure("What a row cost", fragment(picture, axis), about)


def _rows(table: JudgedTable, whole: str, gold: Confusion | None) -> RowList:
    columns = [TableColumn("Row", "number"), TableColumn("Name", "name"), TableColumn("Label", "badge", is_facet=True)]
    if gold:
        columns.append(TableColumn("Gold", "badge", is_facet=True))
    columns += [
        TableColumn("Claim", "line"),
        TableColumn("Firm", "share", may_be_empty=True),
        TableColumn("Marks", "badges", is_facet=True, may_be_empty=True),
        TableColumn("Cost", "money", may_be_empty=True),
    ]
    rows = [_row(row, table, has_gold=gold is not None) for row in table.rows]
    # Columns that few tables have a value for are left out of the others.
    filled = [
        index
        for index, column in enumerate(columns)
        if not column.may_be_empty or any(row.cells[index] not in (None, "", []) for row in rows)
    ]
    return RowList(
        [columns[index] for index in filled],
        [replace(row, cells=[row.cells[index] for index in filled]) for row in rows],
        whole,
        _tones(table) | _MARKS,
    )


def _row(row: RowResult, table: JudgedTable, *, has_gold: bool) -> ListedRow:
    cost = None if row.spent.unpriced_calls or not row.spent.calls else row.spent.cost_usd
    cells = [row.row, row_name(row), row.word or _NO_VERDICT]
    if has_gold:
        cells.append(row.gold or "")
    cells += [row.claim, row.firmness, list(_marks(row, table.labels)), cost]
    votes: list[str] = []
    for seat in row.seats:
        name = f"{seat.seat} ({seat.tool})" if seat.tool else seat.seat
        votes.append(f"{name}: {_vote_text(seat.blind, seat.label)}")
    more = [
        ("Claim", row.claim),
        ("Held against", row.truth),
        ("Problem", row.problem),
        ("Why", "\n".join(row.reasons)),
        ("How firm, of 1", "" if row.firmness is None else f"{row.firmness:.2f}"),
        ("Contested", "\n".join(row.doubted)),
        ("Statements", "\n".join(votes)),
        ("Used", spending_text(row.spent) if row.spent.calls else ""),
        ("Full record", f"sparring batch show {quote(table.ledger)} {row.key}" if row.key else ""),
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
