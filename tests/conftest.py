"""Rules for every test, and the tests that a run leaves out.

Marks say what a test needs besides Python: ``process`` (it starts programs), ``npm`` (the real command lines or the
inspectors, which npm installs), ``browser`` (chromium, started once for all of them), ``postgres`` (a server, likewise)
and ``slow`` (it takes seconds). A test without a mark that starts a process fails, which is what keeps ``make quick``
quick.
"""

import gc
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings
from xdist.remote import Producer  # pyright: ignore[reportMissingTypeStubs]
from xdist.scheduler import LoadScopeScheduling  # pyright: ignore[reportMissingTypeStubs]

from sparring.processes.current import core_count
from support.browsers import find_browser
from support.golden import Golden
from support.memory_folder import memory_folder
from support.posix import needs_posix
from support.postgres import find_postgres, running_postgres
from support.ray_cluster import why_not
from support.real_model import why_not as no_real_model

if TYPE_CHECKING:
    from support.chromium import Chromium

NPM_FOLDERS = {
    "e2e": "the real command lines (`npm ci --prefix tests/e2e`)",
    "conformance": "the inspectors (`npm ci --prefix tests/conformance`)",
}
"""Folders of the tests below which npm installs, with the packages."""

_TESTS = Path(__file__).parent
_MOST_WORKERS = 8
_STARTS = frozenset({"subprocess.Popen", "os.posix_spawn", "os.posix_spawnp", "os.exec", "os.fork", "os.forkpty"})
"""The audit events of the standard library by which a program starts another."""

_STARTING = ("process", "npm", "browser", "postgres")
"""Marks of what may start programs."""

_NOT_QUICK = (*_STARTING, "slow")
_MOST_EXAMPLES = {"quick": 25, "full": 50, "fuzz": 200, "nightly": 2000}

_SEARCHING = ("fuzz", "nightly")
"""Profiles that look for new examples each time; what a change must pass has the same ones each time."""

# A busy machine must not fail a property, so none has a deadline; how many examples are tried is the profile's.
for _name, _examples in _MOST_EXAMPLES.items():
    settings.register_profile(
        _name,
        deadline=None,
        max_examples=_examples,
        derandomize=_name not in _SEARCHING,
        suppress_health_check=[HealthCheck.too_slow],
    )

_left_out: Counter[str] = Counter()


class _StartedError(AssertionError):
    """A test without the mark ``process`` started a program."""


class _Watch:
    """Refuses to start a program while a test runs that has not said that it starts one."""

    test: str | None = None

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event in _STARTS and self.test is not None:
            raise _StartedError(f"{self.test} starts a program ({arguments[0]!r}): mark it `process`, or start none.")


_watch = _Watch()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="leave out every test that starts a program")
    parser.addoption("--npm", choices=("auto", "none", "only", "all"), default="auto", help="tests that npm serves")
    parser.addoption("--renew", action="store_true", help="write the golden files anew, and run nothing else")
    parser.addoption("--ray", action="store_true", help="run what starts a cluster of Ray")
    parser.addoption("--real", choices=("few", "all"), help="ask a real small model: what takes minutes, or all")
    parser.addoption("--crash", type=int, default=0, metavar="N", help="how many runs the crash tests kill")


def pytest_configure(config: pytest.Config) -> None:
    if folder := memory_folder():
        os.environ.setdefault("TMPDIR", str(folder))  # the root of all `tmp_path`, in workers as well
        tempfile.tempdir = None  # it may have been looked up before
    # CPython before 3.12 ends a thread that begins to be measured while an audit hook hears that another one does.
    if sys.version_info >= (3, 12) or not config.getoption("cov_source", None):
        sys.addaudithook(_watch)
    if not config.getoption("--hypothesis-profile"):
        settings.load_profile("quick" if config.getoption("--quick") else "full")


def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores, since who waits for a program leaves one free."""
    return min(core_count() + 1, _MOST_WORKERS)


class _Shared(LoadScopeScheduling):
    """Distribution of tests by their names: their marks are not known to the scheduler.

    One process runs all that asks the browser, and one all that asks Postgres, so that each starts once. Of the quick
    ones it runs the cases of a test together, which saves a message for each.
    """

    def _split_scope(self, nodeid: str) -> str:
        together = next((shared for shared in ("tests/browser/", "[postgres") if shared in nodeid), nodeid)
        return together.partition("[")[0] if self.config.getoption("--quick") else together


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling:
    return _Shared(config, log)


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """On Windows, what is about the signals and terminals of POSIX is not even imported."""
    if os.name == "posix" or collection_path.suffix != ".py" or not needs_posix(collection_path):
        return None
    _left_out["need POSIX (counted in files)"] += 1
    return True


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    reasons = [_reason_of_cost(item, config) or _reason_to_leave_out(item, config) for item in items]
    _left_out.update(filter(None, reasons))
    if dropped := [item for item, reason in zip(items, reasons, strict=True) if reason]:
        config.hook.pytest_deselected(items=dropped)
        items[:] = [item for item, reason in zip(items, reasons, strict=True) if not reason]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None]:
    """Freeze collected objects: scanning them again and again for garbage is a tenth of the time."""
    gc.disable()
    yield
    gc.enable()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def _reason_of_cost(item: pytest.Item, config: pytest.Config) -> str:
    if item.get_closest_marker("crash") and not config.getoption("--crash"):
        return "kill runs, or take from them what they need: `make crash` runs them"
    if real := item.get_closest_marker("real"):
        wanted = config.getoption("--real")
        if not wanted or (wanted == "few" and item.get_closest_marker("slow")):
            return "ask a real small model: `make real` and `make real-all` run them"
        if reason := no_real_model():
            raise pytest.UsageError(f"{real.name}: {reason}")
    if item.get_closest_marker("ray"):
        if not config.getoption("--ray"):
            return "start a cluster of Ray: `make test-ray` runs them"
        if reason := why_not():  # skipped, and not left out: a run of nothing else must end well
            if os.environ.get("CI") == "true":
                raise pytest.UsageError(f"Ray must be there in CI: {reason}")
            item.add_marker(pytest.mark.skip(reason=reason))
    return ""


def _reason_to_leave_out(item: pytest.Item, config: pytest.Config) -> str:
    """Return why this test does not run now; empty if it does.

    Raises:
        pytest.UsageError: It has to run in CI and cannot.
    """
    if config.getoption("--renew") and "golden" not in getattr(item, "fixturenames", ()):
        return "have no golden file"
    if config.getoption("--quick") and any(map(item.get_closest_marker, _NOT_QUICK)):
        return "start programs, or take seconds: `make test` runs them"
    if item.get_closest_marker("browser") and not find_browser():
        return "look at pages in a browser (`apt-get install chromium`)"
    if item.get_closest_marker("postgres") and not find_postgres():
        return "write to Postgres (`apt-get install postgresql`, and `pip install 'psycopg[binary]'`)"
    return _reason_of_npm(item, config)


def _reason_of_npm(item: pytest.Item, config: pytest.Config) -> str:
    choice = config.getoption("--npm")
    if not item.get_closest_marker("npm"):
        return "need nothing of npm: `make test` runs them" if choice == "only" else ""
    if choice == "none":
        return "need real command lines or inspectors from npm: `make test-all` runs them"
    folder = item.path.relative_to(_TESTS).parts[0]
    if not (_TESTS / folder / "node_modules").is_dir():
        if os.environ.get("CI") == "true" and choice != "auto":
            raise pytest.UsageError(f"{NPM_FOLDERS[folder]} must be there in CI")
        return f"need {NPM_FOLDERS[folder]}"
    return ""


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    left_out = Counter(_left_out)
    for reason, count in getattr(config, "sparring_left_out", Counter[str]()).items():
        left_out[reason] = max(left_out[reason], count)
    for reason, count in sorted(left_out.items()):
        terminalreporter.write_line(f"left out: {count} tests that {reason}")


def pytest_testnodedown(node: Any) -> None:
    """A worker of pytest-xdist collects for itself: what the last one left out is what all of them did."""
    if told := getattr(node, "workeroutput", {}).get("left_out"):
        node.config.sparring_left_out = Counter(told)


def pytest_sessionfinish(session: pytest.Session) -> None:
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["left_out"] = dict(_left_out)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, bool, bool]:
    """Hold a test to its marks."""
    marked = any(map(item.get_closest_marker, _STARTING))
    _watch.test = None if marked else item.nodeid
    try:
        return (yield)
    finally:
        _watch.test = None


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """The golden files; a test that asks for it is what ``make renew`` runs."""
    return Golden(renews=bool(request.config.getoption("--renew")))


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> "Iterator[Chromium]":
    """The browser that all tests of a process share; each has tabs of its own."""
    from support.chromium import Chromium  # noqa: PLC0415 -- Windows has not what it needs

    with Chromium(tmp_path_factory.mktemp("chromium")) as running:
        yield running


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of the server that all tests of a process share; each makes a schema of its own."""
    with running_postgres() as address:
        yield address
