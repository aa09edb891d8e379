"""Presence of our tools in the first turn of real hosts, on a busy machine.

Four busy loops run beside each host. Its model calls ``debate`` at once, as if it knew the tool: a host that has not
heard of it by then refuses, and the debate is not held.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct, field

from bench.figures import Figure, Figures, LeftOut, Scale
from sparring.testing.model_endpoint import Behaviour, ModelEndpoint, Request, Say
from support.desk import BINARIES, Desk
from support.hosting import DECIDED, DONE, QUIET, Hosting, ScriptedModel
from support.manners import MANNERS, Manner, drive
from support.workbench import Workbench

STARTS = 20
LOOPS = 4


class _Timed(Struct):
    """A model, and how long its host takes for each call."""

    model: ScriptedModel
    calls_s: list[float] = field(default_factory=list[float])
    _called: float = 0.0

    def __call__(self, request: Request) -> Behaviour:
        now = time.monotonic()
        if request.tools:
            if self._called:
                self.calls_s.append(now - self._called)
            self._called = now
        return self.model(request)


def run(scale: Scale) -> Figures:
    """Starts in which the first call of the model reached us, over starts; and how long it took to be answered."""
    here = [manner.name for manner in MANNERS if (BINARIES / manner.name).exists()]
    yield Figure("hosts that are installed here / hosts", len(here) / len(MANNERS), ", ".join(here) or "none")
    for manner in MANNERS:
        if scale.is_smoke or manner.name not in here:
            yield LeftOut(manner.name, "it is for the full size, after `npm ci --prefix tests/e2e`")
        else:
            yield measured(manner, STARTS)


def measured(manner: Manner, starts: int) -> Figure:
    """One host, started so often."""
    with _busy():
        calls_s = [_first_call_s(manner) for _ in range(starts)]
    answered = [call_s for call_s in calls_s if call_s is not None]
    slowest = f"slowest first call {max(answered):.1f} s (aim <= 45 s)" if answered else "no call was answered"
    return Figure(
        f"{manner.name}: first turns that saw our tools", len(answered) / starts, f"of {starts}; {slowest}", "1"
    )


def _first_call_s(manner: Manner) -> float | None:
    """Return the seconds of the first call of one start, as its host sees it; None if it was refused."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, ModelEndpoint(Say(DONE)) as endpoint:
        bench, home = Workbench.below(Path(folder)), Path(folder) / "home"
        home.mkdir()
        desk = Desk(home, bench.project, endpoint, {**QUIET, "SPARRING_CONFIG_DIR": str(bench.root / "config")})
        desk.write_codex_config()
        desk.write_gemini_config()
        desk.write_opencode_config()
        driven = drive(Hosting(desk, bench), manner)
        model = endpoint.behaviour = _Timed(manner.model)
        driven.debate()
        before = int(manner.loads)
        first = driven.results[:1] if len(model.calls_s) > before else ()
        reached = any(DECIDED in each or "call wait with run_id" in each for each in first)
        return model.calls_s[before] if reached else None


@contextmanager
def _busy() -> Generator[None]:
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(LOOPS)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
