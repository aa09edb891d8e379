"""Recordings of real command lines whose endpoint fails, for the tests of our parsers."""

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import Struct

from sparring.processes.children import FinishedProcess

RECORDED = Path(__file__).resolve().parents[1] / "golden" / "outputs"
KEY = "sk-planted-open-sesame-4711-and-more"
"""Of nobody. Endpoints repeat it in what they refuse, and no reply may."""

_SAME: Mapping[re.Pattern[str], str] = {
    re.compile(r"\b\d{4}-\d\d-\d\dT\d\d[:-]\d\d[:-]\d\d(?:[.-]\d+)?(?:Z|\+00:00)"): "2026-11-20T12:00:00.000Z",
    re.compile(r"\b\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\b"): "Fri, 20 Nov 2026 12:00:00 GMT",
    re.compile(r"\bBaseHTTP/[\d.]+ Python/[\d.]+"): "BaseHTTP",
    re.compile(r"\berr_[0-9a-f]{8}\b"): "err_00000000",
    re.compile(r"\b1[789]\d{11}\b"): "1795176000000",
    re.compile(r"\bonly ~\d+ tokens\b"): "only ~278 tokens",  # the more, the longer the names of its folders are
    re.compile(r"127\.0\.0\.1:\d+"): "127.0.0.1:9",
    re.compile(r"\bcalls/[0-9a-f]{32}\b"): "calls/CALL",
    re.compile(r"\bsparring-[0-9a-f]{16}\b"): "sparring-CALL",
    re.compile(r"\brun=[0-9a-f]{8}\b"): "run=00000000",
    re.compile(r"\bslug=[a-z]+(?:-[a-z]+)*"): "slug=some-name",
    re.compile(r"(?<=request to )https?://\S+"): "https://packages.example/name",
    re.compile(r"/sessions/[0-9a-f]{16}/"): "/sessions/folder/",
    re.compile(r"/projects/[0-9a-f]{24}/"): "/projects/one/",
    re.compile(r"(?:\n +at [^\n]*)+"): "\n    at the place of the failure",
    re.compile(r'("\w*(?:bytes|delay|duration|elapsed|latency|time)\w*": ?)[\d.]+', re.IGNORECASE): r"\g<1>1",
    re.compile(r',"requestFingerprint":\{[^}]*\}'): "",
    re.compile(r'^\{"type":"session\.(?:info|mcp_servers_loaded|skills_loaded|tools_updated)".*\n', re.MULTILINE): "",
}
"""Patterns that differ from run to run, or fill pages, with their replacements."""

_IDS: Mapping[re.Pattern[str], Callable[[int], str]] = {
    re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"): "00000000-0000-4000-8000-{:012x}".format,
    re.compile(r"\b(?:ses|msg|prt)_[0-9a-f]{12}[0-9A-Za-z]{14}\b"): "ses_000000000000{:014d}".format,
}
"""Ids, which stay different from each other."""


def same_every_time(text: str) -> str:
    """``text`` without what differs from run to run and means nothing."""
    for pattern, written in _SAME.items():
        text = pattern.sub(written, text)
    for pattern, spelled in _IDS.items():
        names = {found: spelled(number) for number, found in enumerate(dict.fromkeys(pattern.findall(text)))}
        text = pattern.sub(lambda found, names=names: names[found[0]], text)
    return text


class Recording(Struct, frozen=True):
    """Exit and output of a command line."""

    exit_code: int | None
    stdout: str
    stderr: str
    timed_out: bool
    dismissed: bool = False

    @classmethod
    def of(cls, finished: FinishedProcess, *places: tuple[Path, str]) -> "Recording":
        """Return the recording of ``finished``, the same for every equal run."""

        def kept(text: str) -> str:
            for place, name in places:
                # OpenCode has some of them without the first slash.
                text = text.replace(str(place), name).replace(str(place).lstrip("/"), name)
            return same_every_time(text)

        return cls(
            finished.exit_code, kept(finished.stdout), kept(finished.stderr), finished.timed_out, finished.dismissed
        )

    @classmethod
    def read(cls, name: str) -> "Recording":
        """The recording of that name, e.g. ``claude/endpoint/401``."""
        told = json.loads((RECORDED / f"{name}.json").read_text(encoding="utf-8"))
        return cls(
            told["exit_code"],
            told["stdout"],
            told["stderr"],
            told.get("timed_out", False),
            told.get("dismissed", False),
        )

    @property
    def text(self) -> str:
        """The content of its file."""
        kept = {name: value for name, value in self.__dict__.items() if name != "dismissed" or value}
        return json.dumps(kept, indent=1, ensure_ascii=False) + "\n"

    @property
    def finished(self) -> FinishedProcess:
        """Process result as a parser receives it."""
        return FinishedProcess(
            self.exit_code,
            self.stdout,
            self.stderr,
            timed_out=self.timed_out,
            overflowed=False,
            duration_ms=1,
            dismissed=self.dismissed,
        )
