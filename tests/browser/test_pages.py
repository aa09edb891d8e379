"""The page of a run in a real browser: what it looks like, and that everybody can read and use it."""

import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from pypdf import PdfReader

from sparring.formats.views import page, report
from support.chromium import DESKTOP, PHONE, WIDE, Chromium, Tab
from support.page_reading import words
from support.shown_runs import SHOWN
from support.stored_runs import said_by_all

pytestmark = pytest.mark.browser

CONTROLS = "a[href], button, summary, input, select, textarea, [tabindex='0']"
REACHABLE = f'[...document.querySelectorAll("{CONTROLS}")].filter((each) => each.checkVisibility()).length'
LEFT_OF = """
((range, text) => {{
  range.setStart(text, {0});
  range.setEnd(text, {0} + 1);
  return range.getBoundingClientRect().left;
}})(document.createRange(), document.querySelector('h1').firstChild)"""
WORDS = """
[...document.querySelectorAll('header, main, footer')].flatMap((part) => {
  const texts = document.createTreeWalker(part, NodeFilter.SHOW_TEXT), found = [];
  while (texts.nextNode()) found.push(texts.currentNode.data);
  return found;
}).join(' ')
"""


def file_of(name: str, folder: Path) -> str:
    """The address of the page of the run of that name."""
    file = folder / "report.html"
    file.write_text(page(SHOWN[name]), encoding="utf-8")
    return file.as_uri()


@pytest.fixture
def tab(browser: Chromium) -> Iterator[Tab]:
    with browser.tab() as tab:
        yield tab


@pytest.mark.parametrize("name", SHOWN)
def test_it_fits_every_screen_and_four_times_its_size_by_day_and_by_night(tab: Tab, tmp_path: Path, name: str) -> None:
    address = file_of(name, tmp_path)
    tab.show(address)
    for screen in (DESKTOP, PHONE, WIDE):
        tab.resize(screen)
        for dark in (False, True):
            tab.look(dark=dark)
            tab.picture(f"{name}-{screen.name}-{'dark' if dark else 'light'}")
            assert tab.value("getComputedStyle(document.body).colorScheme.includes('dark')")
        assert not tab.is_too_wide, screen.name
    tab.resize(DESKTOP, zoom=4)
    assert (tab.is_too_wide, tab.asked_for, tab.refused) == (False, [address], [])


def test_an_endless_word_fits_and_right_to_left_text_is_laid_out_so(browser: Chromium, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text(page(said_by_all("\u05e9\u05dc\u05d5\u05dd. " + "W" * 3000, SHOWN["review"])), encoding="utf-8")
    with browser.tab(PHONE) as tab:
        tab.show(file.as_uri())
        tab.value("document.querySelectorAll('details').forEach((each) => { each.open = true })")
        assert not tab.is_too_wide
        assert tab.value(f"{LEFT_OF.format(4)} < {LEFT_OF.format(0)}")  # the full stop, and the first letter


@pytest.mark.parametrize("name", ["debate", "fact-check", "jury"])
def test_the_outcome_is_visible_without_scrolling(tab: Tab, tmp_path: Path, name: str) -> None:
    tab.show(file_of(name, tmp_path))
    for screen in (DESKTOP, PHONE):
        tab.resize(screen)
        assert tab.value("document.querySelector('.headline').getBoundingClientRect().bottom") < screen.height


@pytest.mark.parametrize("name", ["debate", "jury"])
def test_the_facts_stand_below_the_conclusion_over_the_whole_width(tab: Tab, tmp_path: Path, name: str) -> None:
    tab.show(file_of(name, tmp_path))
    block, facts = (
        "document.querySelector('#conclusion > :first-child')",
        "document.querySelector('#conclusion > .aside')",
    )
    below = f"{facts}.getBoundingClientRect().top >= {block}.getBoundingClientRect().bottom"
    assert tab.value(f"{below} && {facts}.offsetWidth === {block}.offsetWidth")


@pytest.mark.parametrize("name", SHOWN)
def test_without_scripts_every_word_of_the_report_is_there(browser: Chromium, tmp_path: Path, name: str) -> None:
    with browser.tab(runs_scripts=False) as tab:
        tab.show(file_of(name, tmp_path))
        shown = words(tab.value(WORDS))
    assert words(report(SHOWN[name])) - shown <= {"_", "WARN"}  # which are emphasis, and a coloured row


@pytest.mark.parametrize("name", ["debate", "review"])
def test_every_control_can_be_reached_by_keyboard(tab: Tab, tmp_path: Path, name: str) -> None:
    tab.show(file_of(name, tmp_path))
    assert reached(tab) == tab.value(REACHABLE)


def reached(tab: Tab) -> int:
    """How many elements have the focus, one after the other, and are seen to have it."""
    tab.value("window.met = new Set()")
    while True:
        tab.press("Tab")
        if tab.value("document.activeElement === document.body || met.has(document.activeElement)"):
            return tab.value("met.size")
        tab.value("met.add(document.activeElement); 0")
        assert tab.value("getComputedStyle(document.activeElement).outlineStyle !== 'none'")


def test_the_keyboard_opens_a_speech_and_moves_to_the_next(tab: Tab, tmp_path: Path) -> None:
    open_cards = "[...document.querySelectorAll('details.card')].map((card) => card.open)"
    summaries = "[...document.querySelectorAll('details.card > summary')]"
    tab.show(file_of("debate", tmp_path))
    tab.value(f"{summaries}[0].focus()")
    for opened in (True, False):
        tab.press("Enter")
        assert tab.value(open_cards)[:2] == [opened, False]
    for key, at in (("j", 0), ("j", 1), ("k", 0)):
        tab.press(key)
        assert tab.value(f"{summaries}.indexOf(document.activeElement)") == at


def test_an_address_leads_to_a_speech_and_contains_the_filter(browser: Chromium, tab: Tab, tmp_path: Path) -> None:
    address, hidden = file_of("debate", tmp_path), "document.querySelectorAll('.card[hidden]').length"
    tab.show(f"{address}#turn-3")
    assert tab.value("document.querySelector('details.card[data-anchor=\"turn-3\"]').open")
    tab.value("document.querySelector('.filters').querySelector('[data-facet=role]').click()")
    chosen, count = tab.value("location.hash"), tab.value(hidden)
    assert chosen.startswith("#role=")
    assert 0 < count == tab.value(f"new Promise((say) => {{ onhashchange = () => say({hidden}); location = '#main' }})")
    with browser.tab() as other:
        other.show(f"{address}{chosen}")
        assert other.value(hidden) == count


def test_on_paper_folded_text_is_printed_and_controls_are_not(tab: Tab, tmp_path: Path) -> None:
    tab.show(file_of("debate", tmp_path))
    printed = PdfReader(io.BytesIO(tab.printed()))
    found = words(" ".join(sheet.extract_text() for sheet in printed.pages))
    assert words(SHOWN["debate"].transcript.responses[0]) <= found
    assert "Copy" not in found


def test_the_policy_alone_keeps_a_page_from_acting(tab: Tab, tmp_path: Path) -> None:
    tricks = (
        "<script>alarm(1)</script><img src='http://127.0.0.1:9/i' onerror=alarm(1)><svg onload=alarm(1)></svg>"
        "<link rel=stylesheet href='http://127.0.0.1:9/s'><style>body { background: url(http://127.0.0.1:9/b) }</style>"
        "<iframe src='http://127.0.0.1:9/f'></iframe><object data='http://127.0.0.1:9/o'></object>"
        "<iframe srcdoc='<script>parent.alarm(1)</script>'></iframe><p style='color: red' id=styled>x</p>"
        "<base href='http://127.0.0.1:9/'><form action='http://127.0.0.1:9/'><input autofocus onfocus=alarm(1)></form>"
    )
    file = tmp_path / "report.html"
    file.write_text(page(SHOWN["debate"]).replace("</main>", f"{tricks}</main>"), encoding="utf-8")
    tab.show(file.as_uri())
    tab.value("document.forms[0].submit()")
    tab.value("document.querySelector('input').focus()")
    assert (tab.alarms, tab.value("document.baseURI")) == ([], file.as_uri())
    assert tab.value("getComputedStyle(document.getElementById('styled')).color") != "rgb(255, 0, 0)"
    assert {"script-src-elem", "script-src-attr", "img-src", "style-src-elem", "frame-src"} <= set(tab.refused)
