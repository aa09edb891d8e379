"""A first provider file, made from three answers."""

import json
import shlex
from pathlib import Path

from msgspec import Struct
from pydantic import TypeAdapter, ValidationError

from sparring.app.configuration import NO_CONFIG_FOLDER_HINT
from sparring.app.doctor import shown
from sparring.errors import UsageError
from sparring.participants.seats import quoted
from sparring.processes.children import home_folder
from sparring.providers.known import ProviderProblem, is_users_own, load_providers, understood
from sparring.schema import base
from sparring.schema.setup import WrittenProvider
from sparring.settings import Settings
from sparring.store.files import replace_file

_NAME = TypeAdapter[str](base.ToolName)
_WEB = ("http://", "https://")


class FirstProvider(Struct, frozen=True):
    """Answers to the three questions.

    Attributes:
        target: The command line of a program that prints an answer, or the address of a server that speaks Chat
            Completions.
        model: The model of a server, by default the first that it lists; for a program the family of its model, by
            default a family of its own.
    """

    name: str
    target: str
    model: str = ""

    @property
    def is_server(self) -> bool:
        """Return whether ``target`` is an address."""
        return self.target.startswith(_WEB)

    def write(self, settings: Settings, project: Path) -> WrittenProvider:
        """Write the file.

        Raises:
            UsageError: An answer is invalid, or a file or a built-in provider of that name exists.
            StateUnwritableError: The file cannot be written.
        """
        try:
            name = _NAME.validate_python(self.name)
        except ValidationError as error:
            raise UsageError(
                f"A provider cannot be called {quoted(self.name)}.",
                hint="Use lower-case letters, digits, hyphens and underscores.",
            ) from error
        folder = settings.provider_dir
        if not is_users_own(folder, project, home_folder(settings.environment)):
            raise UsageError(
                f"{shown(folder)} lies in the project, where provider files are not read.",
                hint="Set SPARRING_CONFIG_DIR to a folder of your own.",
            )
        file = folder / f"{name}.toml"
        if file.exists():
            raise UsageError(f"{shown(file)} exists already.", hint="Edit it, or choose another name.")
        text = self._server() if self.is_server else self._program(settings.cwd)
        result = understood(name, file, text)
        if isinstance(result, ProviderProblem):
            raise UsageError(f"These answers make no provider: {result.reason}.", hint="See docs/providers.md.")
        if name in load_providers(None).specs:
            raise UsageError(
                f"{quoted(name)} is a built-in tool, which this file would replace.", hint="Choose another name."
            )
        replace_file(file, text.encode(), hint=NO_CONFIG_FOLDER_HINT)
        return WrittenProvider(name=name, file=shown(file), text=text)

    def _server(self) -> str:
        variable = f"{self.name.upper().replace('-', '_')}_API_KEY"
        model = f"model = {_quoted(self.model)}" if self.model else "lists_models = true  # the first that it lists"
        return f"""kind = "api"
title = {_quoted(self.name)}
api = "chat-completions"  # or anthropic-messages, openai-responses, gemini, ollama
base_url = {_quoted(self.target)}
key_variables = ["{variable}"]  # the key is read from there, and is never stored in a file
key_optional = true
{model}

[efforts]  # what is added to a request for each level
low = {{}}
medium = {{}}
high = {{}}
max = {{}}
"""

    def _program(self, folder: Path) -> str:
        try:
            program, *arguments = shlex.split(self.target)
        except ValueError as error:
            raise UsageError(
                f"No program can be read from {quoted(self.target)}.", hint="Name it with its arguments."
            ) from error
        if "/" in program:
            program = str((folder / program).absolute())
        family = self.model or self.name
        return f"""kind = "cli"
family = {_quoted(family)}  # the vendor of its model; "none" for a program without one
title = {_quoted(self.name)}
output = "text"  # what it prints is the answer; the question comes on its standard input

[command]
program = {_quoted(program)}
argv = [{", ".join(map(_quoted, arguments))}]
"""


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
