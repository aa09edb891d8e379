"""What keeps a program to answering, where its flags and fixed variables alone do not.

Most command lines read configuration of the user and of the project that would start servers, hooks or plugins, or
expand words of a prompt. What has to be added to a call so that they do not is found out by the module ``confinement``
in a program's own folder, for one question, by looking at what is there. Nothing of the user's is written to.

Here is what these modules share. Names are also what a rule of a program can be made of: ``text.secret_files`` decides
about files that we read ourselves, and knows templates and source code from secrets; a list of names is coarser.
"""

import os
import shutil
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Protocol

from pydantic import JsonValue

from sparring.errors import ConfigurationError
from sparring.schema.base import RepoAccess
from sparring.schema.consultation import Question
from sparring.schema.providers import TEXT, CliProvider, ProgramProvider
from sparring.text.jsonc import parse_jsonc


class ProjectCopy(Protocol):
    """A private copy of the project, with its paths and line numbers, and without its secrets."""

    def refreshed(self) -> Path:
        """Make the copy what the project is now, and say where it is.

        Raises:
            ConfigurationError: There can be none; one sentence says why.
            OSError: It cannot be written.
        """
        ...

    def in_words_of_project(self, text: str) -> str:
        """``text`` of a tool that was given the copy, with the project's own place in that of the copy."""
        ...


@dataclass(frozen=True)
class Surroundings:
    """Where a program is started.

    Attributes:
        environment: The whole environment of this process.
        project: The project under work.
        private_dir: A folder of the user's outside of any project, for what must lie where no project has a say.
        closed: Folders of ours: what is being debated, or was, is nobody's evidence.
        copy: What is read in place of the project; None where nobody may read it.
    """

    environment: Mapping[str, str]
    project: Path
    private_dir: Path
    closed: tuple[Path, ...] = ()
    copy: ProjectCopy | None = None

    def closed_inside(self) -> list[str]:
        """The folders of ours in the project, as paths from there; under a second one where links lead to them."""
        project, root = self.project, self.project.resolve()
        found: set[str] = set()
        for folder in (*self.closed, self.private_dir):
            real = Path(os.path.realpath(folder))  # by ``resolve`` a circle of links is an error
            places = ((folder, project), (real, root))
            found |= {place.relative_to(top).as_posix() for place, top in places if top in place.parents}
        return sorted(found)


@dataclass(frozen=True)
class Confinement:
    """What has to be added to one call of a program.

    Attributes:
        arguments: Fill the place ``{confinement}`` of its ``argv``.
        variables: Set in its environment, whatever the user has set.
        passed_on: Names of further variables of our environment that it needs, such as keys of own model providers.
        cwd: Where it is started instead of in the project.
        preamble: Put before the prompt.
        report: A file in which it tells what its output does not.
    """

    arguments: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict[str, str])
    passed_on: frozenset[str] = frozenset()
    cwd: Path | None = None
    preamble: str = ""
    report: Path | None = None


MakeOwn = Callable[[], Path]
"""Makes an empty folder that is the program's own while it runs."""

_Confine = Callable[[ProgramProvider, Question, Surroundings, MakeOwn], Confinement]


def confine(spec: ProgramProvider, question: Question, surroundings: Surroundings, own: MakeOwn) -> Confinement:
    """What has to be added so that ``question`` is answered and nothing else happens.

    Reads files, fills the folder that ``own`` makes, and makes folders in ``private_dir``; starts nothing.

    Raises:
        ConfigurationError: Something that would have to be switched off cannot be understood, or the program cannot
            be kept here to what ``question`` allows.
        OSError: Something cannot be read, linked or written.
    """
    named = TEXT if isinstance(spec, CliProvider) and spec.prints_text else spec.confinement
    if named is None:
        return Confinement()
    if named == TEXT:
        # Nobody knows what a program of the user's own reads, so it is started in an empty folder.
        return Confinement(cwd=None if question.repo_access is RepoAccess.READ else own())
    confined: _Confine = import_module(f"{__package__}.{named}.confinement").confine
    return confined(spec, question, surroundings, own)


FILE_LIMIT = 4 * 1024 * 1024
"""Most bytes of a file of settings, or of one of variables."""


def users_file(file: Path) -> bytes | None:
    """What stands in a file of the user's or of the project's; None where there is none.

    Raises:
        ConfigurationError: It is larger than ``FILE_LIMIT``, is no file that ends, or cannot be read.
    """
    try:
        # A cloned repository can bring a link to a device: one is endless, another is our own standard input.
        if not (stat.S_ISREG(mode := file.stat().st_mode) or stat.S_ISDIR(mode)):
            raise ConfigurationError(f"{file} cannot be understood: it is not a regular file.")
        with file.open("rb") as stream:
            content = stream.read(FILE_LIMIT + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ConfigurationError(f"{file} cannot be read: {error.strerror}") from error
    if len(content) > FILE_LIMIT:
        raise ConfigurationError(f"{file} is larger than {FILE_LIMIT} bytes.")
    return content


def users_table(file: Path) -> dict[str, JsonValue]:
    """The JSON object, with or without comments, in a file of the user's settings; empty where there is none.

    Raises:
        ConfigurationError: As ``users_file``, or it cannot be understood.
    """
    try:
        table = parse_jsonc((users_file(file) or b"").decode("utf-8-sig"))
    except ValueError as error:
        raise ConfigurationError(f"{file} cannot be understood: {error}") from error
    if table is not None and not isinstance(table, dict):
        raise ConfigurationError(f"{file} cannot be understood: it is not an object.")
    return table or {}


KEPT_DAYS = 30
"""How long a session is kept after it was last continued."""


def kept_sessions(folder: Path, each: str = "*", *, now: float | None = None) -> Path:
    """The ``folder`` of one program's sessions, made where it is missing, without those that nobody has continued.

    They hold what was asked and answered as the program wrote it, secrets included, so nobody but the user can look
    into it. ``each`` is a pattern of what belongs to one session.

    Raises:
        OSError: The folder cannot be made.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    oldest = (time.time() if now is None else now) - KEPT_DAYS * 24 * 60 * 60
    for session in folder.glob(each):
        if max(_changes(session), default=oldest) < oldest:
            _remove(session)
    return folder


def _changes(session: Path) -> Iterator[float]:
    for path in (session, *session.rglob("*")):
        with suppress(OSError):  # another process removes it just now
            yield path.lstat().st_mtime


def _remove(session: Path) -> None:
    # What cannot be removed now is found again the next time.
    if session.is_dir() and not session.is_symlink():
        shutil.rmtree(session, ignore_errors=True)
        return
    with suppress(OSError):
        session.unlink(missing_ok=True)


ENTRY_LIMIT = 500_000
"""Most files and folders of a project that are looked at."""

FEW = 200
"""Most paths that are denied one by one."""


def walk(project: Path, tool: str, *, limit: int = ENTRY_LIMIT) -> Iterator[tuple[str, list[str], list[str]]]:
    """The folders of ``project`` as ``os.walk`` gives them, but for those that are denied as a whole.

    Raises:
        ConfigurationError: There are more than ``limit`` files and folders, so ``tool`` cannot be confined.
    """
    seen = 0
    for folder, folders, files in os.walk(project):
        seen += len(folders) + len(files)
        if seen > limit:
            raise ConfigurationError(f"{project} holds too much for {tool} to be kept to what it may read of it.")
        folders[:] = [name for name in folders if name not in FOLDERS]
        yield folder, folders, files


def few(paths: list[str]) -> list[str]:
    """``paths``; where they are many, the folders of the root that hold them."""
    return list(dict.fromkeys(path.split("/", maxsplit=1)[0] for path in paths)) if len(paths) > FEW else paths


FOLDERS = (".aws", ".azure", ".docker", ".gcloud", ".git", ".gnupg", ".kube", ".password-store", ".ssh")
"""Names of folders in which nothing is read. In ``.git`` lie remote addresses with tokens, and all that ever was."""

_SUFFIXES = (
    "env", "pem", "key", "p8", "p12", "pfx", "pkcs12", "ppk", "jks", "keystore", "kdb", "kdbx", "asc", "gpg", "pgp",
    "agekey", "ovpn", "tfvars", "tfstate", "tfstate.backup",
)  # fmt: skip
_NAMES = (
    ".env.*", ".env-*", ".env_*", ".envrc", "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "*_rsa", "*_dsa",
    "*_ecdsa", "*_ed25519", "authorized_keys", ".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".htpasswd",
    ".my.cnf", ".boto", ".s3cfg", ".dockercfg", ".git-credentials", ".yarnrc.yml", ".vault-token", "auth.json",
    "*service*account*.json", "credentials", "secrets",
)  # fmt: skip
_DATA = ("conf", "csv", "ini", "json", "properties", "toml", "txt", "xml", "yaml", "yml")

FILES = (
    *(f"*.{suffix}" for suffix in _SUFFIXES),
    *_NAMES,
    *(f"*{word}*.{suffix}" for word in ("credential", "password", "secret") for suffix in _DATA),
)
"""Names of files, in lower case, with ``*`` for anything."""


def in_any_case(name: str) -> str:
    """The glob that matches ``name`` in capital and small letters alike."""
    return "".join(f"[{letter}{letter.upper()}]" if letter.isalpha() else letter for letter in name)
