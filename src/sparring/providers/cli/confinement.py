"""Confinement of a program to answering: its folder, its environment and its tools.

All decisions about them are made here, for every kind of program and output. A program that
``confinement`` does not name in its provider file is unknown, so it is started in an empty folder unless it may read
the project. Most known command lines read configuration of the user and of the project that would start servers, hooks
or plugins, or expand words of a prompt. The module ``confinement`` in a program's own folder computes, for one
question and from the files that exist, what a call needs so that they do not. No file of the user is
written to.

This module also has code that those modules share. Rules of a program can only consist of names:
``text.secret_files`` decides about files that we read ourselves, and tells secrets from templates and source code; a
list of names is coarser.
"""

import os
import re
import shutil
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Protocol

from msgspec import Struct, field
from msgspec.structs import replace
from pydantic import JsonValue

from sparring.errors import ConfigurationError, UsageError
from sparring.schema.base import RepoAccess
from sparring.schema.consultation import Answer, QuestionTerms, Reply
from sparring.schema.providers import CliProvider, ProgramProvider
from sparring.text import tidying
from sparring.text.jsonc import parse_jsonc


class ProjectCopy(Protocol):
    """A private copy of the project, with its paths and line numbers, and without its secrets."""

    def refreshed(self) -> Path:
        """Update the copy to the present project, and return its folder.

        Raises:
            ConfigurationError: A copy is impossible; its message is one sentence.
            OSError: It cannot be written.
        """
        ...

    def with_project_paths(self, text: str) -> str:
        """``text`` of a tool that was given the copy, with the project's own place in that of the copy."""
        ...


ReadFile = Callable[[str, Path, int], str | None]
"""Returns the text of a file: its name, the folder it must lie in, the most bytes; None if it has more than these.

Raises ``UsageError`` with one sentence if the file must not, or cannot, be read.
"""


def refuse_to_read(name: str, folder: Path, limit: int) -> str | None:
    """Refuse every file, as ``ReadFile`` does where nothing of the project may be read."""
    del folder, limit
    raise UsageError(f"{tidying.one_line(repr(name), 200)}: no file may be read.")


class Surroundings(Struct, frozen=True):
    """Environment and folders in which a program is started.

    Attributes:
        environment: The whole environment of this process.
        project: The project under work.
        private_dir: A folder of the user's outside of any project, for files that a project must not influence.
        closed: Folders of ours: past and present runs are no evidence.
        copy: The copy that is read in place of the project; None where reading is not allowed.
        read_file: Reads a file of a folder at an agent's request.
    """

    environment: Mapping[str, str]
    project: Path
    private_dir: Path
    closed: tuple[Path, ...] = ()
    copy: ProjectCopy | None = None
    read_file: ReadFile = refuse_to_read

    def readable(self, access: RepoAccess) -> "Surroundings":
        """Return surroundings in which a copy takes the place of the project, where ``access`` allows reading it.

        Raises:
            ConfigurationError: There can be no copy.
            OSError: It cannot be written.
        """
        if access is not RepoAccess.READ:
            return self
        if self.copy is None:
            raise ConfigurationError("There is no readable copy of the project.")
        return replace(self, project=self.copy.refreshed(), closed=(), copy=None)

    def with_project_paths(self, reply: Reply, access: RepoAccess) -> Reply:
        """Return ``reply`` with files named as they lie in the project and not in the copy."""
        if access is not RepoAccess.READ or self.copy is None or not isinstance(reply, Answer):
            return reply
        return reply.model_copy(update={"response": self.copy.with_project_paths(reply.response)})

    def closed_inside(self) -> list[str]:
        """Folders of ours in the project, as paths from there; also under a second path where links lead to them."""
        project, root = self.project, self.project.resolve()
        names: set[str] = set()
        for folder in (*self.closed, self.private_dir):
            real = Path(os.path.realpath(folder))  # by ``resolve`` a circle of links is an error
            places = ((folder, project), (real, root))
            names |= {place.relative_to(top).as_posix() for place, top in places if top in place.parents}
        return sorted(names)


class Addition(Struct, frozen=True):
    """Additions to one call of a known program.

    Attributes:
        arguments: Fill the place ``{confinement}`` of its ``argv``.
        variables: Set in its environment, even against the user's settings.
        passed_on: Names of further variables of our environment that it needs, such as keys of model providers.
        cwd: The folder in which it is started; None leaves that to ``confine``.
        preamble: Put before the prompt.
        report: A file in which it writes what its output lacks.
    """

    arguments: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict[str, str])
    passed_on: frozenset[str] = frozenset()
    cwd: Path | None = None
    preamble: str = ""
    report: Path | None = None


class Confinement(Struct, frozen=True):
    """The folder, environment and arguments with which a program is started for one question.

    Attributes:
        cwd: The folder in which it is started: the project only if it may read that.
        environment: Its whole environment.
        tools: Arguments that permit the tools that the question allows, and no other.
        arguments: Further ones, which fill the place ``{confinement}`` of its ``argv``.
        preamble: Put before the prompt.
        report: A file in which it writes what its output lacks.
    """

    cwd: Path
    environment: Mapping[str, str]
    tools: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    preamble: str = ""
    report: Path | None = None


MakeOwn = Callable[[], Path]
"""Makes an empty folder that is the program's own while it runs; to be called once."""

_Add = Callable[[ProgramProvider, QuestionTerms, Surroundings, MakeOwn], Addition]


def confine(spec: ProgramProvider, terms: QuestionTerms, surroundings: Surroundings, own: MakeOwn) -> Confinement:
    """Return how ``spec`` is started so that ``terms`` is answered and nothing else happens.

    Reads files, fills the folder that ``own`` makes, and makes folders in ``private_dir``; starts nothing. The project
    of ``surroundings`` may be read if ``terms`` allows that.

    Raises:
        ConfigurationError: A setting that must be switched off cannot be parsed, or the program cannot
            be restricted to ``terms``.
        OSError: Something cannot be read, linked or written.
    """
    added = Addition()
    if spec.confinement is not None:
        add: _Add = import_module(f"{__package__}.{spec.confinement}.confinement").confine
        added = add(spec, terms, surroundings, own)
    return Confinement(
        cwd=added.cwd or _folder(spec, terms, surroundings, own),
        environment=child_environment(spec, surroundings.environment, added),
        tools=_tools(spec, terms),
        arguments=added.arguments,
        preamble=added.preamble,
        report=added.report,
    )


def _folder(spec: ProgramProvider, terms: QuestionTerms, surroundings: Surroundings, own: MakeOwn) -> Path:
    """Return the folder for a program without a place of its own: an empty one, or the project.

    Programs keep sessions by folder, so one that will be continued needs a permanent folder.
    """
    if terms.repo_access is RepoAccess.READ:
        return surroundings.project
    if terms.keep_session or terms.session_id is not None:
        return empty_folder(surroundings, spec.name)
    return own()


def empty_folder(surroundings: Surroundings, name: str) -> Path:
    """Return a folder that stays, for a program that must not see the project and keeps something by folder.

    Raises:
        OSError: It cannot be made.
    """
    folder = surroundings.private_dir / "empty" / name
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def empty_repository(root: Path) -> Path:
    """Make ``root`` an empty Git repository and return it, for a program that would look for one in the folders above.

    One of these could be the user's home.

    Raises:
        OSError: It cannot be made.
    """
    git = root / ".git"
    for folder in (git / "objects", git / "refs"):
        folder.mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    return root


def _tools(spec: ProgramProvider, terms: QuestionTerms) -> tuple[str, ...]:
    if not isinstance(spec, CliProvider):
        return ()
    return spec.command.web if terms.web else spec.command.access.get(terms.repo_access, ())


DEPTH_VARIABLE = "SPARRING_DEPTH"
DEPTH_LIMIT = 2
"""Levels of sparring within sparring at which a tool may still be started.

Depth 1 is a tool that we consult; should it start sparring again, one more consultation is an odd but honest use.
Deeper levels are a loop that multiplies cost.
"""

_PASSED_TO_ALL = (
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "TERM", "COLORTERM", "TZ", "TMPDIR",
    "XDG_*", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
    "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE",
    "APPDATA", "COMSPEC", "LOCALAPPDATA", "PATHEXT", "PROGRAMDATA", "PROGRAMFILES", "SYSTEMROOT", "TEMP", "TMP",
    "USERPROFILE", "WINDIR",
)  # fmt: skip
"""Variables that any program needs to find its files, its terminal and its network; none is a secret."""

_DEPTH = re.compile(r"[0-9]{1,3}")


def child_environment(spec: ProgramProvider, environment: Mapping[str, str], added: Addition) -> dict[str, str]:
    """Return what the program sees of ``environment``, with the provider's own settings and one more level of depth."""
    allowed = (*_PASSED_TO_ALL, *spec.environment.allow, *spec.environment.defaults, *added.passed_on)
    exact = {name for name in allowed if not name.endswith("*")}
    prefixes = tuple(name[:-1] for name in allowed if name.endswith("*"))
    passed = {name: value for name, value in environment.items() if name in exact or name.startswith(prefixes)}
    depth = {DEPTH_VARIABLE: str(depth_of(environment) + 1)}
    return {**spec.environment.defaults, **passed, **spec.environment.fixed, **depth, **added.variables}


def depth_of(environment: Mapping[str, str]) -> int:
    """Return how many levels of sparring are above this one. An invalid number counts as too deep."""
    depth = environment.get(DEPTH_VARIABLE, "0")
    return int(depth) if _DEPTH.fullmatch(depth) else DEPTH_LIMIT


FILE_LIMIT = 4 * 1024 * 1024
"""Most bytes of a file of settings, or of one of variables."""


def users_file(file: Path) -> bytes | None:
    """Read a file of the user's or of the project's; None if there is none.

    Raises:
        ConfigurationError: It is larger than ``FILE_LIMIT``, is no regular file, or cannot be read.
    """
    try:
        # A cloned repository can bring a link to a device: one is endless, another is our own standard input.
        if not (stat.S_ISREG(mode := file.stat().st_mode) or stat.S_ISDIR(mode)):
            raise ConfigurationError(f"{file} cannot be parsed: it is not a regular file.")
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
    """Return the JSON object, with or without comments, in a file of the user's settings; empty where there is none.

    Raises:
        ConfigurationError: As ``users_file``, or it cannot be parsed.
    """
    try:
        table = parse_jsonc((users_file(file) or b"").decode("utf-8-sig"))
    except ValueError as error:
        raise ConfigurationError(f"{file} cannot be parsed: {error}") from error
    if table is not None and not isinstance(table, dict):
        raise ConfigurationError(f"{file} cannot be parsed: it is not an object.")
    return table or {}


KEPT_DAYS = 30
"""Days for which a session is kept after its last use."""


def kept_sessions(folder: Path, each: str = "*", *, now: float | None = None) -> Path:
    """Return the ``folder`` of one program's sessions, created if missing, without those that were not continued.

    They contain questions and answers as the program wrote them, secrets included, so only the user can read
    it. ``each`` is a pattern for the files of one session.

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
    # A later call tries again to remove what cannot be removed now.
    if session.is_dir() and not session.is_symlink():
        shutil.rmtree(session, ignore_errors=True)
        return
    with suppress(OSError):
        session.unlink(missing_ok=True)


ENTRY_LIMIT = 500_000
"""Most files and folders of a project that are examined."""

FEW = 200
"""Most paths that are denied one by one."""


def walk_folder(project: Path, tool: str, *, limit: int = ENTRY_LIMIT) -> Iterator[tuple[str, list[str], list[str]]]:
    """The folders of ``project`` as ``os.walk_folder`` gives them, but for those that are denied as a whole.

    Raises:
        ConfigurationError: There are more than ``limit`` files and folders, so ``tool`` cannot be confined.
    """
    seen = 0
    for folder, folders, files in os.walk(project):
        seen += len(folders) + len(files)
        if seen > limit:
            raise ConfigurationError(f"{project} is too large to restrict {tool} to the files that it may read.")
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
