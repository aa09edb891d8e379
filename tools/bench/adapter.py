"""Cost of the adapter over running a bare command line.

The same arguments, environment, prompt and endpoint, one after the other in turn, so that what the machine does
otherwise hits both alike. A program that answers at once is always there; the real ones where npm has installed them.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from statistics import median

import anyio
from anyio.to_thread import run_sync
from msgspec import Struct
from msgspec.structs import astuple

from bench.figures import Figure, Figures, LeftOut, Scale
from bench.processes import Cost, cost_of, median_cost
from bench.startup import TALK
from sparring.processes.children import Command, find_program
from sparring.providers.cli.confinement import Surroundings, confine
from sparring.providers.cli.consultant import CliConsultant, build_command, prompt_text
from sparring.providers.known import load_providers
from sparring.schema.consultation import Answer
from sparring.schema.providers import CliProvider
from sparring.testing import ModelEndpoint, Say, Workspace, fake_cli
from sparring.text.redaction import Redactor
from support.desk import BINARIES, Desk, question

SPARRING = (sys.executable, "-m", "sparring")
_CALL = {"name": "consult", "arguments": {"question": "Is it so?", "tool": "claude"}}
_TALK: tuple[Mapping[str, object], ...] = (
    *TALK[:3],
    *({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": _CALL} for number in (4, 5)),
)
REAL = ("claude", "codex")
ASKED = question("Is it so?")
ANSWER = json.dumps({"type": "result", "subtype": "success", "is_error": False, "result": "Yes."})


class _Cost(Struct, frozen=True):
    """Cost of one question."""

    wall_s: float
    cpu_s: float


class _Bench(Struct, frozen=True):
    """A tool that is asked, and where its prompt lies when it is run bare."""

    spec: CliProvider
    surroundings: Surroundings
    prompt: Path

    def consultant(self) -> CliConsultant:
        return CliConsultant(
            self.spec,
            self.surroundings,
            redactor=Redactor(),
        )

    def bare(self) -> Command:
        folder = Path(tempfile.mkdtemp(dir=self.prompt.parent))
        command = build_command(self.spec, ASKED, confine(self.spec, ASKED, self.surroundings, lambda: folder))
        program = find_program(command.argv[0], command.env["PATH"])
        return Command(argv=(str(program), *command.argv[1:]), env=command.env, cwd=command.cwd)


def run(scale: Scale) -> Figures:
    """The medians of both (aim: at most 60 ms and 0.15 s of CPU more)."""
    pairs = scale.of(21, smoke=1)
    with tempfile.TemporaryDirectory() as folder:
        there = Workspace(Path(folder))
        there.add_program("claude", fake_cli.__file__, "say", ANSWER, "", "0")
        surroundings = Surroundings(there.environment, there.project, Path(folder) / "cache")
        tool = _bench("claude", surroundings)
        yield anyio.run(_compared, "a program that answers at once", tool, pairs)
        yield from _from_outside(there, tool, scale.of(9, smoke=1))
    for tool in REAL:
        if scale.is_smoke or not (BINARIES / tool).exists():
            yield LeftOut(tool, "it is for the full size, after `npm ci --prefix tests/e2e`")
            continue
        with tempfile.TemporaryDirectory() as folder, ModelEndpoint(Say("The answer is yes.")) as endpoint:
            desk = Desk(Path(folder) / "home", Path(folder) / "project", endpoint)
            desk.home.mkdir()
            (desk.project / ".git").mkdir(parents=True)
            desk.write_codex_config()
            yield anyio.run(_compared, tool, _bench(tool, desk.surroundings()), pairs)


def _from_outside(there: Workspace, tool: _Bench, times: int) -> Figures:
    """The same question from a shell, and twice over MCP to a fresh server, beside the bare program each time."""
    environment, project = dict(there.environment), there.project
    bare, shell, server = list[_Cost](), list[_Cost](), list[Cost]()
    command = tool.bare()
    for _ in range(times):
        bare.append(anyio.run(_cost, lambda: run_sync(_run, command, tool.prompt)))
        began = time.perf_counter()
        asked = cost_of([*SPARRING, "consult", "Is it so?", "--tool", "claude"], environment=environment, cwd=project)
        shell.append(_Cost(time.perf_counter() - began, asked.cpu_s))
        server.append(cost_of([*SPARRING, "serve"], environment=environment, cwd=project, messages=_TALK))
    of_bare, of_shell = (_Cost(*map(median, zip(*map(astuple, costs), strict=True))) for costs in (bare, shell))
    more_s = of_shell.cpu_s - of_bare.cpu_s
    yield Figure(
        "sparring consult / run bare, CPU",
        of_shell.cpu_s / of_bare.cpu_s,
        f"{of_shell.cpu_s:.3f} s, {of_bare.cpu_s:.3f} s, {more_s:.3f} s more (aim <= 0.30 s)",
    )
    _, listed_s, first_s, second_s = median_cost(server).answers_s
    calls = (("first", first_s - listed_s, 0.4), ("second", second_s - first_s, 0.15))
    for which, took_s, aim_s in calls:
        yield Figure(
            f"{which} call of a fresh server / run bare",
            took_s / of_bare.wall_s,
            f"{took_s:.3f} s, {of_bare.wall_s:.3f} s, {took_s - of_bare.wall_s:.3f} s more (aim <= {aim_s:.2f} s)",
        )


def _bench(tool: str, surroundings: Surroundings) -> _Bench:
    spec = load_providers(None).specs[tool]
    assert isinstance(spec, CliProvider)  # noqa: S101 -- tells the type checker
    prompt = Path(surroundings.environment["HOME"]) / "prompt"
    prompt.write_text(prompt_text(spec, ASKED), encoding="utf-8")
    return _Bench(spec, surroundings, prompt)


async def _compared(what: str, tool: _Bench, pairs: int) -> Figure:
    consultant, command = tool.consultant(), tool.bare()
    await _asked(consultant)  # the first run of a program in a new home takes longer
    bare, asked = list[_Cost](), list[_Cost]()
    for _ in range(pairs):
        bare.append(await _cost(lambda: run_sync(_run, command, tool.prompt)))
        asked.append(await _cost(lambda: _asked(consultant)))
    of_bare, of_asked = (median(each.wall_s for each in costs) for costs in (bare, asked))
    wall_s = median(two.wall_s - one.wall_s for one, two in zip(bare, asked, strict=True))
    cpu_s = median(two.cpu_s - one.cpu_s for one, two in zip(bare, asked, strict=True))
    more = f"median difference {1000 * wall_s:+.0f} ms (aim <= 60 ms), {cpu_s:+.3f} s of CPU (aim <= 0.15 s)"
    return Figure(
        f"{what}: asked / run bare", of_asked / of_bare, f"{of_asked:.3f} s, {of_bare:.3f} s, {more}", "<= 1.05"
    )


async def _cost(run: Callable[[], Awaitable[object]]) -> _Cost:
    """Measure a run, with all programs that it started and that have ended."""
    began, used_s = time.perf_counter(), _cpu_s()
    await run()
    return _Cost(time.perf_counter() - began, _cpu_s() - used_s)


def _cpu_s() -> float:
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def _run(command: Command, prompt: Path) -> None:
    with prompt.open("rb") as stdin:
        subprocess.run(
            command.argv,
            stdin=stdin,
            capture_output=True,
            check=True,
            env=dict(command.env),
            cwd=command.cwd,
            start_new_session=True,  # on a busy machine Linux gives each session its share
        )


async def _asked(consultant: CliConsultant) -> None:
    reply = await consultant.ask(ASKED)
    if not isinstance(reply, Answer):
        raise TypeError(f"no answer: {reply}")
