"""Scenes that are killed: a run of each format and a table, by three interfaces; with their undisturbed ends."""

import json
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

import anyio
from filelock import FileLock
from msgspec import Struct
from pydantic import JsonValue

from sparring.batch.answers import read_run_record
from sparring.batch.shards import read_rows
from sparring.errors import StateCorruptError
from sparring.schema.base import Role
from sparring.schema.runs import Outcome
from sparring.store.exchanges.database import SqlStatement
from sparring.store.exchanges.ledger import ExchangeLedger
from sparring.store.journal import ReadJournal, read_journal
from support import mcp_project
from support.answering import Answering
from support.chaired_debaters import CHAIRED, CHAIRED_SPEECHES, TOPIC
from support.fact_checkers import AGAINST, EVIDENCE, FOR
from support.fact_checking import CLAIM, SOURCES
from support.http_server import url_in, visitor
from support.jurors import REPLIES
from support.mcp_peer import INITIALIZE, request
from support.workbench import DEBATE, SPEECHES, Result, Workbench

Speeches = Sequence[Mapping[str, object]]

TOOLS = ("ann", "bob", "cy")
COMMAND_LINE, SERVER, HTTP = "command line", "server", "HTTP"
PATIENCE_S = 120
"""Seconds that a process may take before a test fails; nothing depends on the real duration."""

_HERE = Path(__file__).parent
_KILLING, _TELLER = _HERE / "killing.py", _HERE / "teller.py"
_CHANGING = frozenset({"id", "run_id", "timestamp", "at", "duration_ms", "fetched_at", "maybe_paid_twice", "spent"})
_ROWS = "claim,truth\n" + "".join(f'Under {number} cases.,"More than {number} cases."\n' for number in (650, 651, 652))


class Scene(Struct, frozen=True):
    """Something to be held, and who takes part in it.

    Attributes:
        command: As it is typed.
        call: The tool of the server, and its arguments; none for a table.
        speeches: What everybody says.
        of_bob: What he says, where that is something else.
    """

    name: str
    command: tuple[str, ...]
    call: tuple[str, Mapping[str, object]] | None
    speeches: Speeches
    of_bob: Speeches = ()

    def __str__(self) -> str:
        return self.name

    @property
    def doors(self) -> tuple[str, ...]:
        return (COMMAND_LINE, SERVER, HTTP) if self.call else (COMMAND_LINE,)


_SEATS = ["promoter=ann", "detractor=bob", "chair=cy", "audience=cy", "reporter=cy"]
_CHAIRED = {"topic": TOPIC, "seat": _SEATS, "min_rounds": 1, "max_rounds": 2}
_CONSULT = ("consult", "So?", "--tool", "ann,bob")
_CHECKED = {"claim": CLAIM, "evidence": list(SOURCES), "with": "ann,bob,cy", "max_rounds": 2}
_PAIR = {"claim": "Under 650 cases.", "truth": "More than 645 cases.", "with": "ann"}
_JURY = ("jury", _PAIR["claim"], "--truth", _PAIR["truth"], "--with", "ann")
_FACT_CHECK = ("fact-check", CLAIM, *EVIDENCE, "--with", "ann,bob,cy", "--max-rounds", "2")
_OUTPUT = ("--output", "judged", "--set", "write=jsonl")
_TABLE = ("batch", "jury", "--input", "table.csv", *_OUTPUT, "--with", "ann", "--set", "rebuttals=0")

SCENES = {
    scene.name: scene
    for scene in (
        Scene("debate", DEBATE, ("debate", mcp_project.DEBATE), SPEECHES),
        Scene("chaired-debate", CHAIRED, ("chaired_debate", _CHAIRED), CHAIRED_SPEECHES),
        Scene("fact-check", _FACT_CHECK, ("fact_check", _CHECKED), FOR, AGAINST),
        Scene("jury", _JURY, ("jury", _PAIR), REPLIES),
        Scene("consult", _CONSULT, ("consult", {"question": "So?", "tool": "ann,bob"}), SPEECHES),
        Scene("table", _TABLE, None, REPLIES),
    )
}
"""The five formats, and the table."""


class Whole(Struct, frozen=True):
    """A scene that nobody disturbed.

    Attributes:
        result: What came of it, without what differs from run to run.
        files: The names of all that it left.
        asked: How often who was asked what.
        moments: How many there were, at each door.
    """

    result: JsonValue
    files: frozenset[str]
    asked: Counter[str]
    moments: Mapping[str, int]


class Stage:
    """A project, a home and tools of its own, where one scene is played once."""

    def __init__(self, scene: Scene, root: Path, answers: Path) -> None:
        (root / "tmp").mkdir(parents=True)
        self.scene = scene
        self.bench = Workbench.below(root, TMPDIR=str(root / "tmp"))
        (self.bench.project / "table.csv").write_text(_ROWS, encoding="utf-8")
        for tool in TOOLS:
            self.bench.add_cli(tool, "-S", str(_TELLER), str(answers), str(root / "asked"), tool)

    @property
    def typed(self) -> tuple[str, ...]:
        """The command behind the name of the program."""
        return (*self.scene.command, "--json")

    @property
    def asked(self) -> Counter[str]:
        """Number of times that each question was asked of each tool."""
        file = self.bench.root / "asked"
        return Counter(file.read_text(encoding="ascii").splitlines() if file.exists() else ())

    @property
    def calls(self) -> list[Path]:
        """The folders of what was asked by a program."""
        return [*self.bench.root.glob(".cache/sparring/calls/*")]

    def runs(self) -> dict[Path, ReadJournal]:
        """All runs that have begun, by their folders, and what stands in their journals."""
        found = dict[Path, ReadJournal]()
        for file in sorted(self.bench.state.rglob("journal.jsonl")):
            with suppress(StateCorruptError):  # not even its beginning was written
                found[file.parent] = read_journal(file.parent)
        return found

    def answered(self) -> set[str]:
        """Return the questions that have an answer in a journal, in the form of ``asked``."""
        turns = (turn for run in self.runs().values() for turn in (*run.transcript.turns, *run.pending))
        return {f"{turn.tool} {turn.prompt_sha256}" for turn in turns if turn.answer}

    def play(self, door: str, moment: int = 0, signum: signal.Signals = signal.SIGKILL) -> Result:
        """Play the scene by that door; at that moment, as ``killing`` counts them, it is sent the signal."""
        killing = (str(_KILLING), str(self.bench.root), str(moment), str(int(signum)))
        if door == HTTP:
            return self._serve(*killing, "serve", "--http", "127.0.0.1:0", "--set", "grace=0")
        if door == COMMAND_LINE:
            return self._run((), *killing, *self.typed)
        assert self.scene.call
        tool, arguments = self.scene.call
        messages = (
            request(0, "initialize", INITIALIZE),
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            request(1, "tools/call", {"name": tool, "arguments": arguments}),
        )
        return self._run(messages, *killing, "serve")

    def go_on(self) -> Result:
        """Do what a user does after a crash: take up what has begun, or else do the same again."""
        runs = self.runs()
        if self.scene.name == "table" or not runs:
            return self.play(COMMAND_LINE)
        return self._run((), "-m", "sparring", "runs", "resume", list(runs)[-1].name, "--json")

    def _run(self, messages: Sequence[Mapping[str, object]], *argv: str) -> Result:
        """A process that reads these and then waits for more until it has answered the last, as a host lets it."""
        with TemporaryFile() as stderr:
            with self._started(*argv, stderr=stderr) as process:
                out = _talk(process, b"".join(map(_line, messages)))
                code = process.wait(PATIENCE_S)
            stderr.seek(0)
            return Result(code, out.decode(), stderr.read().decode())

    def _serve(self, *argv: str) -> Result:
        """A process that serves whoever comes over HTTP, of which one calls the tool."""
        assert self.scene.call
        with self._started(*argv, stderr=subprocess.PIPE) as process:
            assert process.stderr
            if "http://" in (said := process.stderr.readline().decode()):
                with suppress(Exception):  # it was killed
                    anyio.run(_called, url_in(said), *self.scene.call)
            process.terminate()
            _, err = process.communicate(timeout=PATIENCE_S)
        return Result(process.returncode, "", err.decode())

    def _started(self, *argv: str, stderr: int | IO[bytes]) -> "subprocess.Popen[bytes]":
        pipe, place, environment = subprocess.PIPE, self.bench.project, self.bench.environment
        return subprocess.Popen(
            [sys.executable, *argv], stdin=pipe, stdout=pipe, stderr=stderr, cwd=place, env=environment
        )

    def result(self, done: Result) -> JsonValue:
        """Return the result of the scene, without what differs from run to run."""
        if self.scene.name == "table":
            return [done.code, *map(lasting, read_rows(str(self.bench.project / "judged")))]
        files = [folder / "result.json" for folder in self.runs()]
        return [lasting(json.loads(file.read_bytes())) if file.exists() else "not filed" for file in files]

    def files(self) -> frozenset[str]:
        """The names of all that is left below the state folder, whatever the runs are called."""
        names = {folder.name: f"run{number}" for number, folder in enumerate(self.runs())}
        paths = [path.relative_to(self.bench.state) for path in self.bench.state.rglob("*") if path.is_file()]
        return frozenset("/".join(names.get(part, part) for part in path.parts) for path in paths)


async def _called(url: str, tool: str, arguments: Mapping[str, object]) -> None:
    with anyio.fail_after(PATIENCE_S):
        async with visitor(url, "") as client:
            await Answering(client).call(tool, arguments)


def _line(message: Mapping[str, object]) -> bytes:
    return json.dumps(message).encode() + b"\n"


def _talk(process: "subprocess.Popen[bytes]", lines: bytes) -> bytes:
    assert process.stdin
    assert process.stdout
    out = b""
    with suppress(BrokenPipeError):  # it was killed before
        process.stdin.write(lines)
        process.stdin.flush()
        while lines and (line := process.stdout.readline()):
            out += line
            said = json.loads(line)
            if said.get("id") != 1:
                continue
            result = said["result"]["structuredContent"]
            if result["status"] != "running":
                break
            wait = request(1, "tools/call", {"name": "wait", "arguments": {"run_id": result["run_id"]}})
            process.stdin.write(_line(wait))
            process.stdin.flush()
        process.stdin.close()
    return out + process.stdout.read()


def lasting(found: JsonValue) -> JsonValue:
    """Return the findings without what differs from run to run."""
    if isinstance(found, dict):
        return {name: lasting(part) for name, part in found.items() if name not in _CHANGING}
    if isinstance(found, list):
        return [lasting(part) for part in found if not str(part).startswith("A torn line of ")]
    return found


def substance(outcome: Outcome | None) -> JsonValue:
    """Return the outcome of a run without what differs from run to run."""
    assert outcome
    return lasting(outcome.model_dump(mode="json"))


class Scenes:
    """Undisturbed ends of the scenes; determined once for all processes that share ``folder``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[str, Whole] = {}

    def stage(self, scene: Scene, root: Path) -> Stage:
        """A new stage below ``root``."""
        with FileLock(self._folder / f"{scene.name}.lock"):
            if not self._answers(scene).exists():
                self._answers(scene).write_text(json.dumps(_learned(scene, self._folder / scene.name)))
        return Stage(scene, root, self._answers(scene))

    def whole(self, scene: Scene, root: Path, doors: Sequence[str] = (COMMAND_LINE,)) -> Whole:
        """Return the undisturbed end of ``scene`` at each of ``doors``; ``root`` is a folder that may be made."""
        kept = self._folder / f"{scene.name}.whole.{'.'.join(doors)}.json"
        with FileLock(kept.with_suffix(".lock")):
            if not kept.exists():
                kept.write_text(json.dumps(self._played(scene, root, doors)))
        found: dict[str, Any] = json.loads(kept.read_bytes())
        return Whole(found["result"], frozenset(found["files"]), Counter(found["asked"]), found["moments"])

    def _answers(self, scene: Scene) -> Path:
        return self._folder / f"{scene.name}.answers.json"

    def _played(self, scene: Scene, root: Path, doors: Sequence[str]) -> dict[str, Any]:
        moments, ends = dict[str, int](), list[Any]()
        for door in doors:
            stage = self.stage(scene, root / f"whole {door}")
            done = stage.play(door)
            ends.append({"result": stage.result(done), "files": sorted(stage.files()), "asked": stage.asked})
            moments[door] = int((stage.bench.root / "moments").read_text())
        assert all(end == ends[0] for end in ends), ends
        shutil.rmtree(root)
        return ends[0] | {"moments": moments}


def _learned(scene: Scene, root: Path) -> dict[str, str]:
    """Return the answers of the scripted tools by the digest of the prompt."""
    return {
        f"{turn.tool} {turn.prompt_sha256}": turn.answer.response
        for journal in rehearsed(scene, root)
        for turn in journal.transcript.turns
        if turn.answer and turn.role is not Role.VERIFIER
    }


def rehearsed(scene: Scene, root: Path) -> list[ReadJournal]:
    """The runs of a scene with scripted tools, in a project below ``root``; no program is started."""
    bench = Workbench.below(root)
    (bench.project / "table.csv").write_text(_ROWS, encoding="utf-8")
    for tool in TOOLS:
        bench.add_tool(tool, scene.of_bob if tool == "bob" and scene.of_bob else scene.speeches)
    done = bench.run(*scene.command, "--json")
    assert done.code == 0, done.err
    journals = [read_journal(file.parent) for file in sorted(bench.state.rglob("journal.jsonl"))]
    return [*journals, *(_rows_of(bench.ledger) if bench.ledger.exists() else ())]


def _rows_of(file: Path) -> Iterator[ReadJournal]:
    """The runs of the rows of a table, which have the ledger for their journal."""
    with ExchangeLedger.open(str(file)) as ledger:
        keys = ledger.run_statements_now(
            [SqlStatement("SELECT key FROM sparring_row_result ORDER BY number")], lambda rows: rows[0]
        )
        for (key,) in keys:
            header, steps = read_run_record(ledger, ledger.find(key.hex()).run)
            yield ReadJournal(header, steps, (), None, ())
