"""The kills of this run, and the table of what came of them."""

from collections import Counter, defaultdict
from typing import Any

import pytest

from crash.scenes import Scenes


@pytest.fixture(scope="session")
def scenes(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Scenes:
    """Return the undisturbed ends of all scenes, determined once for all workers."""
    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "crash"
    folder.mkdir(exist_ok=True)
    return Scenes(folder)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "kill_number" in metafunc.fixturenames:
        metafunc.parametrize("kill_number", range(max(1, int(metafunc.config.getoption("--crash") or 0))))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    rows = defaultdict[str, Counter[str]](Counter)
    for report in (*terminalreporter.stats.get("passed", ()), *terminalreporter.stats.get("failed", ())):
        told: dict[str, Any] = dict(getattr(report, "user_properties", ()))
        for name in (told["place"], "all") if "crash" in told else ():
            rows[name].update(told["crash"])
    for place in sorted(rows, key=lambda name: (name == "all", name)):
        terminalreporter.write_line(f"{place}: {', '.join(f'{count} {name}' for name, count in rows[place].items())}")
