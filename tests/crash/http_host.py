"""A host that comes over HTTP for one call of a tool, and under which the server may be killed at any moment."""

import json
import re
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import httpx

from support.http_server import ACCEPT, HELLO
from support.mcp_peer import request

_URL = re.compile(r"http://\S+(?=/mcp)")
_CALL = 2


def call_over_http(
    process: "subprocess.Popen[bytes]", tool: str, arguments: Mapping[str, object], *, patience_s: float
) -> None:
    """Call ``tool`` of the server that ``process`` is, wait for what comes of it, and have the server end."""
    assert process.stderr
    if found := _URL.search(process.stderr.readline().decode()):
        with (
            suppress(httpx.TransportError, httpx.HTTPStatusError),  # it was killed
            httpx.Client(base_url=found[0], headers=ACCEPT, timeout=patience_s) as http,
        ):
            http.headers["Mcp-Session-Id"] = _post(http, HELLO).headers["Mcp-Session-Id"]
            _post(http, {"jsonrpc": "2.0", "method": "notifications/initialized"})
            while run_id := _still_running(http, tool, arguments):
                tool, arguments = "wait", {"run_id": run_id}
    process.terminate()


def _post(http: httpx.Client, message: Mapping[str, object]) -> httpx.Response:
    return http.post("/mcp", json=message).raise_for_status()


def _still_running(http: httpx.Client, tool: str, arguments: Mapping[str, object]) -> str:
    """The run that a call of ``tool`` leaves at work; empty where it has ended, or the server has."""
    answer = _post(http, request(_CALL, "tools/call", {"name": tool, "arguments": arguments}))
    for line in answer.text.splitlines():
        said: dict[str, Any] = json.loads(line.removeprefix("data:")) if line.startswith("data: {") else {}
        if said.get("id") == _CALL:
            result = said["result"]["structuredContent"]
            return result["run_id"] if result["status"] == "running" else ""
    return ""
