"""Start-up cost: ``sparring --help``, and the server until its tools are listed and a call is answered.

A server is asked step by step, as a host does. The call is answered by the SDK alone, so that what is measured until
then includes everything that is imported.
"""

import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib.metadata import distribution
from pathlib import Path

import mcp

from bench.figures import Figure, Figures, LeftOut, Scale
from bench.processes import Cost, cost_of, median_cost

BARE_SERVER = """
from mcp.server import MCPServer
mcp = MCPServer("bare")
@mcp.tool()
def echo(text: str) -> str:
    "Say it again."
    return text
mcp.run()
"""
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
TALK: tuple[Mapping[str, object], ...] = (
    {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "nothing"}},
)
SPARRING = (sys.executable, "-m", "sparring")


def run(scale: Scale) -> Figures:
    """CPU, seconds and peak memory, each the median of runs taken in turn."""
    empties, helps, bares, ours = list[Cost](), list[Cost](), list[Cost](), list[Cost]()
    for _ in range(scale.of(5, smoke=1)):
        empties.append(cost_of([sys.executable, "-c", ""]))
        helps.append(cost_of([*SPARRING, "--help"]))
        bares.append(cost_of([sys.executable, "-c", BARE_SERVER], messages=TALK))
        ours.append(cost_of([*SPARRING, "serve"], messages=TALK))
    empty, help_, bare, own = (median_cost(costs) for costs in (empties, helps, bares, ours))
    yield Figure(
        "CPU of sparring --help / of an empty program",
        help_.cpu_s / empty.cpu_s,
        f"{help_.cpu_s:.3f} s, {empty.cpu_s:.3f} s  (aim <= 0.25 s)",
    )
    _, own_list_s, _ = own.answers_s
    _, bare_list_s, _ = bare.answers_s
    slowest_s = max(cost.answers_s[1] for cost in ours)
    yield Figure(
        "time until tools are listed / a bare server's",
        own_list_s / bare_list_s,
        f"{own_list_s:.3f} s, {slowest_s:.3f} s at most, {bare_list_s:.3f} s  (aim <= 0.2 s)",
    )
    if scale.is_smoke:
        yield LeftOut("servers beside another SDK", "they are for the full size: each imports all there is")
    else:
        yield _written_down()
    yield Figure(
        "CPU until a call is answered / a bare server's",
        own.cpu_s / bare.cpu_s,
        f"{own.cpu_s:.3f} s, {bare.cpu_s:.3f} s  (aim <= 0.1 s more)",
    )
    yield Figure(
        "peak memory / a bare server's",
        own.peak_mib / bare.peak_mib,
        f"{own.peak_mib:.0f} MiB, {bare.peak_mib:.0f} MiB  (aim <= 80 MiB)",
    )


def _written_down() -> Figure:
    with tempfile.TemporaryDirectory() as folder:
        first, *later = _beside_another_sdk(Path(folder), "2.9.9", runs=6)
        unknown = _beside_another_sdk(Path(folder), None, runs=5)
    written_s, unknown_s = (median_cost(costs).answers_s[1] for costs in (later, unknown))
    return Figure(
        "time until tools are listed beside another SDK / where nothing is written down",
        written_s / unknown_s,
        f"{written_s:.3f} s, {first.answers_s[1]:.3f} s at the first start, {unknown_s:.3f} s  (aim <= 0.1)",
    )


def _beside_another_sdk(folder: Path, version: str | None, *, runs: int) -> Sequence[Cost]:
    """Servers of a user who has installed another version of the SDK; with None nobody can tell which."""
    site = folder / f"site-{version}"
    site.mkdir()
    (site / "mcp").symlink_to(Path(mcp.__file__).parent)
    if version:
        described = Path(str(distribution("mcp").locate_file(f"mcp-{distribution('mcp').version}.dist-info")))
        (site / f"mcp-{version}.dist-info").symlink_to(described)
    environment = {**os.environ, "PYTHONPATH": str(site), "XDG_CACHE_HOME": str(folder)}
    return [cost_of([*SPARRING, "serve"], environment=environment, messages=TALK) for _ in range(runs)]
