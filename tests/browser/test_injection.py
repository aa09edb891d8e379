"""Whatever somebody else has said stays text on a page: nothing of it runs, asks anybody, or moves what is ours.

The page's policy is put out of force, so that the page has to hold by how it is made.
"""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sparring.formats.views import page
from sparring.reports.page.table import table_page
from sparring.schema.runs import Run
from support.chromium import Chromium, Tab
from support.judged_tables import result, table
from support.pages import Site
from support.shown_runs import SHOWN
from support.stored_runs import said_by_all

pytestmark = pytest.mark.browser

_HOSTILE = Path(__file__).parents[1] / "hostile"
_PAGES = 3

ACTING = """
[...document.querySelectorAll('*')].flatMap((each) => [
  ...(/^(iframe|object|embed|base|form|img|link|video|audio|source|portal|template|math|animate|use|image)$/i
    .test(each.localName) ? [each.localName] : []),
  ...[...each.attributes]
    .filter(({ name, value }) => /^on|^style$|^src|^action|formaction|srcdoc|background|poster|data$/i.test(name)
      || (/href$/i.test(name) && !/^(https?:\\/\\/|#)/.test(value)))
    .map(({ name }) => `${each.localName} ${name}`),
])
"""
OURS = (
    "[document.scripts.length, document.styleSheets.length, document.querySelectorAll('main, header, footer').length]"
)

OPENED = """
new Promise((done) => {
  const look = () => (opened.textContent === 'n%d' ? done(true) : setTimeout(look, 1));
  location.hash = 'open=%d';
  look();
})
"""


@pytest.fixture
def tab(browser: Chromium) -> Iterator[Tab]:
    with browser.tab() as tab:
        tab.ask("Page.setBypassCSP", enabled=True)
        yield tab


@pytest.fixture
def sentinel() -> Iterator[Site]:
    with Site() as listening:
        yield listening


def texts(name: str) -> list[str]:
    found: dict[str, Any] = tomllib.loads((_HOSTILE / name).read_text(encoding="utf-8"))
    return found["texts"]


def shown(tab: Tab, file: Path, run: Run) -> None:
    """Show the page of ``run`` with all that is folded unfolded; nothing in it may act."""
    file.write_text(page(run), encoding="utf-8", errors="replace")
    tab.show(file.as_uri())
    tab.value("document.querySelectorAll('details').forEach((each) => { each.open = true })")
    assert tab.value(ACTING) == []
    assert tab.value(OURS) == [2, 1, 3]


@pytest.mark.parametrize("name", SHOWN)
def test_no_text_of_a_participant_runs_or_sends_a_request(tab: Tab, sentinel: Site, tmp_path: Path, name: str) -> None:
    file = tmp_path / "report.html"
    tricks = [said.replace("SENTINEL", sentinel.url) for said in (*texts("pages.toml"), *texts("injections.toml"))]
    for at in range(_PAGES):  # those that are alike stand beside each other in the file
        said = "\n\n".join(tricks[at::_PAGES])
        shown(tab, file, said_by_all(said, SHOWN[name]))
        assert (tab.alarms, sentinel.asked, set(tab.asked_for)) == ([], [], {file.as_uri()}), said


def test_no_row_of_a_table_runs_or_sends_a_request(tab: Tab, sentinel: Site, tmp_path: Path) -> None:
    file = tmp_path / "table.html"
    said = [text.replace("SENTINEL", sentinel.url) for text in texts("pages.toml")]
    rows = [result(number, "NEI", "NEI", claim=text, truth=text) for number, text in enumerate(said, start=1)]
    file.write_text(table_page(table(*rows, name=said[0]), said[0]), encoding="utf-8", errors="replace")
    tab.show(file.as_uri())
    for number in range(1, len(rows) + 1):
        assert tab.value(OPENED % (number, number))
    assert [each for each in tab.value(ACTING) if not each.endswith(" style")] == []  # which our script sets
    assert (tab.alarms, sentinel.asked) == ([], [])


def test_the_alarm_and_the_sentinel_are_awake(tab: Tab, sentinel: Site, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    awake = f"<script>alarm(1)</script><img src='{sentinel.url}/i'><b onclick=x></b></main>"
    file.write_text(page(SHOWN["debate"]).replace("</main>", awake), encoding="utf-8")
    tab.show(file.as_uri())
    assert tab.alarms
    assert "/i" in sentinel.asked
    assert tab.value(ACTING) == ["img", "img src", "b onclick"]
