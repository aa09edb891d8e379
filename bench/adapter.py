"""What asking a real command line through the adapter costs over running it bare.

The same arguments, environment, prompt and endpoint, one after the other in turn, so that what the machine does
otherwise hits both alike.
"""

import subprocess
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median

import anyio
from anyio.to_thread import run_sync

from sparring.consult.cli import CliConsultant
from sparring.consult.commands import build_command
from sparring.consult.confinement import Surroundings, confine
from sparring.consult.process import Command, find_program
from sparring.consult.prompt_text import prompt_text
from sparring.consult.providers import load_providers
from sparring.schema.consultation import Answer
from sparring.schema.providers import CliProvider
from sparring.testing.model_endpoint import ModelEndpoint, Say
from support.desk import BINARIES, Desk, question

PAIRS = 21
AIM_RATIO, AIM_S = 1.05, 0.050
ASKED = question("Is it so?")


async def main() -> None:
    """Print the medians of both, and what lies between them (aim: at most 5 % or 50 ms, whichever is more)."""
    for tool in ("claude", "codex"):
        if not (BINARIES / tool).exists():
            print(f"{tool}: not installed here; `npm ci --prefix tests/e2e` installs it")
            continue
        with tempfile.TemporaryDirectory() as folder, ModelEndpoint(Say("The answer is yes.")) as endpoint:
            await _compare(tool, _desk(Path(folder), endpoint))


def _desk(folder: Path, endpoint: ModelEndpoint) -> Desk:
    desk = Desk(folder / "home", folder / "project", endpoint)
    desk.home.mkdir()
    (desk.project / ".git").mkdir(parents=True)
    desk.write_codex_config()
    return desk


async def _compare(tool: str, desk: Desk) -> None:
    consultant, command = desk.consultant(tool), _bare_command(tool, desk)
    prompt = desk.home / "prompt"
    prompt.write_text(prompt_text(_spec(tool), ASKED), encoding="utf-8")
    await _asked(consultant)  # the first run of a program in a new home takes longer
    bare, asked = list[float](), list[float]()
    for _ in range(PAIRS):
        bare.append(await _timed(lambda: run_sync(_run, command, prompt)))
        asked.append(await _timed(lambda: _asked(consultant)))
    of_bare, of_asked = median(bare), median(asked)
    difference = median(two - one for one, two in zip(bare, asked, strict=True))
    aim = max(AIM_S, (AIM_RATIO - 1) * of_bare)
    print(
        f"{tool}: bare {of_bare:.3f} s, asked {of_asked:.3f} s, ratio {of_asked / of_bare:.3f}, "
        f"median difference {1000 * difference:+.0f} ms  (aim <= {1000 * aim:.0f} ms)"
    )


def _spec(tool: str) -> CliProvider:
    spec = load_providers(None).specs[tool]
    assert isinstance(spec, CliProvider)  # noqa: S101 -- tells the type checker
    return spec


def _bare_command(tool: str, desk: Desk) -> Command:
    spec, surroundings = _spec(tool), Surroundings(desk.environment, desk.project, desk.private_dir)
    command = build_command(spec, ASKED, surroundings=surroundings, confinement=confine(spec, ASKED, surroundings))
    program = find_program(command.argv[0], command.env["PATH"])
    return Command(argv=(str(program), *command.argv[1:]), env=command.env, cwd=command.cwd)


async def _timed(run: Callable[[], Awaitable[object]]) -> float:
    began = time.perf_counter()
    await run()
    return time.perf_counter() - began


def _run(command: Command, prompt: Path) -> None:
    with prompt.open("rb") as stdin:
        subprocess.run(
            command.argv, stdin=stdin, capture_output=True, check=True, env=dict(command.env), cwd=command.cwd
        )


async def _asked(consultant: CliConsultant) -> None:
    reply = await consultant.ask(ASKED)
    if not isinstance(reply, Answer):
        raise TypeError(f"no answer: {reply}")


if __name__ == "__main__":
    anyio.run(main)
