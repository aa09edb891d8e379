"""Which providers there are: the built-in TOML files beside this module, and the user's own.

The user's folder is the only other place that is read. The project under work is never asked: a cloned repository
must not choose what is executed. A malformed file takes out the provider it is named after and nothing else.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from sparring.consult.process import find_program
from sparring.schema.consultation import Question
from sparring.schema.providers import (
    PROVIDER_SPEC,
    CliProvider,
    OfflineProvider,
    ProviderKind,
    ProviderSpec,
    ScriptedProvider,
)

__all__ = [
    "BUILT_IN",
    "Available",
    "Missing",
    "ProviderProblem",
    "Providers",
    "availability",
    "load_providers",
    "unsupported",
]

BUILT_IN = "built-in"
FILE_LIMIT = 256 * 1024
"""Most bytes of a provider file. Ours have two thousand."""

_LINE = re.compile(r"\(at line (\d+), column \d+\)$")


@dataclass(frozen=True)
class ProviderProblem:
    """A provider file that cannot be used. ``line`` is None where the reason concerns no single one."""

    file: Path
    line: int | None
    reason: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else f"{self.file}"
        return f"{place}: {self.reason}"


@dataclass(frozen=True)
class Providers:
    """Every provider that can be asked by name, and what stood in the way of others."""

    specs: Mapping[str, ProviderSpec]
    problems: tuple[ProviderProblem, ...]
    files: Mapping[str, Path]

    def origin(self, name: str) -> str:
        """Where the provider comes from: the path of the user's file, or ``built-in``."""
        file = self.files[name]
        return BUILT_IN if file.parent == _built_in_folder() else str(file)


@dataclass(frozen=True)
class Available:
    """The provider can be asked. ``location`` is its program or script, if it has one."""

    location: Path | None = None


@dataclass(frozen=True)
class Missing:
    """The provider cannot be asked, and what to do about it."""

    reason: str
    hint: str


def load_providers(user_dir: Path | None) -> Providers:
    """The built-in providers, with those of ``user_dir`` added or put in their place.

    Never raises: what cannot be read is a problem in the result. A provider's name is its file's name.
    """
    specs: dict[str, ProviderSpec] = {}
    files: dict[str, Path] = {}
    problems: list[ProviderProblem] = []
    for file in (*_provider_files(_built_in_folder()), *_provider_files(user_dir)):
        spec = _read(file)
        if isinstance(spec, ProviderProblem):
            problems.append(spec)
            specs.pop(file.stem, None)
            files.pop(file.stem, None)
        else:
            specs[spec.name] = spec
            files[spec.name] = file
    return Providers(specs, tuple(problems), files)


def availability(spec: ProviderSpec, *, path: str | None) -> Available | Missing:
    """Whether the provider is installed here. ``path`` is the ``PATH`` to search; nothing is started."""
    if isinstance(spec, CliProvider):
        program = find_program(spec.command.program, path)
        if program is None:
            return Missing(f"{spec.title} is not installed: no `{spec.command.program}` on PATH.", spec.install)
        return Available(Path(program))
    if isinstance(spec, ScriptedProvider):
        if spec.script is None:
            return Missing(f"{spec.name} has no script.", spec.install)
        if not spec.script.is_file():
            return Missing(f"The script of {spec.name} is not there: {spec.script}.", "Write it, or correct its path.")
        return Available(spec.script)
    return Available()


def unsupported(spec: ProviderSpec, question: Question) -> str | None:
    """What the provider cannot do of what is asked, as a sentence; None when it can do everything."""
    if isinstance(spec, CliProvider):
        return _unsupported_by_program(spec, question)
    if isinstance(spec, OfflineProvider):
        if question.model is not None:
            return f"{spec.name} works without a model; it cannot use {question.model!r}."
        if question.session_id is not None:
            return f"{spec.name} keeps no sessions; it cannot continue {question.session_id!r}."
    return None


def _unsupported_by_program(spec: CliProvider, question: Question) -> str | None:
    if question.model is not None and not spec.command.model:
        return f"{spec.name} cannot be told which model to use; leave the model out."
    if question.effort is not None and question.effort not in spec.efforts:
        known = ", ".join(spec.efforts) or "none"
        return f"{spec.name} has no effort level {question.effort.value!r}; it knows: {known}."
    if question.session_id is None:
        return None
    if not spec.command.resume:
        return f"{spec.name} cannot continue a session."
    if spec.command.session_pattern and not re.fullmatch(spec.command.session_pattern, question.session_id):
        return f"{question.session_id!r} is not an id of a {spec.name} session."
    return None


def _built_in_folder() -> Path:
    return Path(__file__).resolve().parent


def _provider_files(folder: Path | None) -> list[Path]:
    return sorted(folder.glob("*.toml")) if folder is not None else []


def _read(file: Path) -> ProviderSpec | ProviderProblem:
    try:
        return _parse(file, _read_bounded(file))
    except OSError as error:
        return ProviderProblem(file, None, f"cannot be read: {error.strerror}")
    except tomllib.TOMLDecodeError as error:
        return ProviderProblem(file, _line_of(error), f"is not TOML: {error}")
    except ValidationError as error:
        return ProviderProblem(file, None, _first_fault(error))
    except ValueError as error:
        return ProviderProblem(file, None, str(error))
    except RecursionError:
        return ProviderProblem(file, None, "is nested too deeply")


def _read_bounded(file: Path) -> str:
    with file.open("rb") as stream:
        source = stream.read(FILE_LIMIT + 1)
    if len(source) > FILE_LIMIT:
        raise ValueError(f"is larger than {FILE_LIMIT} bytes")
    return source.decode("utf-8")


def _parse(file: Path, source: str) -> ProviderSpec:
    table = tomllib.loads(source)
    if table.setdefault("name", file.stem) != file.stem:
        raise ValueError(f"name must be {file.stem!r}, like the file, or left out")
    spec = PROVIDER_SPEC.validate_python(table)
    if isinstance(spec, ScriptedProvider) and spec.script is not None:
        return spec.model_copy(update={"script": file.parent / spec.script})
    return spec


def _line_of(error: tomllib.TOMLDecodeError) -> int | None:
    # The standard library tells the line only in its message until Python 3.14.
    match = _LINE.search(str(error))
    return int(match[1]) if match else None


def _first_fault(error: ValidationError) -> str:
    fault = error.errors()[0]
    kinds = {kind.value for kind in ProviderKind}
    place = ".".join(str(part) for part in fault["loc"] if part not in kinds)
    return f"{place}: {fault['msg']}" if place else fault["msg"]
