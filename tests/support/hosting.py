"""A real host at work in a project with scripted debaters, and a model that does what our results tell it to do."""

import json
import os
import re
import select
import signal
import subprocess
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from msgspec import Struct, field
from pydantic import JsonValue

from sparring.schema.debate import LastDebate
from sparring.testing.model_endpoint import Behaviour, Call, Request, Say
from support.desk import BINARIES, PATIENCE_S, Desk
from support.mcp_project import DEBATE
from support.processes import processes_with_home
from support.workbench import SPEECHES, Workbench, judging

TOPIC = "Should it retry?"
ASKED = f"{TOPIC} --proposer ann --challenger bob"
"""Arguments that a user types after the name of the skill, as the pages about hosts have it."""

DECIDED = "bob had the stronger argument because"
"""Beginning of that debate's decision; the scripted judge always finds for the challenger."""

QUIET: Mapping[str, str] = {
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "COPILOT_AUTO_UPDATE": "false",
    "OPENCODE_DISABLE_AUTOUPDATE": "1",
    "OPENCODE_DISABLE_MODELS_FETCH": "1",
    "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
    "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
    "GEMINI_CLI_NO_RELAUNCH": "true",
    "npm_config_offline": "true",  # OpenCode installs a package of 17 MB into each configuration folder that it finds
}
"""Variables that keep hosts from calling home, updating and fetching. None of it changes how they treat our server."""

DONE = "They have debated."
"""The last words of the model."""

_TOLD = re.compile(r'call (wait|answer) with (run_id (?:[^."]|"[^"]*")+)')
_ARGUMENT = re.compile(r'(\w+) (?:\\?"([^"\\]+)\\?"|(\d+))')
"""Pattern of the next step that our results suggest to a model; quotation marks are escaped in JSON."""


class ScriptedModel(Struct, frozen=True):
    """The model of a host: calls one tool, then does what the results say, until they say nothing more.

    It reads nothing but the request, so it never does what a model that reads only that could not do. A request that
    offers no tools is none of this conversation (some hosts ask for a title) and is answered with ``DONE``.

    Attributes:
        spelled: How the host spells the name of a tool of ours.
        arguments: Of the call; by default those of who has understood ``ASKED``.
        tool: The tool that is called.
        opinion: What it answers where it is a participant itself; a function of the result that asks it.
        before: What it calls first, so that it knows what it is to do.
    """

    spelled: Callable[[str], str]
    arguments: Mapping[str, object] = field(default_factory=lambda: DEBATE)
    tool: str = "debate"
    opinion: Callable[[str], str] = lambda _: "I have nothing to say."
    before: Sequence[Call] = ()

    def __call__(self, request: Request) -> Behaviour:
        if not request.tools:
            return Say(DONE)
        heard = len(request.results)
        if heard < len(self.before):
            return self.before[heard]
        if heard == len(self.before):
            return self._call(self.tool, self.arguments)
        result = request.results[-1]
        told = _TOLD.search(result)
        if told is None:
            return Say(DONE)
        tool, sentence = told.groups()
        said = {name: text or int(number) for name, text, number in _ARGUMENT.findall(sentence)}
        return self._call(tool, said if tool == "wait" else {**said, "text": self.opinion(result)})

    def _call(self, tool: str, arguments: Mapping[str, object]) -> Call:
        return Call(self.spelled(tool), json.dumps(arguments))


def verdict_of_host(result: str) -> str:
    """Return the verdict of a host that judges the sides in either order: the challenger has won."""
    letters = "ba" if "judge1.ba" in result else "ab"
    return str(judging(1, letters)["response"])


class Ran(Struct, frozen=True):
    """Exit code and output of a host."""

    code: int
    out: str
    err: str


class Hosting(Struct, frozen=True):
    """A host in the project of ``bench``, with the tools ``ann``, ``bob`` and ``cy``, on the machine of ``desk``."""

    desk: Desk
    bench: Workbench

    def play(self, model: ScriptedModel) -> None:
        """Let the host have this model."""
        self.desk.endpoint.behaviour = model

    def slow_down(self, delay_s: float, *, call_budget_s: float) -> None:
        """Let each speech of the debaters take so long, and each call of our tools return after ``call_budget_s``."""
        for name in ("ann", "bob"):
            self.bench.add_tool(name, [{**reply, "delay_s": delay_s} for reply in SPEECHES])
        self.desk.variables["SPARRING_CALL_BUDGET_S"] = f"{call_budget_s:g}"

    def sparring(self, *arguments: str) -> None:
        """``sparring`` with these arguments."""
        process = self.desk.start(*arguments)
        out, err = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0, (out + err).decode()

    def write_by_hand(self, settings: str, *keys: str, **values: JsonValue) -> None:
        """Change that JSON file in the home folder at ``keys``, as a user would; a comment may stand first."""
        file = self.desk.home / settings
        comment, brace, rest = file.read_text(encoding="utf-8").partition("{")
        changed = json.loads(brace + rest)
        entry = changed
        for key in keys:
            entry = entry[key]
        entry.update(values)
        file.write_text(comment + json.dumps(changed), encoding="utf-8")

    def start(self, *argv: str, stdin: bytes = b"") -> "subprocess.Popen[bytes]":
        """A host with these arguments, in the project, at the head of a process group of its own."""
        host = subprocess.Popen(
            [str(BINARIES / argv[0]), *argv[1:]],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            cwd=self.bench.project, env=self.desk.environment, start_new_session=True,
        )  # fmt: skip
        assert host.stdin is not None
        host.stdin.write(stdin)
        host.stdin.close()
        host.stdin = None
        return host

    def run(self, *argv: str, stdin: str = "") -> Ran:
        """A host with these arguments, to its end."""
        host = self.start(*argv, stdin=stdin.encode())
        with ending(host):
            out, err = host.communicate(timeout=PATIENCE_S)
        return Ran(host.returncode, out.decode(), err.decode())

    def last_debate(self, folder: str) -> LastDebate:
        """The state file of the last debate in that host's folder."""
        kept = self.bench.project / folder / "debate" / "last-debate.json"
        return LastDebate.model_validate_json(kept.read_bytes())

    @property
    def last_results(self) -> Sequence[str]:
        """Results of all its calls that the host's model has received, as its last request shows."""
        return [request.results for request in self.desk.endpoint.requests if request.tools][-1]

    def wait_until_gone(self) -> None:
        """Return when no process of this user is left: no host, no server of ours, nobody who is consulted."""
        while left := processes_with_home(self.desk.home):
            for process in left:
                _wait_for_end_of(process)


@contextmanager
def ending(host: "subprocess.Popen[bytes]") -> Generator[None]:
    """Kill the process group of ``host`` at the end, so that no failed test leaves it behind."""
    try:
        yield
    finally:
        with suppress(ProcessLookupError):
            os.killpg(host.pid, signal.SIGKILL)
        host.wait(PATIENCE_S)


def _wait_for_end_of(process: Path) -> None:
    with suppress(ProcessLookupError):
        watched = os.pidfd_open(int(process.name))
        with os.fdopen(watched, "rb"):
            ended, _, _ = select.select([watched], [], [], PATIENCE_S)
            assert ended, f"process {process.name} goes on: {(process / 'cmdline').read_bytes()!r}"
