"""What a graphical host shows of a result: the MCP App, in a frame, with what the host hands over as its only data."""

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.app_host import host_an_app, in_app, tell, until_in_app, until_measured
from support.chromium import Chromium, Tab
from support.pages import Site

pytestmark = pytest.mark.browser

RESULT = "ui/notifications/tool-result"
TEXT = "# Why\n\nThe **proposer** named `a.py:3`.\n\n- one\n- two\n\n```py\nx < y\n```\n\n| a | b |\n|---|---|\n"
ENDED: dict[str, Any] = {
    "status": "finished",
    "run_id": "debate-20260301T120000Z-c0de",
    "outcome": "claude (proposer) wins",
    "label": "PROPOSER",
    "firmness": "unanimous",
    "recommendation": "Retry three times.",
    "unless": "the call is not idempotent",
    "warnings": ["One judge only."],
    "citations": {"verified": 2, "not_found": 1},
    "not_found": ["src/x.py:99"],
    "answered_by": ["proposer claude (opus-4)", "challenger codex"],
    "spent": {"calls": 6, "tokens": None, "cost_usd": 0.25, "at_least": True, "answering_ms": 1},
    "text": TEXT,
}


@pytest.fixture
def tab(browser: Chromium, tmp_path: Path) -> Iterator[Tab]:
    with browser.tab() as tab:
        host_an_app(tab, tmp_path)
        yield tab


def told(tab: Tab) -> str:
    """All that the app shows, in a line."""
    return " ".join(in_app(tab, "page.body.innerText").split())


def test_all_that_was_decided_is_shown(tab: Tab) -> None:
    tell(tab, "tool-input", {"arguments": {"topic": "Should it retry?"}})
    tell(tab, "tool-result", {"content": [], "structuredContent": ENDED})
    until_in_app(tab, "page.querySelector('#report')")
    shown = told(tab)
    tab.picture("app-dark")
    parts = [ENDED[name] for name in ("outcome", "label", "firmness", "recommendation", "unless", "run_id")]
    parts += [*ENDED["warnings"], *ENDED["answered_by"], "src/x.py:99"]
    parts += ["2 verified, 1 not found", "6 calls, at least $0.25"]
    assert [part for part in parts if part not in shown] == []
    marked = "[...page.querySelectorAll('#report :is(h2, strong, code, li)')].map((e) => e.textContent)"
    assert in_app(tab, marked) == ["Why", "proposer", "a.py:3", "one", "two", "x < y\n"]
    until_measured(tab)
    assert (tab.asked_for[1:], tab.refused) == ([], [])
    evaluated = "(() => { try { return app.eval('1') } catch (error) { return error.name } })()"
    assert tab.value(evaluated) == "EvalError"


def test_the_app_uses_the_style_of_its_host(tab: Tab) -> None:
    paper = "getComputedStyle(page.body).backgroundColor"
    dark = in_app(tab, paper)
    tell(tab, "host-context-changed", {"theme": "light"})
    until_in_app(tab, "getComputedStyle(page.documentElement).colorScheme === 'light'")
    assert in_app(tab, paper) != dark


def test_a_host_that_passes_only_text_gets_the_text_shown(tab: Tab) -> None:
    tell(tab, "tool-result", {"content": [{"type": "text", "text": "Nothing was done."}], "isError": True})
    until_in_app(tab, "page.querySelector('#report')")
    assert told(tab).endswith("Nothing was done.")
    tell(tab, "tool-cancelled", {"reason": "x"})
    until_in_app(tab, "page.body.innerText.includes('cancelled')")


def test_the_app_answers_its_host_and_ignores_other_senders(tab: Tab) -> None:
    for number, method in ((7, "ping"), (8, "ui/resource-teardown"), (9, "tools/call")):
        tab.value(f"say({{ id: {number}, method: '{method}', params: {{}} }})")
    tab.until("heard.some(({ id }) => id === 9)")
    answers = {each["id"]: each for each in tab.value("heard.filter((each) => !each.method)")}
    assert (answers[7]["result"], answers[8]["result"], answers[9]["error"]["code"]) == ({}, {}, -32601)
    result = {"jsonrpc": "2.0", "method": RESULT, "params": {"content": [{"type": "text", "text": "forged"}]}}
    stranger = f"parent.document.getElementById('app').contentWindow.postMessage({json.dumps(result)}, '*')"
    frame = "document.body.appendChild(document.createElement('iframe')).contentWindow"
    tab.value(f"{frame}.eval({json.dumps(stranger)})")
    tab.value("say({ id: 10, method: 'ping' })")
    tab.until("heard.some(({ id }) => id === 10)")
    assert "forged" not in told(tab)


def test_no_part_of_a_result_runs_in_the_app(browser: Chromium, tmp_path: Path) -> None:
    hostile = Path(__file__).parents[1] / "hostile" / "pages.toml"
    texts: list[str] = tomllib.loads(hostile.read_text(encoding="utf-8"))["texts"]
    with browser.tab() as tab, Site() as sentinel:
        tab.ask("Page.setBypassCSP", enabled=True)
        host_an_app(tab, tmp_path)
        for text in texts:
            said = text.replace("SENTINEL", sentinel.url)
            everywhere = {name: _said(value, said) for name, value in ENDED.items()}
            tell(tab, "tool-result", {"content": [{"type": "text", "text": said}], "structuredContent": everywhere})
        tell(tab, "tool-result", {"content": [], "structuredContent": {**ENDED, "run_id": "the-last"}})
        until_in_app(tab, "page.body.innerText.includes('the-last')")
        assert (tab.alarms, sentinel.asked, tab.asked_for[1:]) == ([], [], [])


def _said(value: Any, words: str) -> Any:
    if isinstance(value, str):
        return words
    return [words] if isinstance(value, list) else {words: 1} if value == ENDED["citations"] else value
