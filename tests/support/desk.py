"""One user's machine for the end-to-end tests: home, project, state folder, and a model endpoint for every tool."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from pydantic import JsonValue

from sparring.lookup.snapshot import ReadableProject, with_copy
from sparring.providers.cli.confinement import Surroundings
from sparring.providers.cli.consultant import CliConsultant
from sparring.providers.known import load_providers
from sparring.schema.base import Role
from sparring.schema.consultation import Answer, Brief, Failure, Question, Reply
from sparring.schema.providers import CliProvider
from sparring.store.hosts import Place
from sparring.testing.dialects import INPUT_TOKENS
from sparring.testing.model_endpoint import ModelEndpoint, Say
from sparring.text.redaction import Redactor

E2E = Path(__file__).resolve().parents[1] / "e2e"
BINARIES = E2E / "node_modules" / ".bin"
PATIENCE_S = 240
"""Seconds that a test waits for the program before it fails; nothing depends on the real duration."""

PACKAGES = {
    "claude": "@anthropic-ai/claude-code",
    "codex": "@openai/codex",
    "copilot": "@github/copilot",
    "gemini": "@google/gemini-cli",
    "opencode": "opencode-ai",
}
"""Package of each tool on npm."""

TOOLS = tuple(PACKAGES)


class Desk(Struct, frozen=True):
    """Everything that a real tool gets to see. Its keys are dummies and its only model is on loopback."""

    home: Path
    project: Path
    endpoint: ModelEndpoint
    variables: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def calls_folder(self) -> Path:
        """Folder of prompts and answers while they are asked."""
        return self.private_dir / "calls"

    @property
    def private_dir(self) -> Path:
        """The user's cache folder of sparring."""
        return self.home / ".cache" / "sparring"

    @property
    def environment(self) -> dict[str, str]:
        """A clean environment with the tools on PATH, and ``variables`` over it."""
        node = shutil.which("node")
        assert node is not None, "codex is started by node"
        path = os.pathsep.join((str(BINARIES), str(Path(node).parent), "/usr/bin", "/bin"))
        clean = {"PATH": path, "HOME": str(self.home), "LANG": "C.UTF-8", "TERM": "xterm"}
        keys = {"ANTHROPIC_API_KEY": "sk-ant-dummy", "LOOPBACK_API_KEY": "sk-dummy"}
        claude = {"ANTHROPIC_BASE_URL": self.endpoint.url, "CLAUDE_CODE_MAX_RETRIES": "0"}
        copilot = {
            "COPILOT_PROVIDER_BASE_URL": f"{self.endpoint.url}/v1",
            "COPILOT_PROVIDER_API_KEY": "sk-dummy",
            "COPILOT_MODEL": "gpt-5.4",
            "COPILOT_OFFLINE": "true",
            "COPILOT_PKG_CACHE_HOME": str(E2E / "node_modules" / ".cache" / "copilot"),  # 235 MB, unpacked once
        }
        return clean | keys | claude | copilot | self.variables

    @property
    def copy(self) -> Path:
        """Folder of the copy of the project that a tool may read; it exists once the tool has been asked."""
        return ReadableProject(self.project, self.environment, self.private_dir, Redactor()).root

    def surroundings(self, closed: tuple[Path, ...] = ()) -> Surroundings:
        """The project, of which a tool reads a copy, with folders that are ``closed`` to it."""
        return with_copy(Surroundings(self.environment, self.project, self.private_dir, closed), Redactor())

    def consultant(self, tool: str) -> CliConsultant:
        """The built-in provider of that name, on this machine."""
        place = Place(self.project, self.project / ".claude", (self.project / ".sparring",))
        return CliConsultant(command_line(tool), self.surroundings(place.own_folders), redactor=Redactor())

    def bare(self, *argv: str, typed: str = "") -> "subprocess.CompletedProcess[str]":
        """A tool as its user starts it in the project, with that on its standard input, to its end."""
        return subprocess.run(
            [str(BINARIES / argv[0]), *argv[1:]],
            input=typed, capture_output=True, text=True, check=False,
            cwd=self.project, env=self.environment, timeout=PATIENCE_S,
        )  # fmt: skip

    def start(self, *arguments: str) -> "subprocess.Popen[bytes]":
        """``sparring`` with these arguments, run in the project as somebody types it; ``.claude`` remembers."""
        own = {"SPARRING_CONFIG_DIR": str(self.home / "config"), "AI_STATE_DIR": ".claude"}
        return subprocess.Popen(
            [sys.executable, "-m", "sparring", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self.project,
            env=self.environment | own,
        )

    def run(self, *arguments: str) -> Any:
        """Run ``sparring`` with these arguments and ``--json``, and return what it prints after a success."""
        process = self.start(*arguments, "--json")
        out, err = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0, err.decode()
        return json.loads(out)

    def write_codex_config(self, *, top: str = "", tables: str = "") -> None:
        """The user's Codex configuration: the endpoint as model provider, no second tries, and what is given."""
        config = self.home / ".codex" / "config.toml"
        config.parent.mkdir(exist_ok=True)
        text = f"""\
model = "gpt-5.5"
model_provider = "loopback"
check_for_update_on_startup = false
{top}
[model_providers.loopback]
name = "Loopback"
base_url = "{self.endpoint.url}/v1"
env_key = "LOOPBACK_API_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
[analytics]
enabled = false
{tables}
"""
        config.write_text(text, encoding="utf-8")

    def write_gemini_config(self, **settings: JsonValue) -> None:
        """The user's Gemini CLI configuration: key and endpoint in its file of variables, no second tries, and more."""
        folder = self.home / ".gemini"
        folder.mkdir(exist_ok=True)
        variables = f'GEMINI_API_KEY="dummy-key" # of nobody\nexport GOOGLE_GEMINI_BASE_URL={self.endpoint.url}\n'
        (folder / ".env").write_text(variables, encoding="utf-8")
        base = {"security": {"auth": {"selectedType": "gemini-api-key"}}, "general": {"maxAttempts": 1}}
        text = f"// what the user wrote\n{json.dumps(base | settings)}"
        (folder / "settings.json").write_text(text, encoding="utf-8")

    def write_opencode_config(self, **settings: JsonValue) -> None:
        """The user's OpenCode configuration: the endpoint as model provider, and what is given."""
        config = self.home / ".config" / "opencode" / "opencode.jsonc"
        config.parent.mkdir(parents=True, exist_ok=True)
        model = {
            "name": "Loopback",
            "reasoning": True,
            "tool_call": True,
            "limit": {"context": 2_000_000, "output": 8192},
            "cost": {"input": 1, "output": 2},
        }
        loopback = {
            "npm": "@ai-sdk/openai-compatible",
            "name": "Loopback",
            "options": {"baseURL": f"{self.endpoint.url}/v1", "apiKey": "{env:LOOPBACK_API_KEY}"},
            "models": {"first": model, "second": model},
        }
        base = {"model": "loopback/first", "provider": {"loopback": loopback}}
        config.write_text(f"// what the user wrote\n{json.dumps(base | settings)}", encoding="utf-8")


def command_line(tool: str) -> CliProvider:
    """The built-in provider of that name, which is one of ``TOOLS``."""
    spec = load_providers(None).specs[tool]
    assert isinstance(spec, CliProvider)
    return spec


@contextmanager
def new_desk(folder: Path) -> Generator[Desk]:
    """A desk below ``folder``, with a repository for a project; its model says yes to everything."""
    home, project = folder / "home", folder / "project"
    home.mkdir()
    (project / ".git").mkdir(parents=True)
    with ModelEndpoint(Say("The answer is yes.")) as endpoint:
        endpoint.prompt_tokens = INPUT_TOKENS  # programs add instructions of their own, which differ by version
        desk = Desk(home, project, endpoint)
        desk.write_codex_config()
        desk.write_gemini_config()
        desk.write_opencode_config()
        yield desk


def write(file: Path, content: object) -> Path:
    """Write that text, or that value as JSON, with the folders that lead there, and say where it is."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return file


def files(*folders: Path) -> dict[str, bytes]:
    """Every file below these folders, with its content."""
    return {str(file): file.read_bytes() for folder in folders for file in sorted(folder.rglob("*")) if file.is_file()}


def question(prompt: str = "Is it so?", **asked: Any) -> Question:
    """A plain question; it has far more time than an answer takes on a busy machine."""
    brief = Brief(step="consult/question", topic="A topic", role=Role.CONSULTANT, round=1)
    return Question.model_validate({"prompt": prompt, "brief": brief, "timeout_s": 240} | asked)


def answered(reply: Reply) -> Answer:
    """The reply, which has to be an answer."""
    assert isinstance(reply, Answer), reply
    return reply


def failed(reply: Reply) -> Failure:
    """The reply, which has to be a failure."""
    assert isinstance(reply, Failure), reply
    return reply
