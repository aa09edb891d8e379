"""What it costs to be there: ``sparring --help``, and the server until its tools are listed and a call is answered."""

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

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
_HANDSHAKE: tuple[dict[str, object], ...] = (
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
# Answered by the SDK alone: what is measured until then includes everything that is imported.
_CALL: dict[str, object] = {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "nothing"}}
HANDSHAKE = "".join(json.dumps(message) + "\n" for message in (*_HANDSHAKE, _CALL)).encode()


def main() -> None:
    """Print seconds, CPU seconds and peak memory, each the median of runs taken in turn."""
    bare_server = [sys.executable, "-c", BARE_SERVER]
    helps, bares, ours = list[Cost](), list[Cost](), list[Cost]()
    bare_firsts, firsts = list[float](), list[float]()
    for _ in range(RUNS):
        helps.append(cost_of([SPARRING, "--help"]))
        bares.append(cost_of(bare_server, stdin=HANDSHAKE, until=_answers_the_call))
        ours.append(cost_of([SPARRING, "serve"], stdin=HANDSHAKE, until=_answers_the_call))
        bare_firsts.append(first_list_s(bare_server))
        firsts.append(first_list_s([SPARRING, "serve"]))
    help_, bare, own = median_cost(helps), median_cost(bares), median_cost(ours)
    first, bare_first = median(firsts), median(bare_firsts)
    print(f"sparring --help           {help_.cpu_s:.3f} s CPU  (aim <= 0.25)")
    print(f"bare MCPServer, one tool  {bare_first:.3f} s until its tools are listed")
    print(
        f"sparring serve            {first:.3f} s until its tools are listed, {max(firsts):.3f} s at most (aim <= 0.2)"
    )
    print(f"ratio                     {first / bare_first:.3f}")
    print(f"bare MCPServer, one tool  {bare.cpu_s:.3f} s CPU, {bare.peak_mib:.0f} MiB until a call is answered")
    print(f"sparring serve            {own.cpu_s:.3f} s CPU, {own.peak_mib:.0f} MiB until a call is answered")
    print(f"difference                {own.cpu_s - bare.cpu_s:+.3f} s CPU (aim <= +0.1), aim <= 80 MiB")


def first_list_s(argv: Sequence[str]) -> float:
    """Seconds from the start of a server to the answer to ``tools/list``, asked for as a host does: step by step."""
    begun = time.perf_counter()
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdin is not None  # noqa: S101 -- tells the type checker
        assert process.stdout is not None  # noqa: S101 -- tells the type checker
        for number, message in ((1, _HANDSHAKE[:1]), (2, _HANDSHAKE[1:])):
            process.stdin.write("".join(json.dumps(each) + "\n" for each in message).encode())
            process.stdin.flush()
            if json.loads(process.stdout.readline())["id"] != number:
                raise RuntimeError("an answer is missing")
        taken = time.perf_counter() - begun
        process.kill()
    return taken


def _answers_the_call(line: bytes) -> bool:
    return b'"id":3' in line.replace(b" ", b"")


if __name__ == "__main__":
    main()
