"""A real browser for tests: Debian's chromium without a head, told what to do over a pair of pipes.

It is the browser's own protocol in two hundred lines and not playwright or selenium, because the one brings a Node.js
of 45 MB and the other needs a driver of exactly the browser's version, and neither tells as directly what a page asks
for and runs, which is what most of these tests are about.
"""

import base64
import fcntl
import json
import os
import select
import signal
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self

from msgspec import Struct

from support.browsers import find_browser

ARTEFACTS = Path(__file__).parents[1] / "browser" / "artefacts"
"""Folder of the pictures of pages; git ignores it, and CI keeps it."""

_FLAGS = (
    *("--headless=new", "--remote-debugging-pipe", "--no-first-run", "--no-default-browser-check", "--disable-gpu"),
    *("--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage", "--disable-sync"),
    *("--disable-extensions", "--force-color-profile=srgb", "--password-store=basic"),
    "--disable-ipc-flooding-protection",  # a test goes to more addresses than a person does
)
_TO_BROWSER, _FROM_BROWSER = 3, 4
_ABOVE_THESE = 10
_CHUNK = 1 << 16
_PATIENCE_S = 60
_LOOK_EVERY_MS = 20

_KEYS: Mapping[str, tuple[int, str]] = {"Tab": (9, ""), "Enter": (13, "\r"), "Escape": (27, "")}
"""Keys that are no letters: number, and typed character."""


class _GoneError(AssertionError):
    """The browser refuses a command, e.g. since the page is another one by now."""


class Screen(Struct, frozen=True):
    """Screen on which a page is shown."""

    name: str
    width: int
    height: int
    is_touched: bool = False


DESKTOP, WIDE = Screen("desktop", 1280, 800), Screen("wide", 1920, 1080)
PHONE = Screen("phone", 390, 844, is_touched=True)


class Chromium:
    """The browser, for all tests of a session. It is gone, with all its children, when the block ends."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._calls, self._unread = 0, b""
        self._events = list[dict[str, Any]]()

    def __enter__(self) -> Self:
        program = find_browser()
        assert program, "there is no browser"
        sandbox = ("--no-sandbox",) if os.geteuid() == 0 else ()  # it refuses to have one as root
        reads, self._writes = (fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, _ABOVE_THESE) for end in os.pipe())
        self._reads, writes = (fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, _ABOVE_THESE) for end in os.pipe())
        log = str(self._home / "chromium.log")
        self._pid = os.posix_spawn(
            program,
            [program, *_FLAGS, *sandbox, f"--user-data-dir={self._home / 'profile'}", "about:blank"],
            {**os.environ, "HOME": str(self._home), "TMPDIR": str(self._home)},  # killed, it leaves folders behind
            file_actions=[
                (os.POSIX_SPAWN_DUP2, reads, _TO_BROWSER),
                (os.POSIX_SPAWN_DUP2, writes, _FROM_BROWSER),
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_OPEN, 1, log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600),
                (os.POSIX_SPAWN_DUP2, 1, 2),
            ],
            setpgroup=0,
        )
        os.close(reads)
        os.close(writes)
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        os.close(self._reads)
        os.close(self._writes)

    @contextmanager
    def tab(self, screen: Screen = DESKTOP, *, runs_scripts: bool = True) -> Generator["Tab"]:
        """An empty page with cookies and a cache of its own."""
        context = self.ask("Target.createBrowserContext")["browserContextId"]
        target = self.ask("Target.createTarget", url="about:blank", browserContextId=context)["targetId"]
        session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        tab = Tab(self, session)
        tab.begin(screen, runs_scripts=runs_scripts)
        try:
            yield tab
        finally:
            self.ask("Target.disposeBrowserContext", browserContextId=context)

    def ask(self, method: str, session: str = "", **parameters: Any) -> dict[str, Any]:
        """Send a command to the browser and return its answer."""
        self._calls += 1
        said = {"id": self._calls, "method": method, "params": parameters}
        message = json.dumps(said | ({"sessionId": session} if session else {})).encode() + b"\0"
        while message:
            message = message[os.write(self._writes, message) :]
        while (heard := self._hear()).get("id") != self._calls:
            self._events.append(heard)
        if "error" in heard:
            raise _GoneError(f"{method}: {heard['error']}")
        return heard["result"]

    def take(self, session: str) -> list[dict[str, Any]]:
        """Return the events of a page since the last call."""
        taken = [event for event in self._events if event.get("sessionId") == session]
        self._events = [event for event in self._events if event.get("sessionId") != session]
        return taken

    def listen(self) -> None:
        """Wait until anything happens."""
        self._events.append(self._hear())

    def _hear(self) -> dict[str, Any]:
        while b"\0" not in self._unread:
            ready, _, _ = select.select([self._reads], [], [], _PATIENCE_S)
            more = os.read(self._reads, _CHUNK) if ready else b""
            assert more, f"the browser says nothing: {(self._home / 'chromium.log').read_text(errors='replace')}"
            self._unread += more
        message, _, self._unread = self._unread.partition(b"\0")
        return json.loads(message)


class Tab:
    """One page.

    Attributes:
        asked_for: The address of everything that the page asked for, itself included.
        alarms: What scripts have said that called ``alarm``: any script may, wherever it comes from.
        refused: What the page's own policy has kept from it.
    """

    def __init__(self, browser: Chromium, session: str) -> None:
        self._browser, self._session = browser, session
        self._loaded = 0
        self.asked_for, self.alarms, self.refused = list[str](), list[str](), list[str]()

    def begin(self, screen: Screen, *, runs_scripts: bool) -> None:
        """Make the tab what a test wants."""
        for domain in ("Page", "Network", "Runtime", "Audits"):
            self.ask(f"{domain}.enable")
        self.ask("Runtime.addBinding", name="ring")
        self.ask("Page.addScriptToEvaluateOnNewDocument", source="window.alarm = (why) => ring(String(why))")
        self.resize(screen)
        self.look(dark=False)
        self.ask("Emulation.setScriptExecutionDisabled", value=not runs_scripts)

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command about this page and return the browser's answer."""
        answer = self._browser.ask(method, self._session, **parameters)
        self._heed()
        return answer

    def resize(self, screen: Screen, zoom: float = 1) -> None:
        """Show the page on that screen; a page at 400 % has a quarter of its pixels for the same words."""
        size = {"width": round(screen.width / zoom), "height": round(screen.height / zoom)}
        self.ask("Emulation.setDeviceMetricsOverride", **size, deviceScaleFactor=zoom, mobile=screen.is_touched)

    def look(self, *, dark: bool) -> None:
        """Show the page as those see it who like it so, and without movement."""
        features = {"prefers-color-scheme": "dark" if dark else "light", "prefers-reduced-motion": "reduce"}
        told = [{"name": name, "value": value} for name, value in features.items()]
        self.ask("Emulation.setEmulatedMedia", media="", features=told)

    def show(self, address: str) -> None:
        """Go to that address, and wait until everything is there."""
        before = self._loaded
        answer = self.ask("Page.navigate", url=address)
        assert "errorText" not in answer, answer
        while self._loaded == before:
            self._browser.listen()
            self._heed()

    def value(self, expression: str) -> Any:
        """Evaluate an expression of JavaScript in the page; a promise is awaited."""
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def until(self, expression: str) -> None:
        """Look until an expression of JavaScript is true in the page, which may leave for another meanwhile."""
        look = f"new Promise((done) => setTimeout(() => done(Boolean({expression})), {_LOOK_EVERY_MS}))"
        for _ in range(_PATIENCE_S * 1000 // _LOOK_EVERY_MS):
            with suppress(_GoneError):
                if self.value(look):
                    return
        raise AssertionError(f"never true: {expression}; there is {self.value('document.body.innerText')}")

    def press(self, key: str) -> None:
        """Press a key as a person does, and let it go."""
        number, typed = _KEYS.get(key) or (ord(key.upper()), key)
        said = {"key": key, "windowsVirtualKeyCode": number}
        self.ask("Input.dispatchKeyEvent", type="keyDown", **said, **({"text": typed} if typed else {}))
        self.ask("Input.dispatchKeyEvent", type="keyUp", **said)

    @property
    def is_too_wide(self) -> bool:
        """True if there is more beside what is on the screen."""
        return self.value("document.documentElement.scrollWidth > document.documentElement.clientWidth")

    def screenshot(self) -> bytes:
        """Return the picture of the screen, as PNG."""
        return base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"])

    def picture(self, name: str) -> None:
        """Leave a picture of what is on the screen among the artefacts."""
        ARTEFACTS.mkdir(exist_ok=True)
        (ARTEFACTS / f"{name}.png").write_bytes(self.screenshot())

    def printed(self) -> bytes:
        """The page as a PDF."""
        return base64.b64decode(self.ask("Page.printToPDF", printBackground=True)["data"])

    def _heed(self) -> None:
        for event in self._browser.take(self._session):
            told: dict[str, Any] = event.get("params", {})
            method, issue = event.get("method"), told.get("issue", {})
            self._loaded += method == "Page.loadEventFired"
            if method == "Network.requestWillBeSent":
                self.asked_for.append(told["request"]["url"])
            elif method == "Runtime.bindingCalled":
                self.alarms.append(told["payload"])
            elif issue.get("code") == "ContentSecurityPolicyIssue":
                self.refused.append(issue["details"]["contentSecurityPolicyIssueDetails"]["violatedDirective"])
