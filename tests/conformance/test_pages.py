"""Pages and the app of graphical hosts as others judge them: axe-core, and the published schema of MCP Apps."""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from mcp import Client
from msgspec.structs import replace

from sparring.formats.views import page
from sparring.reports.comparison import compare_runs, compare_tables
from sparring.reports.page.comparison import runs_page, tables_page
from sparring.reports.page.table import table_page
from sparring.server.building import build_server
from sparring.server.resources import APP
from support.app_host import GREETING, host_an_app, tell, until_measured
from support.chromium import DESKTOP, PHONE, Chromium, Tab
from support.judged_tables import long_table
from support.shown_runs import SHOWN
from support.stored_runs import unfinished

pytestmark = [pytest.mark.npm, pytest.mark.browser]

_INSTALLED = Path(__file__).parent / "node_modules"
_BEGINS = {"debate", "chaired_debate", "fact_check", "jury", "review"}
_RESULT: Mapping[str, Any] = {
    "content": [{"type": "text", "text": "# Done\n\n- one\n"}],
    "structuredContent": {"status": "finished", "outcome": "It is so.", "warnings": ["One."], "text": "# Done"},
}


@cache
def axe() -> str:
    return (_INSTALLED / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


def violations(tab: Tab) -> list[str]:
    """What axe-core has against the page, with the elements that it means."""
    if not tab.value("'axe' in window"):
        tab.value(f"{axe()}; 0")
    found = tab.value("axe.run(document, { iframes: false }).then(({ violations }) => violations)")
    return [f"{each['id']}: {node['html'][:200]}" for each in found for node in each["nodes"]]


@pytest.fixture(scope="module")
def tab(browser: Chromium) -> Iterator[Tab]:
    """One for all pages: in each new one, axe-core takes seconds to get going."""
    with browser.tab() as tab:
        yield tab


def by_day_and_night(tab: Tab) -> list[str]:
    """What it has against the page in either colours."""
    found: list[str] = []
    for dark in (False, True):
        tab.look(dark=dark)
        found += violations(tab)
    return found


def shown(name: str) -> str:
    if name in SHOWN:
        return page(SHOWN[name])
    rows, broken_off = long_table(60), unfinished("debate", 4)
    return {
        "unfinished": lambda: page(broken_off),
        "table": lambda: table_page(rows, "rows.jsonl"),
        "tables": lambda: tables_page(compare_tables(rows, replace(rows, rows=rows.rows[:40]))),
        "runs": lambda: runs_page(compare_runs(SHOWN["debate"], broken_off)),
    }[name]()


@pytest.mark.parametrize("name", [*SHOWN, "unfinished", "table", "tables", "runs"])
def test_pages_are_accessible(tab: Tab, tmp_path: Path, name: str) -> None:
    file = tmp_path / "page.html"
    file.write_text(shown(name), encoding="utf-8")
    tab.resize(DESKTOP)
    tab.show(file.as_uri())
    assert by_day_and_night(tab) == []
    tab.value("document.querySelectorAll('details').forEach((each) => { each.open = true })")
    tab.value("document.querySelector('.body button')?.click()")
    tab.resize(PHONE)
    assert by_day_and_night(tab) == []


def test_the_app_is_accessible(browser: Chromium, tmp_path: Path) -> None:
    with browser.tab() as tab:
        host_an_app(tab, tmp_path)
        file = tmp_path / "app.html"
        file.write_text(tab.value("document.getElementById('app').srcdoc"), encoding="utf-8")
        tab.show(file.as_uri())  # by itself it is its own host
        said = {"jsonrpc": "2.0", "method": "ui/notifications/tool-result", "params": _RESULT}
        tab.value(f"postMessage({json.dumps(said)})")
        tab.until("document.querySelector('#report')")
        assert by_day_and_night(tab) == []


def faults(kind: str, said: Mapping[str, Any]) -> list[str]:
    """What the published schema has against a message, or a part of one."""
    schema = json.loads((_INSTALLED / "@modelcontextprotocol/ext-apps/dist/src/generated/schema.json").read_text())
    validator: Any = Draft202012Validator({"$ref": f"#/$defs/{kind}", "$defs": schema["$defs"]})
    return [error.message for error in validator.iter_errors(said)]


def test_messages_of_the_app_and_its_host_follow_the_schema(browser: Chromium, tmp_path: Path) -> None:
    with browser.tab() as tab:
        host_an_app(tab, tmp_path)
        tell(tab, "tool-result", _RESULT)
        until_measured(tab)
        heard: list[dict[str, Any]] = tab.value("heard")
    kinds = {
        "ui/initialize": "McpUiInitializeRequest",
        "ui/notifications/initialized": "McpUiInitializedNotification",
        "ui/notifications/size-changed": "McpUiSizeChangedNotification",
    }
    for message in heard:
        plain = {name: value for name, value in message.items() if name not in {"jsonrpc", "id"}}
        assert faults(kinds[message["method"]], plain) == []
    assert {message["method"] for message in heard} == kinds.keys()
    assert faults("McpUiInitializeResult", GREETING) == []
    told = {"method": "ui/notifications/tool-result", "params": _RESULT}
    assert faults("McpUiToolResultNotification", told) == []


async def test_hosts_are_led_to_the_app_as_the_schema_says() -> None:
    async with Client(build_server()) as client:
        tools = {tool.name: tool.meta for tool in (await client.list_tools()).tools if tool.meta}
        (resource,) = [each for each in (await client.list_resources()).resources if each.uri.startswith("ui:")]
        (content,) = (await client.read_resource(APP)).contents
    assert tools.keys() == {*_BEGINS, "wait"}
    assert [faults("McpUiToolMeta", meta["ui"]) for meta in tools.values()] == [[]] * len(tools)
    assert {meta["ui"]["resourceUri"] for meta in tools.values()} == {APP}
    assert (resource.uri, resource.mime_type) == (content.uri, content.mime_type) == (APP, "text/html;profile=mcp-app")
    assert faults("McpUiResourceMeta", (content.meta or {}).get("ui", {})) == []
