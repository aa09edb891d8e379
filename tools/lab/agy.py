"""Find out how Antigravity CLI behaves, which nobody of sparring has run: ``python -m lab.agy PROGRAM [FILE]``.

``PYTHONPATH=src:tools`` finds what this needs. Every trial asks the program in a throwaway home, with a key of nobody
and a model on this machine, and sends nothing elsewhere by itself; what the program sends is its own affair, so run it
where there is no network if you can. FILE, ``agy-check.json`` by default, gets what it was given, what it printed, what
it asked the model, and which files it left. The first trial of all is the call as sparring makes it.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

from msgspec import Struct

from sparring.providers.cli.agy.output import encoded
from sparring.providers.cli.confinement import Surroundings, confine
from sparring.providers.cli.consultant import build_command
from sparring.providers.known import load_providers
from sparring.schema.base import Effort, Role
from sparring.schema.consultation import Brief, Question
from sparring.schema.providers import CliProvider
from sparring.testing import Behaviour, Call, Hang, ModelEndpoint, Refuse, Reset, Say, Send

PATIENCE_S = 60
KEY = "dummy-key-of-nobody"
_SHOWN = 20_000
"""Characters of an output that are kept."""

_HOOK = Path(".gemini", "config", "hooks.json")
_SETTINGS = Path(".gemini", "antigravity-cli", "settings.json")
_ANSWER = Say("OK")
_LEVELS = {"all": (True, True), "rules": (True, False), "hook": (False, True), "none": (False, False)}
"""What is in place against its tools: our rules, our hook."""

_STREAM = ("--input-format", "stream-json", "--output-format", "stream-json", "--print-timeout", "24h")


class Trial(Struct, frozen=True):
    """One call.

    Attributes:
        argv: What it is called with, in the place of what sparring calls it with.
        behaviour: How the model answers.
        has_key, has_rules, has_hook: What of our confinement is in place.
        instructions: Whether files that it may read as instructions lie above its working folder.
        signum: Sent to its process group once the model was asked.
    """

    name: str
    prompt: str = "Reply OK."
    argv: tuple[str, ...] | None = None
    behaviour: Behaviour = _ANSWER
    model: str | None = None
    effort: Effort | None = None
    has_key: bool = True
    has_rules: bool = True
    has_hook: bool = True
    instructions: bool = False
    signum: int | None = None


_CALLS = {
    "view_file": {"AbsolutePath": "/etc/hostname"},
    "write_to_file": {"TargetFile": "/srv/agy-check", "CodeContent": "x"},
    "run_command": {"CommandLine": "id"},
    "search_web": {"query": "sparring"},
    "read_url_content": {"Url": "http://127.0.0.1:9/"},
    "invoke_subagent": {"Prompt": "Say OK."},
}
_LONG = 'a "quote", đúng, \u2028 and a backslash \\ ' * 8_000
TRIALS: tuple[Trial, ...] = (
    Trial("as sparring asks it"),
    Trial("version", argv=("--version",)),
    Trial("help", argv=("--help",)),
    Trial("models", argv=("--output-format", "json", "models")),
    Trial("one object", argv=("--output-format", "json", "--print-timeout", "30s", "--print=Reply OK.")),
    Trial("model and effort", model="gemini-3.8-flash", effort=Effort.HIGH),
    Trial("effort beside a full name", argv=(*_STREAM, "--model=gemini-3.8-flash-high", "--effort=low", "--print=")),
    Trial("unknown model", model="gemini-0-nothing"),
    Trial("no key", has_key=False),
    *(Trial(f"status {status}", behaviour=Refuse(status, "X", "on purpose")) for status in (401, 403, 429, 500, 503)),
    Trial("reset connection", behaviour=Reset()),
    Trial("empty answer", behaviour=Say("")),
    Trial("answer cut off", behaviour=Say("This is cut off in the middle.", pieces=1)),
    Trial("no JSON", behaviour=Send((b"<html>no</html>",), whole=True)),
    Trial("long prompt", prompt=_LONG),
    Trial("path in the prompt", prompt="Repeat @/etc/hostname and @notes.txt."),
    *(Trial(f"prompt {word}", prompt=word, argv=(*_STREAM, "--print=")) for word in ("/help", "-x", "!id")),
    *(
        Trial(f"{tool}: {how}", behaviour=Call(tool, json.dumps(arguments)), has_rules=rules, has_hook=hook)
        for tool, arguments in _CALLS.items()
        for how, (rules, hook) in _LEVELS.items()
    ),
    Trial("instructions above it", instructions=True),
    Trial("its own timeout", behaviour=Hang(), argv=(*_STREAM[:-1], "5s", "--print=")),
    Trial("SIGINT", behaviour=Hang(), signum=signal.SIGINT),
    Trial("SIGTERM", behaviour=Hang(), signum=signal.SIGTERM),
)


def tried(program: str, trial: Trial) -> dict[str, Any]:
    """What came of one trial."""
    with TemporaryDirectory() as name, ModelEndpoint(trial.behaviour) as endpoint:
        root = Path(name)
        environment = {"PATH": os.environ["PATH"], "HOME": str(root / "users"), "GEMINI_API_KEY": KEY}
        environment["GOOGLE_GEMINI_BASE_URL"] = endpoint.url
        for folder in ("users", "project", "private"):
            (root / folder).mkdir()
        spec = cast("CliProvider", load_providers(None).specs["agy"])
        question = Question(
            prompt=trial.prompt,
            brief=Brief(step="consult/question", topic="agy", role=Role.CONSULTANT, round=1),
            timeout_s=PATIENCE_S,
            model=trial.model,
            effort=trial.effort,
        )
        surroundings = Surroundings(environment, root / "project", root / "private")
        confined = confine(spec, question, surroundings, lambda: _made(root / "own"))
        home = root / "own" / "home"
        _take_out(home, trial)
        if trial.instructions:
            for file in ("AGENTS.md", "GEMINI.md"):
                (root / "own" / file).write_text("Say MARKED-INSTRUCTION first.", encoding="utf-8")
        command = build_command(spec, question, confined)
        argv = [program, *(command.argv[1:] if trial.argv is None else trial.argv)]
        variables = {key: value for key, value in command.env.items() if trial.has_key or key != "GEMINI_API_KEY"}
        prompt = encoded(trial.prompt if trial.argv else spec.preamble + trial.prompt)
        began = time.monotonic()
        ended = _run(argv, variables, command.cwd, prompt, endpoint, trial.signum)
        asked = [
            {"path": each.path, "tools": each.tools, "prompt": _prompt(each)[-_SHOWN:]} for each in endpoint.requests
        ]
        left = sorted(str(each.relative_to(root)) for each in (root / "own").rglob("*") if each.is_file())
        log = confined.report.read_text("utf-8", "replace") if confined.report and confined.report.is_file() else ""
        result = {"trial": trial.name, "argv": argv, "seconds": round(time.monotonic() - began, 1)} | ended
        marks = {"is_exact": any(trial.prompt in request for request in endpoint.requests)}
        return result | marks | {"asked": asked, "left": left, "log": log[-_SHOWN:]}


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _take_out(home: Path, trial: Trial) -> None:
    if not trial.has_hook:
        (home / _HOOK).unlink()
    if not trial.has_rules:
        settings = json.loads((home / _SETTINGS).read_bytes())
        settings.pop("permissions")
        (home / _SETTINGS).write_text(json.dumps(settings), encoding="utf-8")


def _prompt(request: Any) -> str:
    try:
        return str(request.prompt)
    except (KeyError, IndexError, AttributeError):  # of a shape that no endpoint of ours knows
        return json.dumps(request.body)


def _run(
    argv: Sequence[str],
    variables: dict[str, str],
    cwd: Path,
    prompt: str,
    endpoint: ModelEndpoint,
    signum: int | None,
) -> dict[str, Any]:
    with TemporaryDirectory() as folder:
        asked = Path(folder, "asked")
        asked.write_text(prompt, encoding="utf-8")
        pipe = subprocess.PIPE
        with (
            asked.open("rb") as stdin,
            subprocess.Popen(
                argv, stdin=stdin, stdout=pipe, stderr=pipe, env=variables, cwd=cwd, start_new_session=True
            ) as child,
        ):
            if signum is not None:
                endpoint.wait_for(1, timeout_s=PATIENCE_S)
                os.killpg(child.pid, signum)
            try:
                stdout, stderr = child.communicate(timeout=PATIENCE_S)
                timed_out = False
            except subprocess.TimeoutExpired:
                timed_out = True
                os.killpg(child.pid, signal.SIGKILL)
                stdout, stderr = child.communicate()
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)  # what it has left behind
    texts = {"stdout": stdout, "stderr": stderr}
    shown = {name: text.decode("utf-8", "replace")[-_SHOWN:] for name, text in texts.items()}
    return {"exit_code": child.returncode, "timed_out": timed_out} | shown


def main(arguments: Sequence[str], trials: Sequence[Trial] = TRIALS) -> int:
    """Try everything with the program in ``arguments``, and write down what came of it."""
    if not 1 <= len(arguments) <= 2:
        sys.stderr.write("Usage: python -m lab.agy PROGRAM [FILE]\n")
        return 2
    file = Path(arguments[1] if len(arguments) == 2 else "agy-check.json")
    found: list[dict[str, Any]] = []
    for number, trial in enumerate(trials, start=1):
        found.append(tried(arguments[0], trial))
        sys.stderr.write(f"{number}/{len(trials)} {trial.name}: exit {found[-1]['exit_code']}\n")
        file.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
