"""Registry of providers: the TOML files of this package, in the folders of their code, and the user's own.

The user's folder is the only other place that is read. The project under work is never read: a cloned repository
must not choose what is executed. A malformed file disables only the provider that it is named after.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from msgspec import Struct
from pydantic import ValidationError

from sparring.schema import providers
from sparring.schema.base import HOST_TOOL
from sparring.schema.faults import describe_fault
from sparring.text.redaction import Redactor

BUILT_IN = "built-in"
FILE_LIMIT = 256 * 1024
"""Most bytes of a provider file. Ours have two thousand."""

_PACKAGE = Path(__file__).resolve().parent
_OF_A_FOLDER = "provider.toml"
_LINE = re.compile(r"\(at line (\d+), column \d+\)$")


class ProviderProblem(Struct, frozen=True):
    """A provider file that cannot be used. ``line`` is None where the reason concerns no single one."""

    file: Path
    line: int | None
    reason: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else f"{self.file}"
        return f"{place}: {self.reason}"


class Providers(Struct, frozen=True):
    """Every provider that can be asked by name, and what stood in the way of others."""

    specs: Mapping[str, providers.ProviderSpec]
    problems: tuple[ProviderProblem, ...]
    files: Mapping[str, Path]

    def origin(self, name: str) -> str:
        """Return the origin of the provider: the path of the user's file, or ``built-in``."""
        file = self.files[name]
        return BUILT_IN if file.is_relative_to(_PACKAGE) else str(file)


def load_providers(user_dir: Path | None) -> Providers:
    """Return the built-in providers, with those of ``user_dir`` added or in their place.

    Never raises: unreadable files are problems in the result. A provider's name is its file's name, or the name of
    its own folder.
    """
    specs: dict[str, providers.ProviderSpec] = {}
    files: dict[str, Path] = {}
    problems: list[ProviderProblem] = []
    users = ((file.stem, file) for file in _provider_files(user_dir))
    for name, file, spec in (*_built_in(), *((name, file, _read(name, file)) for name, file in users)):
        if isinstance(spec, ProviderProblem):
            problems.append(spec)
            specs.pop(name, None)
            files.pop(name, None)
        else:
            specs[name] = spec
            files[name] = file
    return Providers(specs, tuple(problems), files)


def is_users_own(folder: Path, project: Path, home: Path) -> bool:
    """Return whether what lies in ``folder`` is the user's word and not that of ``project``.

    A folder inside the project is not, unless the project is the home folder itself, as with versioned dotfiles.
    """
    folder, project = folder.resolve(), project.resolve()
    return not folder.is_relative_to(project) or home.resolve().is_relative_to(project)


def repository_files(project: Path, state: Path) -> tuple[Path, ...]:
    """Return provider files of ``project``; they are never read (see above), which the user should know."""
    places = (state, project / ".sparring", project / ".config" / "sparring")
    folders = dict.fromkeys(place / "providers" for place in places if place.is_relative_to(project))
    return tuple(file for folder in folders for file in _provider_files(folder))


@cache
def _built_in() -> tuple[tuple[str, Path, providers.ProviderSpec], ...]:
    """Return the providers of this package, which do not change while it runs.

    Tests check these files; every start would have to wait for it.
    """
    named = ((file.parent.name if file.name == _OF_A_FOLDER else file.stem, file) for file in _PACKAGE.rglob("*.toml"))
    ordered = sorted(named, key=lambda each: f"{each[0]}.toml")
    return tuple((name, file, _parse(name, file, file.read_text(encoding="utf-8"))) for name, file in ordered)


def _provider_files(folder: Path | None) -> list[Path]:
    try:
        return sorted(folder.glob("*.toml")) if folder is not None else []
    except OSError:  # a name that no file system accepts; a later write will report it
        return []


def _read(name: str, file: Path) -> providers.ProviderSpec | ProviderProblem:
    try:
        source = _read_bounded(file)
    except OSError as error:
        return ProviderProblem(file, None, f"cannot be read: {error.strerror}")
    except ValueError as error:
        return ProviderProblem(file, None, str(error))
    return understood(name, file, source)


def understood(name: str, file: Path, source: str) -> providers.ProviderSpec | ProviderProblem:
    """Return the provider that ``source`` describes, for the present or future ``file``; or the problem with it."""
    try:
        spec = _parse(name, file, source)
        return _key_in_headers(file, source, spec) or _unknown_program(file, source, spec) or spec
    except tomllib.TOMLDecodeError as error:
        return ProviderProblem(file, _line_of(error), f"is not TOML: {error}")
    except ValidationError as error:
        return _first_fault(file, source, error)
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


def _parse(name: str, file: Path, source: str) -> providers.ProviderSpec:
    table = tomllib.loads(source)
    if table.setdefault("name", name) != name:
        raise ValueError(f"name must be {name!r}, like the file, or left out")
    spec = providers.PROVIDER_SPEC.validate_python(table)
    if (spec.name == HOST_TOOL) != isinstance(spec, providers.HostProvider):  # rules and reports know it by its name
        raise ValueError(f"{HOST_TOOL!r} is the agent that calls over MCP: that name and that kind belong together")
    if isinstance(spec, providers.ScriptedProvider) and spec.script is not None:
        return spec.model_copy(update={"script": file.parent / spec.script})
    return spec


def _key_in_headers(file: Path, source: str, spec: providers.ProviderSpec) -> ProviderProblem | None:
    # A key in a file is copied, shown and committed with it.
    redactor = Redactor()
    for name, value in spec.headers.items() if isinstance(spec, providers.ApiProvider) else ():
        if redactor.redact(f"{name}: {value}").count:
            reason = f"headers.{name} looks like a key; name its variable in key_variables"
            return ProviderProblem(file, line_of(source, ["headers", name]), reason)
    return None


def _unknown_program(file: Path, source: str, spec: providers.ProviderSpec) -> ProviderProblem | None:
    # What reads a program's output, and what confines it, is code: in a folder named after it, but for ``text``.
    if not isinstance(spec, providers.ProgramProvider):
        return None
    named = {
        "output": spec.output if isinstance(spec, providers.CliProvider) else None,
        "confinement": spec.confinement,
    }
    for name, program in named.items():
        known = sorted((providers.TEXT, *(each.parent.name for each in _PACKAGE.glob(f"cli/*/{name}.py"))))
        if program is not None and program not in known:
            reason = f"{name} must be one of {', '.join(known)}"
            return ProviderProblem(file, line_of(source, [name]), reason)
    return None


def _line_of(error: tomllib.TOMLDecodeError) -> int | None:
    # Until Python 3.14, only the message of the standard library has the line number.
    match = _LINE.search(str(error))
    return int(match[1]) if match else None


def _first_fault(file: Path, source: str, error: ValidationError) -> ProviderProblem:
    fault = error.errors()[0]
    place = [str(part) for part in fault["loc"]]
    if place and place[0] in set(
        providers.ProviderKind
    ):  # where the kind is known it stands first, and is no key of the file
        del place[0]
    reason = describe_fault(fault, ".".join(place))
    if fault["type"].startswith("union_tag"):
        reason = f"kind must be one of {', '.join(providers.ProviderKind)}"
    return ProviderProblem(file, line_of(source, place), reason)


_NAME = r"(?:[A-Za-z0-9_-]+|\"[^\"]*\"|'[^']*')"
_DOTTED = rf"{_NAME}(?:[ \t]*\.[ \t]*{_NAME})*"
_TABLE = re.compile(rf"[ \t]*\[(?P<entry>\[?)[ \t]*(?P<name>{_DOTTED})[ \t]*\]\]?[ \t]*(?:#.*)?")
_KEY = re.compile(rf"[ \t]*({_DOTTED})[ \t]*=")
_PART = re.compile(_NAME)


def line_of(source: str, place: Sequence[str]) -> int | None:
    """Return the line, from 1, of the key at ``place``, or of the nearest table around it; None without either.

    A line that looks like a key within a string of several lines is taken for one: the reader opens the file anyway.
    """
    lines: dict[tuple[str, ...], int] = {}
    entries = Counter[tuple[str, ...]]()
    table: tuple[str, ...] = ()
    for number, line in enumerate(source.replace("\r\n", "\n").split("\n"), start=1):
        if header := _TABLE.fullmatch(line):
            name = _parts(header["name"])
            entries[name] += len(header["entry"])
            table = _numbered(name, entries)
            lines.setdefault(table, number)
        elif key := _KEY.match(line):
            lines.setdefault((*table, *_parts(key[1])), number)
    prefixes = (tuple(place[:length]) for length in range(len(place), 0, -1))
    return next((lines[prefix] for prefix in prefixes if prefix in lines), None)


def _numbered(name: tuple[str, ...], entries: Mapping[tuple[str, ...], int]) -> tuple[str, ...]:
    """``name``, with the number of the latest entry wherever it names a list of tables, as ``[[models]]`` does."""
    numbered: list[str] = []
    for length, part in enumerate(name, start=1):
        latest = entries.get(name[:length], 0)
        numbered += (part, str(latest - 1)) if latest else (part,)
    return tuple(numbered)


def _parts(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in _PART.findall(dotted))
