"""The page of a comparison: of two judged tables, or of two runs."""

from collections.abc import Sequence

from sparring.reports import comparison
from sparring.reports.page.elements import NOTHING, Html, element, grid
from sparring.reports.page.pictures import badge
from sparring.reports.page.rows import ListedRow, RowList, TableColumn, facts, page_of, page_subject, row_name
from sparring.reports.runs import number_of
from sparring.text.tidying import one_line

_TITLE_SHOWN = 160
_PARTS = (("conclusion", "Conclusion"), ("speeches", "Speeches"))
_MOST = 200
"""Differences of one kind that a page shows; more are a sign that nothing is alike."""

_TONES = {
    comparison.RowChange.FIXED: "good",
    comparison.RowChange.BROKEN: "bad",
    comparison.RowChange.CHANGED: "accent",
    comparison.RowChange.UNDECIDED: "open",
}


def tables_page(result: comparison.TableComparison) -> str:
    """Return the page of two compared tables, with the change of each row."""
    before, after = result.names
    links: list[Html] = []
    for change, count in result.counts.items():
        label = badge(f"{count:,} {change}", _TONES.get(change, ""))
        links.append(element("a", label, href=f"#Change={change.replace(' ', '+')}"))
    left = element(
        "div",
        element("p", f"{number_of(len(result.rows), 'row')} that both tables have", class_="kicker"),
        element("h1", one_line(f"{before} → {after}", _TITLE_SHOWN), class_="long"),
        element("div", element("p", result.sentence), class_="headline" if result.is_better else "headline doubtful"),
        element("p", *links, class_="strip looks"),
    )
    about = [("Before", before), ("After", after)]
    for name, count in zip(result.names, result.only, strict=True):
        if count:
            about.append((f"In {name} alone", number_of(count, "row")))
    if result.p_value is not None:
        about.append(("Test", "Exact McNemar test, two-sided, on the rows that were fixed or broken."))
    about.append(("Notice", " ".join(result.notices)))
    first = element("section", left, facts(about), id="conclusion")
    return page_of(
        result.sentence, page_subject(result.kind, "two tables"), first, made_from="their results", rows=_rows(result)
    )


def _rows(result: comparison.TableComparison) -> RowList:
    has_gold = result.p_value is not None
    columns = [
        TableColumn("Row", "number"),
        TableColumn("Name", "name"),
        TableColumn("Change", "badge", is_facet=True),
        TableColumn("Before", "badge", is_facet=True),
        TableColumn("After", "badge", is_facet=True),
    ]
    if has_gold:
        columns.append(TableColumn("Gold", "badge", is_facet=True))
    order = list(comparison.RowChange)
    rows = sorted(result.rows, key=lambda row: order.index(row.change))
    whole = "what `sparring view --diff --json` prints"
    return RowList(columns, [_row(row, has_gold=has_gold) for row in rows], whole, {**_TONES})


def _row(row: comparison.ComparedRow, *, has_gold: bool) -> ListedRow:
    """Return a row; its cells are in the order of the columns."""
    cells = [row.row, row_name(row), row.change, row.before or "no verdict", row.after or "no verdict"]
    if has_gold:
        cells.append(row.gold or "")
    more: list[tuple[str, str]] = []
    for when, key in zip(("before", "after"), row.keys, strict=True):
        if key:
            more.append((f"Full record, {when}", f"sparring batch show project {key}"))
    return ListedRow(cells, more)


def runs_page(result: comparison.RunComparison) -> str:
    """Return the page of two compared runs, with their differences part by part."""
    before, after = result.ids
    subject = one_line(result.subjects[0], _TITLE_SHOWN)
    other = one_line(result.subjects[1], _TITLE_SHOWN)
    left = element(
        "div",
        element("p", f"Two runs: {before} → {after}", class_="kicker"),
        element("h1", subject if subject == other else f"{subject} → {other}", class_="long"),
        element("div", element("p", result.sentence), class_="headline"),
    )
    changed = (*result.seats, *result.spent)
    aside = facts([(difference.name, f"{difference.before} → {difference.after}") for difference in changed])
    return page_of(
        result.sentence,
        page_subject(result.kind, "two runs"),
        element("section", left, aside, id="conclusion"),
        *(_differences(title, differences) for title, differences in result.parts.items()),
        _speeches(result.speeches),
        made_from="their journals",
        places=_PARTS,
    )


def _differences(title: str, differences: Sequence[comparison.Difference]) -> Html:
    if not differences:
        return NOTHING
    body = [
        element(
            "tr",
            element("th", difference.name, scope="row"),
            element("td", difference.before or "–"),
            element("td", difference.after or "–"),
        )
        for difference in differences[:_MOST]
    ]
    table = grid(title, ("What", "Before", "After"), body, class_="differences")
    more = NOTHING
    if len(differences) > _MOST:
        more = element("p", element("small", f"and {len(differences) - _MOST:,} more; --json has all"))
    return element("section", element("h2", title, class_="part"), table, more)


def _speeches(compared: Sequence[comparison.ComparedSpeech]) -> Html:
    cards = [_speech(speech) for speech in compared]
    return element("section", element("h2", "Speeches", class_="part"), *cards, id="speeches")


def _speech(speech: comparison.ComparedSpeech) -> Html:
    tone, sides = "open", {"Before": speech.before, "After": speech.after}
    if speech.change is comparison.SpeechChange.SAME:
        tone, sides = "", {"Both": speech.after}
    elif speech.change is comparison.SpeechChange.CHANGED:
        tone = "accent"
    summary = element("summary", element("h3", speech.place), badge(speech.change, tone))
    columns = [
        element("div", element("h4", name), element("p", text or "–", class_="plain")) for name, text in sides.items()
    ]
    inside = element("div", element("div", *columns, class_="sides"), class_="inside")
    return element("details", summary, inside, class_="card", open=speech.change is comparison.SpeechChange.CHANGED)
