"""Ten thousand judged rows in a real browser: a few of them in the document, and every one within reach."""

import io
from collections.abc import Iterator

import pytest
from pypdf import PdfReader

from sparring.reports.page.table import table_page
from support.chromium import PHONE, Chromium, Tab
from support.judged_tables import long_table

pytestmark = pytest.mark.browser

MANY = 10_000
COUNT = "document.getElementById('count').textContent"
ROWS = "[...document.querySelectorAll('.body [role=row]')]"
NAMES = "[...document.querySelectorAll('.body button')].map((each) => each.textContent)"
FOCUSED = "document.activeElement.textContent"
CHOICE = "[...document.querySelectorAll('#facets button')].find((each) => each.textContent.startsWith('%s')).click()"
COLUMN = (
    "[...document.querySelectorAll('[role=columnheader] button')].find((each) => each.textContent === '%s').click()"
)
OPENED = "[document.querySelector('dialog').open, opened.textContent]"
COSTS = "[...document.querySelectorAll('.body .c-money')].map((each) => Number(each.textContent.slice(1)))"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("tables") / "many.html"
    file.write_text(table_page(long_table(MANY), "all.jsonl"), encoding="utf-8")
    return file.as_uri()


@pytest.fixture
def tab(browser: Chromium, page: str) -> Iterator[Tab]:
    with browser.tab() as tab:
        tab.show(page)
        tab.value("document.getElementById('rows').scrollIntoView()")
        yield tab
        assert (tab.refused, len(tab.asked_for)) == ([], 1)


def test_only_visible_rows_are_in_the_document_at_any_scroll_position(tab: Tab) -> None:
    for share in (0.0, 0.5, 1.0):
        tab.value(f"scrollTo(0, {share} * document.documentElement.scrollHeight)")
        tab.until(f"{ROWS}.some((row) => row.getBoundingClientRect().top > 0)")
        assert tab.value(f"{ROWS}.length") < 80
        place = tab.value(f"{ROWS}[0].getAttribute('aria-rowindex')")
        assert share * MANY - 60 <= int(place) <= share * MANY + 60
    assert tab.value("document.querySelector('[role=table]').getAttribute('aria-rowcount')") == str(MANY + 1)


def test_filters_and_order_are_stored_in_and_restored_from_the_address(browser: Chromium, page: str, tab: Tab) -> None:
    tab.value(CHOICE % "wrong")
    tab.value("search.value = 'CRACKS in june'; search.dispatchEvent(new Event('input'))")
    tab.value(COLUMN % "Cost")
    tab.value(COLUMN % "Cost")
    address, counted, names, costs = (tab.value(each) for each in ("location.hash", COUNT, NAMES, COSTS))
    assert address == "#Marks=wrong&search=CRACKS+in+june&sort=-Cost"
    assert counted.endswith(f" of {MANY:,} rows")
    assert costs == sorted(costs, reverse=True)
    assert len(set(costs)) > 1
    with browser.tab() as other:
        other.show(f"{page}{address}")
        assert [other.value(COUNT), other.value(NAMES)[:12]] == [counted, names[:12]]


def test_the_keyboard_moves_through_rows_and_opens_one(tab: Tab) -> None:
    tab.value("[...document.querySelectorAll('[role=columnheader] button')].at(-1).focus()")
    tab.press("Tab")
    assert tab.value(FOCUSED) == "n1"
    for key, name in (("ArrowDown", "n2"), ("End", f"n{MANY}"), ("ArrowUp", f"n{MANY - 1}")):
        pressed = f"new KeyboardEvent('keydown', {{ key: '{key}', bubbles: true }})"
        tab.value(f"document.activeElement.dispatchEvent({pressed})")
        box = tab.value("document.activeElement.getBoundingClientRect().toJSON()")
        assert tab.value(FOCUSED) == name
        assert 0 < box["top"] < box["bottom"] < tab.value("innerHeight")
    tab.press("Enter")
    assert tab.value(OPENED) == [True, f"n{MANY - 1}"]
    assert tab.value("location.hash") == f"#open={MANY - 1}"
    tab.press("j")
    tab.press("Escape")
    tab.until("!document.querySelector('dialog').open")
    assert tab.value(FOCUSED) == f"n{MANY}"


def test_an_address_leads_to_a_row(browser: Chromium, page: str) -> None:
    with browser.tab(PHONE) as tab:
        tab.show(f"{page}#open=4711")
        assert tab.value(OPENED) == [True, "n4711"]
        tab.picture("table-row-phone")
        assert not tab.is_too_wide


def test_on_paper_and_without_scripts_there_are_rows(browser: Chromium, page: str, tab: Tab) -> None:
    sheets = PdfReader(io.BytesIO(tab.printed())).pages
    assert any("n1000" in sheet.extract_text() for sheet in reversed(sheets))
    with browser.tab(runs_scripts=False) as plain:
        plain.show(page)
        assert plain.value("document.querySelectorAll('noscript tbody tr').length") == 500
