"""What a page says before anybody has scrolled: what was asked, what came of it, what to do, and who has answered."""

from collections.abc import Mapping, Sequence

from sparring.reports.conclusion import Conclusion, inert, used
from sparring.reports.page.elements import NOTHING, Html, element, fragment
from sparring.reports.page.pictures import strip
from sparring.reports.page.prose import line
from sparring.schema.runs import Run
from sparring.text.tidying import one_line

_LONG = {"why": 260, "do": 200, "unless": 120, "doubt": 170, "question": 220}
"""Characters that are in sight; of more, the rest is there to be unfolded."""

_DOUBTS = 2


def first_screen(run: Run, ended: Conclusion) -> Html:
    """The conclusion of a finished run."""
    name, subject = ended.about
    told = element("div", _kicker(run, name), _question(subject), _verdict(ended), _reasons(ended), class_="decision")
    return element("section", told, _aside(run, ended), id="conclusion", aria_label="Conclusion")


def unfinished(run: Run) -> Html:
    """What stands there of a run that has not ended."""
    status = element("p", f"This run is {run.status}.", class_="headline doubtful")
    told = element("div", _kicker(run, "About"), _question(run.header.request.subject), status, class_="decision")
    return element("section", told, id="conclusion", aria_label="Where it stands")


def _kicker(run: Run, name: str) -> Html:
    return element("p", f"{run.header.kind.replace('-', ' ').capitalize()} · {name}", class_="kicker")


def _question(subject: str) -> Html:
    shown = one_line(subject, _LONG["question"])
    size = "long" if len(shown) > 90 else None
    title = element("h1", shown, class_=size)
    if len(shown) == len(subject.strip()):
        return title
    return fragment(title, element("details", element("summary", "All of it"), element("pre", subject, class_="plain")))


def _verdict(ended: Conclusion) -> Html:
    tone = "headline" if ended.is_plain else "headline doubtful"
    firm = (
        element("p", element("b", "Firmness: "), line(inert(ended.firmness)), class_="firmness")
        if ended.firmness
        else NOTHING
    )
    return element("div", element("p", ended.headline), firm, class_=tone)


def _reasons(ended: Conclusion) -> Html:
    rows = [
        _row("Why", ended.why, _LONG["why"]),
        *([_points(ended.points)] if ended.points else []),
        _row("Do", ended.recommendation, _LONG["do"]),
        _row("Unless", ended.unless, _LONG["unless"]),
        *_doubts(ended),
    ]
    return element("dl", rows, class_="reasons")


def _row(name: str, told: str, limit: int) -> Html:
    return fragment(element("dt", name), element("dd", _shortened(told, limit))) if told.strip() else NOTHING


def _shortened(told: str, limit: int) -> Html:
    """``told``; of a long one the beginning, and the rest to be unfolded."""
    if len(told) <= limit:
        return line(inert(" ".join(told.split())))
    cut = one_line(told, limit)
    return element("details", element("summary", cut), element("p", line(inert(" ".join(told.split())))), class_="more")


def _points(points: Sequence[str]) -> Html:
    items = [element("li", line(inert(point))) for point in points]
    return fragment(element("dt", "To do"), element("dd", _few(items, 5)))


def _few(items: Sequence[Html], most: int) -> Html:
    shown = element("ul", items[:most])
    if len(items) <= most:
        return shown
    rest = element("details", element("summary", f"… and {len(items) - most} more"), element("ul", items[most:]))
    return fragment(shown, rest)


def _doubts(ended: Conclusion) -> list[Html]:
    urgent = sorted(ended.doubts, key=lambda doubt: not doubt.startswith("["))
    items = [element("li", _shortened(doubt, _LONG["doubt"])) for doubt in urgent]
    return [fragment(element("dt", "Doubtful"), element("dd", _few(items, _DOUBTS), class_="doubts"))] if items else []


def _aside(run: Run, ended: Conclusion) -> Html:
    header = run.header
    checked = (
        _fact("Checked by code", strip(ended.citations), _missing(ended)) if any(ended.citations.values()) else NOTHING
    )
    voices = [element("li", _voice(each, header.families)) for each in ended.answered_by]
    notes = [element("li", _shortened(note, _LONG["doubt"])) for note in ended.notes]
    return element(
        "div",
        _fact("Answered by", element("ul", voices)) if voices else NOTHING,
        checked,
        _fact("Used", used(run)),
        _fact("Run", element("code", header.run_id), f", {header.created_at:%Y-%m-%d %H:%M} UTC"),
        _fact("Also to be known", _few(notes, 2)) if notes else NOTHING,
        class_="aside",
    )


def _fact(name: str, *told: Html | str) -> Html:
    return element("div", element("h2", name), element("div", *told), class_="fact")


def _missing(ended: Conclusion) -> Html:
    return (
        element("p", line(inert(f"not there: {', '.join(ended.missing)}")), class_="missing")
        if ended.missing
        else NOTHING
    )


def _voice(each: str, families: Mapping[str, str]) -> Html:
    named = f" {each} "
    known = [family for name, family in families.items() if f" {name} " in named and f" {family} " not in named]
    return fragment(each, element("small", f", family {known[0]}") if known else NOTHING)
