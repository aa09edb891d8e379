"""A run that goes on, looked at: ``sparring view --live`` and the pages of ``sparring serve --http``."""

import json
import threading
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from queue import SimpleQueue

import anyio
import anyio.to_thread
import pytest

from sparring.server.live import serve_page
from sparring.store.journal import JournalWriter
from sparring.testing.workspace import Attendance
from support.chromium import Chromium
from support.journals import KEY, header, turn
from support.mcp_project import add_waiting_tool
from support.workbench import PATIENCE_S, SEATS, Workbench

pytestmark = pytest.mark.browser

SPEECHES = "[...document.querySelectorAll('details.card .said')].map((said) => said.textContent).join('|')"

AGAINST = "Flaw: Against it. This claim is unsupported.\n\nAlternative: Wait for it."


def test_each_speech_and_finally_the_outcome_appear_on_the_page(browser: Chromium, tmp_path: Path) -> None:
    bench = Workbench.below(tmp_path)
    with Attendance() as attendance:
        add_waiting_tool(bench, "bob", attendance, AGAINST)
        run = bench.start("debate", "Should it retry?", *SEATS, "--rounds", "1")
        attendance.arrivals(1)
        view = bench.start("view", "--live")
        assert view.stdout is not None
        with browser.tab() as tab:
            tab.show(view.stdout.readline().decode().strip())
            tab.until(f"{SPEECHES}.includes('For it')")
            assert "This claim is unsupported" not in tab.value(SPEECHES)
            attendance.release("bob")
            tab.until("document.querySelector('.headline')?.textContent.includes('wins')")
            tab.until(f"{SPEECHES}.includes({json.dumps(AGAINST.partition(chr(10))[0])})")
            _, said = view.communicate(timeout=PATIENCE_S)
            assert tab.refused == []
            assert tab.value("document.scripts.length") == 2
        run.communicate(timeout=PATIENCE_S)
    assert (run.returncode, view.returncode) == (0, 0)
    assert "The run is over" in said.decode()


@contextmanager
def served(folder: Path, note: Callable[[str, str], object] | None = None) -> Generator[str]:
    """The address of the page of the run in ``folder``, while the block lasts."""
    addresses, done = SimpleQueue[str](), threading.Event()

    async def asked() -> AsyncGenerator[None]:
        await anyio.to_thread.run_sync(done.wait)
        yield

    serve = partial(serve_page, folder, asked(), addresses.put, note=note)
    thread = threading.Thread(target=lambda: anyio.run(serve))
    thread.start()
    try:
        yield addresses.get(timeout=PATIENCE_S)
    finally:
        done.set()
        thread.join(PATIENCE_S)


def test_what_the_reader_has_folded_stays_folded_and_keeps_the_focus(browser: Chromium, tmp_path: Path) -> None:
    folder = tmp_path / header().run_id
    with JournalWriter.create(folder, header(), key=KEY) as writer, served(folder) as address, browser.tab() as tab:
        writer.turn(turn(0), step=0, index=0, of=1)
        tab.show(address)
        tab.until("document.querySelectorAll('details.card[open]').length === 1")
        tab.value("window.mine = document.querySelector('details.card'); mine.querySelector('summary').focus()")
        tab.press("Enter")
        writer.turn(turn(1), step=1, index=0, of=1)
        tab.until("document.querySelectorAll('details.card').length === 2")
        assert tab.value("mine.isConnected && !mine.open && mine.contains(document.activeElement)")
        assert tab.value("document.querySelectorAll('details.card')[1].open")
        assert tab.value("[...document.querySelectorAll('details.card button')].length") == 2
        tab.until("document.querySelector('[role=status]').textContent === '2 turns so far.'")
        left = "getBoundingClientRect().left"
        assert tab.value(f"document.querySelector('.live').{left} === document.querySelector('main').{left}")
        assert (tab.alarms, tab.refused) == ([], [])


def test_a_note_is_written_in_a_field_and_sent_from_there(browser: Chromium, tmp_path: Path) -> None:
    folder, notes = tmp_path / header().run_id, SimpleQueue[tuple[str, str]]()
    with (
        JournalWriter.create(folder, header(), key=KEY) as writer,
        served(folder, lambda run_id, text: notes.put((run_id, text))) as address,
        browser.tab() as tab,
    ):
        writer.turn(turn(0), step=0, index=0, of=1)
        tab.show(address)
        tab.until("document.querySelector('.note textarea') !== null")
        tab.value("document.querySelector('.note').open = true")
        tab.value("document.querySelector('.note textarea').value = 'Mind the cost.'")
        tab.value("document.querySelector('.note button').click()")
        assert notes.get(timeout=PATIENCE_S) == (folder.name, "Mind the cost.")
        tab.until("document.querySelector('.note output').textContent === 'Both sides see it before their next turn.'")
        assert (tab.alarms, tab.refused) == ([], [])
