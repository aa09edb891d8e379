"""One thing found out about a command line at a time, each on a desk of its own, as sparring would consult it."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec.structs import replace
from pydantic import JsonValue

from lab.measured import FailureTaken, Opening, SignalTaken
from sparring.lookup.snapshot import with_copy
from sparring.processes.call_folders import CallFolders
from sparring.processes.children import located
from sparring.providers.cli.confinement import Surroundings, confine
from sparring.providers.cli.consultant import CliConsultant, build_command
from sparring.schema.consultation import Answer, Question, Reply
from sparring.testing.model_endpoint import Behaviour, Hang, Refuse, Reset, Say
from sparring.text.redaction import Redactor
from support.desk import PATIENCE_S, Desk, answered, command_line, files, new_desk, question, write
from support.processes import processes_with_home

SIZES = (2**12, 2**15, 2**16, 2**18, 2**20)
WAIT_S = 75
"""Longer than a minute, at which one of them gives up by itself."""

GIVE_UP_S = 150

_BOOM = "This failed on purpose."
FAILING: Mapping[str, Behaviour | None] = {
    "401": Refuse(401, "authentication_error", _BOOM),
    "429": Refuse(429, "rate_limit_error", _BOOM),
    "500": Refuse(500, "api_error", _BOOM),
    "503": Refuse(503, "unavailable", _BOOM),
    "529": Refuse(529, "overloaded_error", _BOOM),
    "reset connection": Reset(),
    "closed port": None,
    "answer cut off": Say("Half of an answer", pieces=3),
    "empty answer": Say(""),
}
"""Behaviours of a failing endpoint; None: there is no endpoint."""

_PLACES = (
    "", ".agents/", ".claude/", ".codex/", ".config/opencode/", ".copilot/", ".gemini/", ".github/", ".opencode/",
)  # fmt: skip
_NAMES = (
    "AGENTS.md", "AGENTS.override.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md", "copilot-instructions.md",
    "instructions.md", "instructions/all.instructions.md", "rules/rule.md",
)  # fmt: skip
_HEARD = re.compile(r"LEAKED<([^>]+)>")


@contextmanager
def new_lab() -> Generator[Desk]:
    """A desk on which nobody has asked for fewer tries than usual."""
    with TemporaryDirectory(prefix="sparring-lab-") as folder, new_desk(Path(folder)) as desk:
        config = desk.home / ".codex" / "config.toml"
        lines = config.read_text(encoding="utf-8").splitlines(keepends=True)
        config.write_text("".join(line for line in lines if "_max_retries" not in line), encoding="utf-8")
        login = {"security": {"auth": {"selectedType": "gemini-api-key"}}}
        write(desk.home / ".gemini" / "settings.json", login)
        (desk.home / "tmp").mkdir()
        yield replace(desk, variables={"TMPDIR": str(desk.home / "tmp")})


def surroundings(desk: Desk) -> Surroundings:
    """Return the surroundings of a tool at that desk."""
    environment = {name: value for name, value in desk.environment.items() if name != "CLAUDE_CODE_MAX_RETRIES"}
    return with_copy(Surroundings(environment, desk.project, desk.private_dir), Redactor())


async def ask(tool: str, desk: Desk, asked: Question) -> Reply:
    """Ask a question as sparring does and return the reply."""
    return await CliConsultant(command_line(tool), surroundings(desk), redactor=Redactor()).ask(asked)


def version(tool: str) -> str:
    """The version that the tool says it has."""
    with new_lab() as desk:
        printed = desk.bare(tool, "--version").stdout
    found = re.search(r"\d+(?:\.\d+)+", printed)
    assert found is not None, printed
    return found[0]


async def heard(tool: str) -> tuple[tuple[str, ...], int]:
    """Whose instructions reached the model, and how much reaches it beside the question."""
    with new_lab() as desk:
        for whose, folder in (("user", desk.home), ("project", desk.project)):
            for name in (f"{place}{file}" for place in _PLACES for file in _NAMES):
                write(folder / name, f"LEAKED<{whose}'s {name}>\n")
        answered(await ask(tool, desk, question()))
        bodies = json.dumps([request.body for request in desk.endpoint.requests], ensure_ascii=False)
        return tuple(sorted(set(_HEARD.findall(bodies)))), len(bodies) - len(question().prompt)


async def largest_answer(tool: str) -> int:
    """The largest of ``SIZES`` that arrived letter by letter."""
    arrived = 0
    for size in SIZES:
        text = ('A line with "quotes", `ticks` and \\ in it.\n' * (size // 40))[:size].rstrip()
        with new_lab() as desk:
            desk.endpoint.behaviour = Say(text)
            reply = await ask(tool, desk, question())
        if not isinstance(reply, Answer) or reply.response.rstrip() != text:
            break
        arrived = size
    return arrived


async def waits_s(tool: str) -> int:
    """Return the seconds that it waits for an answer that does not begin, up to ``WAIT_S``."""
    with new_lab() as desk:
        desk.endpoint.behaviour = Hang()
        reply = await ask(tool, desk, question(timeout_s=WAIT_S))
        tries = len(desk.endpoint.requests)
        return round(reply.duration_ms / 1000 / max(tries, 1)) if tries > 1 else min(WAIT_S, reply.duration_ms // 1000)


async def failed(tool: str, behaviour: Behaviour | None) -> FailureTaken:
    """Return how the tool handles a model that fails like that; None: no endpoint listens."""
    with new_lab() as desk:
        if behaviour is None:
            desk.endpoint.close()
        else:
            desk.endpoint.behaviour = behaviour
        reply = await ask(tool, desk, question(timeout_s=GIVE_UP_S))
        code = "answered" if isinstance(reply, Answer) else reply.code.value
        requests = None if behaviour is None else len(desk.endpoint.requests)
        return FailureTaken(code=code, requests=requests, seconds=round(reply.duration_ms / 1000))


def signalled(tool: str, name: str) -> SignalTaken:
    """Return how the bare program handles a signal to its whole group while it waits."""
    with new_lab() as desk:
        desk.endpoint.behaviour = Hang()
        spec, around = command_line(tool), surroundings(desk)
        prompt, out = write(desk.home / "prompt", "Is it so?"), desk.home / "out"
        with CallFolders(around.private_dir).new_folder() as folder:
            confined = confine(spec, question(), around, folder.make_own)
            command = build_command(spec, question(), confined)
            with prompt.open("rb") as stdin, out.open("wb") as stdout:
                process = subprocess.Popen(
                    (located(command), *command.argv[1:]),
                    stdin=stdin, stdout=stdout, stderr=subprocess.DEVNULL,
                    env=command.env, cwd=command.cwd, start_new_session=True,
                )  # fmt: skip
            try:
                desk.endpoint.wait_for(1, timeout_s=PATIENCE_S)
                os.killpg(process.pid, signal.Signals[name])
                code = _exit_code(process)
                alive = len(processes_with_home(desk.home))
                return SignalTaken(exit_code=code, printed=out.stat().st_size > 0, left_alive=alive)
            finally:
                for left in (process.pid, *(int(each.name) for each in processes_with_home(desk.home))):
                    with suppress(ProcessLookupError):
                        os.kill(left, signal.SIGKILL)
                process.wait()


def _exit_code(process: "subprocess.Popen[bytes]") -> int | None:
    with suppress(subprocess.TimeoutExpired):
        return process.wait(20)
    return None


async def leaves(tool: str) -> tuple[str, ...]:
    """Return the new files in the home folder, temporary ones included, after one question was answered."""
    with new_lab() as desk:
        before = files(desk.home)
        answered(await ask(tool, desk, question()))
        found = {Path(name) for name in files(desk.home).keys() - before.keys()}
        return tuple(sorted({_shown(file.relative_to(desk.home)) for file in found}))


def _shown(file: Path) -> str:
    """A file by names that are the same every time."""
    return re.sub(r"\b(?=\w*\d)(?=\w*[^\W\d_])\w{6,}\b|[0-9a-f]{8,}[0-9a-f-]*|\d{4,}", "…", file.as_posix())


def opening(tool: str) -> Opening:
    """Return its opening messages to an MCP server of the user's, when it is the host."""
    with new_lab() as desk:
        record = desk.home / "record"
        argv = [sys.executable, "-I", str(Path(__file__).with_name("recorder.py")), str(record)]
        desk.variables["GEMINI_CLI_TRUST_WORKSPACE"] = "true"
        desk.bare(*_hosting(tool, desk, argv), typed="Is it so?").check_returncode()
        told = [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]
    (initialize,) = (each["params"] for each in told if each.get("method") == "initialize")
    messages = [each["method"] for each in told if "method" in each]
    return Opening(
        client=initialize["clientInfo"]["name"],
        messages=tuple(messages[: messages.index("initialize") + 1]),
        protocol=initialize["protocolVersion"],
    )


def _hosting(tool: str, desk: Desk, server: Sequence[str]) -> Sequence[str]:
    command, *arguments = server
    entry: dict[str, JsonValue] = {"command": command, "args": [*arguments]}
    match tool:
        case "claude":
            return (tool, "-p", "--mcp-config", json.dumps({"mcpServers": {"lab": entry}}), "--strict-mcp-config")
        case "codex":
            table = f"{{command={json.dumps(command)},args={json.dumps(arguments)},required=true}}"
            return (tool, "exec", "--json", "--skip-git-repo-check", "-c", f"mcp_servers.lab={table}", "-")
        case "copilot":
            local: dict[str, JsonValue] = {**entry, "type": "local", "tools": ["*"]}
            return (tool, "--additional-mcp-config", json.dumps({"mcpServers": {"lab": local}}))
        case "gemini":
            desk.write_gemini_config(mcpServers={"lab": {**entry, "trust": True}})
            return (tool, "-o", "json", "-m", "gemini-3.1-pro-preview")
        case _:
            desk.write_opencode_config(mcp={"lab": {"type": "local", "command": [*server], "enabled": True}})
            return (tool, "run", "--format", "json", "--title", "T")
