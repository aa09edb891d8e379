"""The page of a comparison: of two judged tables, or of two runs."""

from collections.abc import Sequence

from sparring.reports import comparison
from sparring.reports.page.elements import NOTHING, Html, element, grid
from sparring.reports.page.pictures import badge
from sparring.reports.page.rows import ListedRow, RowList, TableColumn, facts, named, page_of, row_name
from sparring.reports.runs import counted
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
    tags = [
        element("a", badge(f"{count:,} {change}", _TONES.get(change, "")), href=f"#Change={change.replace(' ', '+')}")
        for change, count in result.counts.items()
    ]
    left = element(
        "div",
        element("p", f"{counted(len(result.rows), 'row')} that both tables have", class_="kicker"),
        element("h1", one_line(f"{before} → {after}", _TITLE_SHOWN), class_="long"),
        element("div", element("p", result.says), class_="headline" if result.is_better else "headline doubtful"),
        element("p", *tags, class_="strip looks"),
    )
    only = [
        (f"In {name} alone", counted(count, "row"))
        for name, count in zip(result.names, result.only, strict=True)
        if count
    ]
    test = "Exact McNemar test, two-sided, on the rows that were fixed or broken." if result.p_value is not None else ""
    aside = facts([("Before", before), ("After", after), *only, ("Test", test), ("Notice", " ".join(result.notices))])
    first = element("section", left, aside, id="conclusion")
    return page_of(result.says, named(result.kind, "two tables"), first, made_from="their results", rows=_rows(result))


def _rows(result: comparison.TableComparison) -> RowList:
    has_gold = result.p_value is not None
    columns = [TableColumn("Row", "number"), TableColumn("Name", "name"), TableColumn("Change", "badge", is_facet=True)]
    columns += [TableColumn("Before", "badge", is_facet=True), TableColumn("After", "badge", is_facet=True)]
    columns += [TableColumn("Gold", "badge", is_facet=True)] if has_gold else []
    order = list(comparison.RowChange)
    shown = [
        ListedRow(
            [
                row.row,
                row_name(row),
                row.change,
                row.before or "no verdict",
                row.after or "no verdict",
                *([row.gold or ""] if has_gold else []),
            ],
            [
                *(
                    (f"See it whole, {when}", f"sparring batch show project {key}")
                    for when, key in zip(("before", "after"), row.keys, strict=True)
                    if key
                ),
            ],
        )
        for row in sorted(result.rows, key=lambda row: order.index(row.change))
    ]
    whole = "what `sparring view --diff --json` prints"
    return RowList(columns, shown, whole, {**_TONES})


def runs_page(result: comparison.RunComparison) -> str:
    """Return the page of two compared runs, with their differences part by part."""
    before, after = result.ids
    subject = one_line(result.subjects[0], _TITLE_SHOWN)
    other = one_line(result.subjects[1], _TITLE_SHOWN)
    left = element(
        "div",
        element("p", f"Two runs: {before} → {after}", class_="kicker"),
        element("h1", subject if subject == other else f"{subject} → {other}", class_="long"),
        element("div", element("p", result.says), class_="headline"),
    )
    aside = facts([(each.what, f"{each.before} → {each.after}") for each in (*result.seats, *result.spent)])
    parts = (_differences(title, differences) for title, differences in result.parts.items())
    first, speeches = element("section", left, aside, id="conclusion"), _speeches(result.speeches)
    about = named(result.kind, "two runs")
    return page_of(result.says, about, first, *parts, speeches, made_from="their journals", places=_PARTS)


def _differences(title: str, differences: Sequence[comparison.Difference]) -> Html:
    if not differences:
        return NOTHING
    body = [
        element(
            "tr",
            element("th", each.what, scope="row"),
            element("td", each.before or "–"),
            element("td", each.after or "–"),
        )
        for each in differences[:_MOST]
    ]
    table = grid(title, ("What", "Before", "After"), body, class_="differences")
    more = (
        element("p", element("small", f"and {len(differences) - _MOST:,} more; --json has all"))
        if len(differences) > _MOST
        else NOTHING
    )
    return element("section", element("h2", title, class_="part"), table, more)


def _speeches(compared: Sequence[comparison.ComparedSpeech]) -> Html:
    cards = [_speech(each) for each in compared]
    return element("section", element("h2", "Speeches", class_="part"), *cards, id="speeches")


def _speech(each: comparison.ComparedSpeech) -> Html:
    tone = {comparison.SpeechChange.SAME: "", comparison.SpeechChange.CHANGED: "accent"}.get(each.change, "open")
    summary = element("summary", element("h3", each.place), badge(each.change, tone))
    sides = (
        [("Before", each.before), ("After", each.after)]
        if each.change is not comparison.SpeechChange.SAME
        else [("Both", each.after)]
    )
    shown = [element("div", element("h4", name), element("p", text or "–", class_="plain")) for name, text in sides]
    inside = element("div", element("div", *shown, class_="sides"), class_="inside")
    return element("details", summary, inside, class_="card", open=each.change is comparison.SpeechChange.CHANGED)
