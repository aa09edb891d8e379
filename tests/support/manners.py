"""Set-up, prompts, limits and ends of the five hosts, so that one test can drive each of them."""

import json
import os
import re
import signal
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress

from msgspec import Struct
from msgspec.structs import replace

from sparring.prompts.skills import skill
from sparring.schema.debate import LastDebate
from sparring.testing.model_endpoint import Call, Request
from support.hosting import ASKED, Hosting, Ran, ScriptedModel
from support.workbench import Workbench

HOST_LIMIT_S = 8
"""Seconds that a call of a tool may take in a host with a short limit."""

LONGER_S = 3.0
"""Of each of the four speeches of a debate: together they take longer than ``HOST_LIMIT_S``."""

_PRESSES, _UNTIL_THE_NEXT_S = 8, 15.0


Line = tuple[Sequence[str], str]
"""A command line, and what is written to its standard input."""


def words_last(program: Sequence[str], options: Sequence[str], words: str) -> Line:
    return (*program, *options, words), ""


def words_first(program: Sequence[str], options: Sequence[str], words: str) -> Line:
    return (*program, words, *options), ""


def words_by_stdin(program: Sequence[str], options: Sequence[str], words: str) -> Line:
    return (*program, *options), words


def skill_with(words: str) -> str:
    """The skill for debates with what the user typed behind its name."""
    return skill("debate").body.replace("$ARGUMENTS", words)


def skill_is_shown(requests: Sequence[Request], words: str) -> bool:
    """Return whether both the skill and the words were shown, wherever the host puts them."""
    told = skill("debate").body.partition("$ARGUMENTS")[2].rstrip()
    return any(words in request for request in requests) and any(told in request for request in requests)


def skill_is_prompt(requests: Sequence[Request], words: str) -> bool:
    """Return whether the skill with the words is the first prompt, and nothing else."""
    return requests[0].prompt.strip() == skill_with(words).strip()


def skill_is_quoted(requests: Sequence[Request], words: str) -> bool:
    """The same for a host that quotes the prompt of a server as JSON."""
    return json.loads(requests[0].prompt) == skill_with(words)


def ctrl_c(host: "subprocess.Popen[bytes]") -> None:
    """Interrupt the whole group, as a terminal does."""
    os.killpg(host.pid, signal.SIGINT)


def sigint(host: "subprocess.Popen[bytes]") -> None:
    """Again and again, as a user does: opencode 1.18.33 has now and then not heard of the first one, or of any."""
    for _ in range(_PRESSES):
        host.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            host.wait(_UNTIL_THE_NEXT_S)
            return
    host.terminate()


def text_of_structured(result: str) -> str:
    """Return the text of a result, for a host whose model reads the structured one."""
    found = json.loads(result[result.index('{"status"') :])
    outcome = f"# {found['outcome']}" if "outcome" in found else ""
    return "\n\n".join(part for part in (outcome, found["text"], found.get("next", "")) if part)


class Manner(Struct, frozen=True):
    """Way to drive one host.

    Attributes:
        spelled: How it spells the name of a tool of ours.
        page: Its page in ``docs/hosts``.
        folder: Where it keeps the state of a project.
        set_up: Installs our server.
        program: Its command line without a terminal.
        hurry: Makes it give up on a call of a tool after ``HOST_LIMIT_S``.
        given: How the command line continues with options and with what is asked.
        sign: What stands before the words of somebody who wants the skill for debates.
        naming: The options that say so instead.
        allowing: The options that let our tools run.
        loads: Whether its model has to load the skill by a call of its own.
        is_told: Whether these requests show its model that skill with these words.
        text_of: The text of a result, from what its model reads.
        end: Ends it, which must end everybody.
        refusal: What its model is told of a tool that it sees and may not run; empty if there is no such tool.
        reads_freely: Whether tools that only read run without being allowed.
    """

    name: str
    spelled: Callable[[str], str]
    page: str
    folder: str
    set_up: Callable[[Hosting], None]
    program: tuple[str, ...]
    hurry: Callable[[Hosting], None] = lambda _: None
    given: Callable[[Sequence[str], Sequence[str], str], Line] = words_last
    sign: str = "/debate "
    naming: tuple[str, ...] = ()
    allowing: tuple[str, ...] = ()
    loads: bool = False
    is_told: Callable[[Sequence[Request], str], bool] = skill_is_shown
    text_of: Callable[[str], str] = str
    end: Callable[["subprocess.Popen[bytes]"], None] = ctrl_c
    refusal: str = ""
    reads_freely: bool = True

    @property
    def model(self) -> ScriptedModel:
        """One that debates as ``ASKED``."""
        return ScriptedModel(self.spelled, before=[Call("skill", '{"skill": "debate"}')] * self.loads)

    def debate(self, words: str) -> Line:
        """Its command line for the skill with these words."""
        return self.given(self.program, (*self.naming, *self.allowing), f"{self.sign}{words}")


class Driven(Struct, frozen=True):
    """A host that is set up, and how it is driven."""

    hosting: Hosting
    manner: Manner

    @property
    def unallowed(self) -> "Driven":
        """The same host where nobody has allowed our tools."""
        return replace(self, manner=replace(self.manner, allowing=()))

    @property
    def results(self) -> Sequence[str]:
        """Results of our tools' calls that its model has received."""
        return self.hosting.last_results[self.manner.loads :]

    @property
    def last_debate(self) -> LastDebate:
        """The state file of the last debate."""
        return self.hosting.last_debate(self.manner.folder)

    @property
    def in_process(self) -> Workbench:
        """The project without the host: ``sparring`` in the folder in which the host keeps its state."""
        bench = self.hosting.bench
        return replace(bench, extra={**bench.extra, "AI_STATE_DIR": self.manner.folder})

    def ask(self, words: str) -> Ran:
        """The host with these words, to its end."""
        argv, stdin = self.manner.given(self.manner.program, self.manner.allowing, words)
        return self.hosting.run(*argv, stdin=stdin)

    def debate(self, words: str = ASKED) -> Ran:
        """The host with the skill and these words, to its end."""
        argv, stdin = self.manner.debate(words)
        return self.hosting.run(*argv, stdin=stdin)

    def start_debate(self) -> "subprocess.Popen[bytes]":
        """The host with the skill, just started."""
        argv, stdin = self.manner.debate(ASKED)
        return self.hosting.start(*argv, stdin=stdin.encode())


def drive(hosting: Hosting, manner: Manner) -> Driven:
    """Set that host up, with a model that debates."""
    manner.set_up(hosting)
    hosting.play(manner.model)
    return Driven(hosting, manner)


def _set_up_codex(hosting: Hosting) -> None:
    """Codex passes on hardly anything of its environment, and shows plain tools to models that it does not know."""
    hosting.sparring("install", "codex")
    file = hosting.desk.home / ".codex" / "config.toml"
    text = file.read_text(encoding="utf-8").replace("gpt-5.5", "a-model-nobody-knows")
    entry = "[mcp_servers.sparring]\n"
    assert entry in text
    passed_on = 'env_vars = ["SPARRING_CONFIG_DIR", "SPARRING_CALL_BUDGET_S"]\n'
    file.write_text(text.replace(entry, entry + passed_on), encoding="utf-8")


def _set_up_gemini(hosting: Hosting) -> None:
    """With a model named, Gemini CLI does not ask another one first which it should take."""
    hosting.desk.write_gemini_config(model={"name": "gemini-2.5-pro"})
    hosting.sparring("install", "gemini")


def _limit_below(settings: str, *keys: str) -> Callable[[Hosting], None]:
    """Writes the limit into the entry of our server in a settings file."""
    return lambda hosting: hosting.write_by_hand(settings, *keys, timeout=HOST_LIMIT_S * 1000)


def _hurry_codex(hosting: Hosting) -> None:
    file = hosting.desk.home / ".codex" / "config.toml"
    limit = f"tool_timeout_sec = {HOST_LIMIT_S}"
    text, changes = re.subn(r"(?m)^tool_timeout_sec = .*$", limit, file.read_text(encoding="utf-8"))
    assert changes == 1
    file.write_text(text, encoding="utf-8")


CLAUDE = Manner(
    name="claude",
    spelled="mcp__sparring__{}".format,
    page="claude-code.md",
    folder=".claude",
    set_up=lambda hosting: hosting.sparring("install", "claude"),
    hurry=lambda hosting: hosting.desk.variables.update(MCP_TOOL_TIMEOUT=f"{HOST_LIMIT_S * 1000}"),
    program=("claude", "-p"),
    allowing=("--allowedTools=mcp__sparring",),
    text_of=text_of_structured,
    refusal="requested permissions",
    reads_freely=False,
)
CODEX = Manner(
    name="codex",
    spelled="mcp__sparring/{}".format,
    page="codex.md",
    folder=".codex",
    set_up=_set_up_codex,
    hurry=_hurry_codex,
    program=("codex", "exec"),
    sign="$debate ",
    allowing=("-c", 'mcp_servers.sparring.default_tools_approval_mode="approve"'),
    text_of=text_of_structured,
    refusal="requires approval, but approval policy is never",
)
COPILOT = Manner(
    name="copilot",
    spelled="sparring-{}".format,
    page="copilot.md",
    folder=".copilot",
    set_up=lambda hosting: hosting.sparring("install", "copilot"),
    hurry=_limit_below(".copilot/mcp-config.json", "mcpServers", "sparring"),
    program=("copilot", "-s", "-p"),
    given=words_first,
    allowing=("--allow-tool=sparring",),
    # It does not expand a skill without a terminal: its model loads what it is named.
    loads=True,
    text_of=text_of_structured,
    refusal="Permission denied",
)
GEMINI = Manner(
    name="gemini",
    spelled="mcp_sparring_{}".format,
    page="gemini.md",
    folder=".gemini",
    set_up=_set_up_gemini,
    program=("gemini", "--skip-trust"),
    given=words_by_stdin,
    allowing=("--allowed-mcp-server-names", "sparring"),
    is_told=skill_is_quoted,
    end=lambda host: host.terminate(),
)
OPENCODE = Manner(
    name="opencode",
    spelled="sparring_{}".format,
    page="opencode.md",
    folder=".opencode",
    set_up=lambda hosting: hosting.sparring("install", "opencode"),
    hurry=_limit_below(".config/opencode/opencode.jsonc", "mcp", "sparring"),
    program=("opencode", "run"),
    given=words_by_stdin,
    sign="",
    naming=("--command", "debate"),
    end=sigint,
)

MANNERS = (CLAUDE, CODEX, COPILOT, GEMINI, OPENCODE)
