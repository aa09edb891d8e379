"""The page of an audit: one file that reads whole without JavaScript and shows figures of the audit alone."""

from sparring.evaluation.audit.report import HEAD, cells, other_figures
from sparring.evaluation.charts import Effect, forest
from sparring.reports.page.elements import NOTHING, Html, document, element, footer, grid, header, section, table_row
from sparring.schema.audit import JudgeAudit


def page_of_audit(audit: JudgeAudit) -> str:
    """Return the page."""
    places = [("conclusion", "Result"), ("probes", "Probes"), ("beside", "Accuracy and noise")]
    rows = [table_row(*cells(probe)) for probe in audit.probes]
    sentences = [element("li", f"{probe.name}: {probe.sentence}") for probe in audit.probes]
    figures = [element("li", figure) for figure in other_figures(audit)]
    main = element(
        "main",
        _first(audit),
        section("probes", "Probes", _forest(audit), grid("Probes", HEAD, rows), element("ul", *sentences)),
        section("beside", "Accuracy and noise", element("ul", *figures)),
        id="main",
    )
    return document(audit.sentence, header("audit", places), main, footer(f"{audit.use.answers:,} answers"))


def _first(audit: JudgeAudit) -> Html:
    notices = [element("li", f"It {failure}.") for failure in audit.failures]
    notices += [element("li", notice) for notice in audit.notices]
    tone = "headline doubtful" if audit.failures else "headline"
    return element(
        "section",
        element("div", element("h1", audit.sentence), class_=tone),
        element("ul", *notices) if notices else NOTHING,
        element("p", audit.paragraph),
        id="conclusion",
    )


def _forest(audit: JudgeAudit) -> Html:
    effects = [
        Effect(probe.name, probe.effect, probe.interval)
        for probe in audit.probes
        if probe.interval and probe.effect is not None
    ]
    return forest(effects, audit.plan.margin, left=160) if effects else NOTHING
