"""A real small model behind an OpenAI-compatible server on loopback (``tools/real``), asked as any provider is."""

import json
import re
import shutil
import subprocess
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from msgspec import Struct

from support.processes import heeding_endings
from support.workbench import Workbench

TOOLS = Path(__file__).parents[2] / "tools" / "real"
MODEL = TOOLS / "model.gguf"
RUNTIME = TOOLS / "node_modules"
CONTEXT = 8192

SEATS = ("left", "right", "third")
"""Names of providers that are all the same model, each of a family of its own."""


def why_not() -> str:
    """Return the reason why no real model can be asked here; empty where one can."""
    if not MODEL.is_file() or not RUNTIME.is_dir():
        return "ask a real small model: `make real` fetches it"
    return "" if shutil.which("node") else "ask a real small model, which needs node"


class Answered(Struct, frozen=True):
    """One request that the model has answered.

    Attributes:
        prompt: All messages, joined.
        schema: Name of the schema that bound the answer; None where none did.
        stop: ``stop``, or ``length`` where its limit of tokens ended it.
    """

    prompt: str
    schema: str | None
    response: str
    stop: str
    prompt_tokens: int
    completion_tokens: int


class RealModel(Struct, frozen=True):
    """A running server: its address, the id of its model, and the log of what it was asked."""

    url: str
    name: str
    log: Path

    @property
    def answered(self) -> list[Answered]:
        """Every request so far that has an answer, in order."""
        if not self.log.exists():
            return []
        return [_answered(json.loads(line)) for line in self.log.read_text("utf-8").splitlines()]

    def add_to(self, bench: Workbench, *, limits: str = "") -> None:
        """Seat the model in ``bench`` under each of ``SEATS``; ``limits`` are more lines of the provider files."""
        for name in SEATS:
            lines = (f'model = "{self.name}"', "key_optional = true", f'family = "{name}"', limits)
            bench.add_api(name, self.url, *lines)
            file = bench.providers / f"{name}.toml"
            file.write_text(file.read_text("utf-8").replace('family = "none"\n', "", 1), "utf-8")


def _answered(line: Mapping[str, Any]) -> Answered:
    prompt = "\n".join(message["content"] for message in line["messages"])
    counts = {name: line[name] for name in ("prompt_tokens", "completion_tokens")}
    return Answered(prompt, line["schema"], line["response"], line["stop"], **counts)


@contextmanager
def running(folder: Path, *, context: int = CONTEXT, most_tokens: int = 256) -> Generator[RealModel]:
    """Run a server with its log in ``folder``, and end it."""
    log = folder / "answered.jsonl"
    node = shutil.which("node") or "node"
    environment = {"PATH": str(Path(node).parent), "CONTEXT": str(context), "MAX_TOKENS": str(most_tokens)}
    environment["UNTIL_STDIN_ENDS"] = "1"  # so that it ends with the tests, however they end
    with heeding_endings():
        server = subprocess.Popen(
            (node, str(TOOLS / "server.mjs"), str(MODEL), str(log)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            cwd=folder,
            text=True,
        )
    try:
        assert server.stdout
        ready = json.loads(next(line for line in server.stdout if line.startswith("{")))
        yield RealModel(f"http://127.0.0.1:{ready['port']}", ready["model"], log)
    finally:
        server.kill()
        server.wait()
        for stream in filter(None, (server.stdin, server.stdout)):
            stream.close()


_WORD = re.compile(r"[a-z]{4,}")
_COMMON = frozenset(
    [
        "should",
        "that",
        "this",
        "with",
        "from",
        "have",
        "after",
        "when",
        "which",
        "there",
        "their",
        "what",
        "would",
        "could",
        "than",
        "then",
        "they",
    ]
)


def content_words(text: str) -> frozenset[str]:
    """The words of ``text`` that say what it is about, by their first six letters."""
    return frozenset(word[:6] for word in _WORD.findall(text.lower()) if word not in _COMMON)
