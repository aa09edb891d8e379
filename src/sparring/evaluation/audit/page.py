"""The page of an audit: one file that reads whole without JavaScript and shows figures of the audit alone."""

from collections.abc import Callable

from sparring.evaluation.audit.report import HEAD, cells, other_figures
from sparring.reports.page.elements import NOTHING, Html, document, element, footer, grid, header
from sparring.schema.audit import JudgeAudit, MeasuredProbe

_HEIGHT, _WIDTH, _LEFT = 28, 760, 160


def page_of_audit(audit: JudgeAudit) -> str:
    """Return the page."""
    places = [("conclusion", "Result"), ("probes", "Probes"), ("beside", "Accuracy and noise")]
    rows = [_row(*cells(each)) for each in audit.probes]
    sentences = element("ul", *(element("li", f"{each.name}: {each.sentence}") for each in audit.probes))
    main = element(
        "main",
        _first(audit),
        _section("probes", "Probes", _forest(audit), grid("Probes", HEAD, rows), sentences),
        _section(
            "beside", "Accuracy and noise", element("ul", *(element("li", each) for each in other_figures(audit)))
        ),
        id="main",
    )
    return document(audit.sentence, header("audit", places), main, footer(f"{audit.use.answers:,} answers"))


def _section(anchor: str, title: str, *body: Html) -> Html:
    return element("section", element("h2", title), *body, id=anchor)


def _row(*shown: str) -> Html:
    return element("tr", element("th", shown[0], scope="row"), *(element("td", cell) for cell in shown[1:]))


def _first(audit: JudgeAudit) -> Html:
    notices = [element("li", f"It {why}.") for why in audit.failures] + [element("li", each) for each in audit.notices]
    return element(
        "section",
        element("div", element("h1", audit.sentence), class_="headline doubtful" if audit.failures else "headline"),
        element("ul", *notices) if notices else NOTHING,
        element("p", audit.paragraph),
        id="conclusion",
    )


def _forest(audit: JudgeAudit) -> Html:
    """Draw the effect of each probe with its interval, and the margin as a band."""
    shown = [each for each in audit.probes if each.interval and each.effect is not None]
    if not shown:
        return NOTHING
    margin = audit.plan.margin
    reach = max([2 * margin, *(abs(bound) for each in shown for bound in each.interval or ())])
    span, height = _WIDTH - _LEFT - 10, _HEIGHT * (len(shown) + 1)

    def at(value: float) -> str:
        return f"{_LEFT + span * (value + reach) / (2 * reach):.1f}"

    band = element(
        "rect",
        element("title", f"Margin: {100 * margin:g} points either way"),
        x=at(-margin),
        y="0",
        width=f"{span * margin / reach:.1f}",
        height=str(height),
        class_="fill neither",
        opacity="0.25",
    )
    lines = [_interval(each, at, _HEIGHT * place + _HEIGHT / 2) for place, each in enumerate(shown)]
    axis = [
        element("text", f"{100 * each:+.0f}", x=at(each), y=str(height - 6), text_anchor="middle", fill="currentColor")
        for each in (-reach, 0.0, reach)
    ]
    label = "; ".join(f"{each.name}: {100 * (each.effect or 0):+.1f} points" for each in shown)
    return element(
        "svg",
        band,
        _line(at(0), at(0), 0, height),
        *lines,
        *axis,
        viewBox=f"0 0 {_WIDTH} {height}",
        width="100%",
        role="img",
        aria_label=label,
    )


def _line(x1: str, x2: str, y1: float, y2: float) -> Html:
    return element("line", x1=x1, x2=x2, y1=f"{y1:.1f}", y2=f"{y2:.1f}", stroke="currentColor")


def _interval(each: MeasuredProbe, at: Callable[[float], str], y: float) -> Html:
    low, high = each.interval or (0.0, 0.0)
    name = element("text", each.name, x="0", y=f"{y + 4:.1f}", fill="currentColor")
    point = element("circle", cx=at(each.effect or 0.0), cy=f"{y:.1f}", r="4", class_="fill accent")
    return element("g", name, _line(at(low), at(high), y, y), point)
