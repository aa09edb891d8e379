"""A host of MCP Apps in a page: it frames the app as hosts do, answers it, and remembers what it says."""

import json
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

from sparring.server.resources import app
from support.chromium import Tab

GREETING: Mapping[str, Any] = {
    "protocolVersion": "2026-01-26",
    "hostInfo": {"name": "tests", "version": "1"},
    "hostCapabilities": {},
    "hostContext": {"theme": "dark", "displayMode": "inline"},
}
"""Greeting of the host to an app that introduces itself."""

_HOST = """<!doctype html><title>host</title>
<iframe id="app" sandbox="allow-scripts allow-same-origin" width="700" height="500" srcdoc="{app}"></iframe>
<script>
const app = document.getElementById("app").contentWindow;
const heard = [];
const say = (message) => app.postMessage({{ jsonrpc: "2.0", ...message }}, "*");
addEventListener("message", ({{ source, data }}) => {{
  if (source !== app) return;
  heard.push(data);
  if (data.method === "ui/initialize") say({{ id: data.id, result: {greeting} }});
}});
</script>"""


def host_an_app(tab: Tab, folder: Path) -> None:
    """Show the host, and wait until the app says that it is there."""
    file = folder / "host.html"
    page = _HOST.format(app=escape(app()), greeting=json.dumps(GREETING))
    file.write_text(page, encoding="utf-8")
    tab.show(file.as_uri())
    tab.until("heard.some(({ method }) => method === 'ui/notifications/initialized')")


def tell(tab: Tab, method: str, params: Mapping[str, Any]) -> None:
    """Notify the app."""
    tab.value(f"say({json.dumps({'method': f'ui/notifications/{method}', 'params': params})})")


def in_app(tab: Tab, expression: str) -> Any:
    """Evaluate an expression in the app, whose document it calls ``page``."""
    return tab.value(_of_page(expression))


def _of_page(expression: str) -> str:
    return f"((page) => {expression})(document.getElementById('app').contentDocument)"


def until_in_app(tab: Tab, expression: str) -> None:
    """Wait until that is so in the app."""
    tab.until(_of_page(expression))


def until_measured(tab: Tab) -> None:
    """Wait until the host knows how high the app is; how often it was told on the way depends on what was drawn."""
    known = "heard.findLast(({ method }) => method === 'ui/notifications/size-changed')?.params.height"
    until_in_app(tab, f"{known} === Math.ceil(page.documentElement.getBoundingClientRect().height)")
