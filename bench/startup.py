"""What it costs to be there: ``sparring --help``, and the server until its tools are listed."""

import json
import sys
from pathlib import Path

from bench.processes import Cost, cost_of, median_cost

RUNS = 5
SPARRING = str(Path(sys.executable).with_name("sparring"))
BARE_SERVER = """
from mcp.server import MCPServer
mcp = MCPServer("bare")
@mcp.tool()
def echo(text: str) -> str:
    "Say it again."
    return text
mcp.run()
"""
_HANDSHAKE = (
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1"},
        },
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
)
HANDSHAKE = "".join(json.dumps(message) + "\n" for message in _HANDSHAKE).encode()


def main() -> None:
    """Print CPU seconds and peak memory, each the median of five runs taken in turn."""
    helps, bares, ours = list[Cost](), list[Cost](), list[Cost]()
    for _ in range(RUNS):
        helps.append(cost_of([SPARRING, "--help"]))
        bares.append(cost_of([sys.executable, "-c", BARE_SERVER], stdin=HANDSHAKE, until=_lists_tools))
        ours.append(cost_of([SPARRING, "serve"], stdin=HANDSHAKE, until=_lists_tools))
    help_, bare, own = median_cost(helps), median_cost(bares), median_cost(ours)
    print(f"sparring --help           {help_.cpu_s:.3f} s CPU  (aim <= 0.25)")
    print(f"bare MCPServer, one tool  {bare.cpu_s:.3f} s CPU, {bare.peak_mib:.0f} MiB until its tools are listed")
    print(f"sparring serve            {own.cpu_s:.3f} s CPU, {own.peak_mib:.0f} MiB until its tools are listed")
    print(f"difference                {own.cpu_s - bare.cpu_s:+.3f} s CPU (aim <= +0.1), aim <= 80 MiB")


def _lists_tools(line: bytes) -> bool:
    return b'"id":2' in line.replace(b" ", b"")


if __name__ == "__main__":
    main()
