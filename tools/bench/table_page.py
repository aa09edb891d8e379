"""Cost of a page of many rows: to make, until first paint, to filter, to sort and to scroll through."""

import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median

from bench.figures import Figure, Figures, LeftOut, Scale, cpu_s
from sparring.reports.page.table import table_page
from support.browsers import find_browser
from support.chromium import Chromium, Tab
from support.judged_tables import long_table

_FEW = 100
_TIMED = """(() => {
  const began = performance.now();
  %s;
  document.body.offsetHeight;
  return performance.now() - began;
})()"""
_LOADED: Mapping[str, str] = {
    "something is seen": "performance.getEntriesByName('first-contentful-paint')[0]?.startTime",
    "the rows can be used": "performance.getEntriesByType('navigation')[0].loadEventEnd",
}
_BUTTON = "[...document.querySelectorAll('%s button')].find((each) => each.textContent.startsWith('%s')).click()"
_WORK: Mapping[str, str] = {  # in this order: what is filtered away is not scrolled through
    "to scroll anywhere": "scrollTo(0, document.documentElement.scrollHeight * Math.random()); draw()",
    "to sort": _BUTTON % ("[role=columnheader]", "Cost"),
    "to filter": _BUTTON % ("#facets", "wrong"),
}


def run(scale: Scale) -> Figures:
    """Each figure of the many rows beside that of a hundred."""
    many, times = scale.of((10_000, 9), smoke=(300, 1))
    few, table = long_table(_FEW), long_table(many)
    cost = [cpu_s(lambda each=each: table_page(each, "rows.jsonl"), times=1 + times // 4) for each in (few, table)]
    aside = f"{cost[1]:.2f} s of CPU for {many:,} rows, {cost[0]:.3f} s for {_FEW}"
    yield Figure("CPU to make a page, a row of many / of a hundred", cost[1] / cost[0] * _FEW / many, aside, "<= 1")
    if not find_browser():
        yield LeftOut("the page in a browser", "there is no chromium")
        return
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name, Chromium(Path(name)) as browser:
        pages = [Path(name) / f"{count}.html" for count in (_FEW, many)]
        for page, each in zip(pages, (few, table), strict=True):
            page.write_text(table_page(each, "rows.jsonl"), encoding="utf-8")
        yield from _seen(browser, pages, many, times)


def _seen(browser: Chromium, pages: list[Path], many: int, times: int) -> Figures:
    size = f"{pages[1].stat().st_size / 1e6:.1f} MB"
    for what, expression in _LOADED.items():
        took = [median(_loaded(browser, page, expression) for _ in range(times)) for page in pages]
        aside = f"{took[1]:.0f} ms for {many:,} rows ({size}), {took[0]:.0f} ms for {_FEW}"
        yield Figure(f"time until {what}, many rows / a hundred", took[1] / took[0], aside)
    with browser.tab() as one, browser.tab() as other:
        tabs = (one, other)
        for tab, page in zip(tabs, pages, strict=True):
            tab.show(page.as_uri())
            tab.value("document.getElementById('rows').scrollIntoView()")
        counts = [tab.value("document.querySelectorAll('*').length") for tab in tabs]
        yield Figure(
            "elements in the document, many rows / a hundred",
            counts[1] / counts[0],
            f"{counts[1]} and {counts[0]}",
            "<= 1.1",
        )
        for what, work in _WORK.items():
            took = [median(_took(tab, work, times)) for tab in tabs]
            # A clock of a tenth of a millisecond says nothing of less.
            aside = f"{took[1]:.1f} ms for {many:,} rows, {took[0]:.1f} ms for {_FEW}; a frame is 16.7 ms"
            yield Figure(f"time {what}, many rows / a hundred", took[1] / max(took[0], 0.1), aside)


def _loaded(browser: Chromium, page: Path, expression: str) -> float:
    with browser.tab() as tab:
        tab.show(page.as_uri())
        tab.until(expression)
        return tab.value(expression)


def _took(tab: Tab, work: str, times: int) -> Iterator[float]:
    for _ in range(times):
        yield tab.value(_TIMED % work)
