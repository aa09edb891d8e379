"""Proof that this user wrote a record: an authentication code under a key in the user's own configuration folder.

A state folder lies in the project, so every committer of the project can put files there, well formed in every
respect. A record that decides something (a dismissal, a run to resume, an answer that is reused) therefore
counts only with a code that is made with the user's key, and only while git does not track the file: a code that was
published with a repository proves nothing. Everything else came with the project. It can be shown, and decides nothing.

Only this module knows the key. It is created on first use, and never on reading. Binding the codes to the path of the
project was refused: a project that is moved or renamed would lose its history.
"""

import hmac
import os
import re
import secrets
import stat
import sys
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Self

from filelock import Timeout
from msgspec import Struct, field

from sparring.errors import StateCorruptError, StateKeyError, StateUnwritableError
from sparring.processes.children import home_folder
from sparring.providers.known import is_users_own
from sparring.settings import Settings
from sparring.store.files import lock_file, open_regular, replace_file

KEY_VARIABLE = "SPARRING_STATE_KEY"
KEY_NAME = "state.key"
MEMBER = "provenance"
"""The last member of a signed JSON object."""

CODE = r"[0-9a-f]{64}"

_KEY_BYTES = 32
_KEY_LIMIT = 4096
_SHORTEST_GIVEN = 32
_HEX_KEY = re.compile(rb"\s*([0-9a-f]{64})\s*")
_MAKING_S = 10.0
_SIGNED = re.compile(rf',\s*"{MEMBER}":\s*"({CODE})"\s*\}}\s*\Z'.encode())
_TAIL = 256
"""Bytes at the end of a record that contain the member, with the space around it."""

_HINT = f"Make it usable, remove it so that a new one is made, or set {KEY_VARIABLE} to a secret of your own."


class StateKey:
    """The key of one user; the file is read on first use, and created for the first signature.

    Args:
        file: Its file; None without one.
        given: The value of ``SPARRING_STATE_KEY``, which replaces the file.
        refused: Why no key may be used, if so.
    """

    def __init__(self, file: Path | None, *, given: str = "", refused: str = "") -> None:
        self._file = file
        self._refused = refused
        self._key: bytes | None = sha256(b"sparring state key\0" + given.encode()).digest() if given else None

    @classmethod
    def of(cls, settings: Settings, project: Path) -> Self:
        """Return the key of the user who has these settings and works on ``project``."""
        given, folder = settings.environment.get(KEY_VARIABLE, "").strip(), settings.provider_dir.parent
        if given and len(given) < _SHORTEST_GIVEN:
            return cls(None, refused=f"{KEY_VARIABLE} must have {_SHORTEST_GIVEN} characters or more.")
        if not given and not is_users_own(folder, project, home_folder(settings.environment)):
            problem = (
                f"The configuration folder {folder} lies in the project, so a key in it could come with the project."
            )
            return cls(None, refused=problem)
        return cls(folder / KEY_NAME, given=given)

    def ensure(self) -> None:
        """Read the key, and create it if there is none.

        Raises:
            StateKeyError: It cannot be created or used; the message says why and what to do.
        """
        if self._known() is None:
            if self._file is None:
                raise StateKeyError(self._refused or "There is no key to sign records with.", hint=_HINT)
            self._key = _made(self._file)

    @property
    def problem(self) -> str:
        """The reason why the key that is there cannot be used; empty where it can, or where none was made yet."""
        try:
            self._known()
        except StateKeyError as error:
            return str(error)
        return self._refused

    def sign(self, kind: str, *parts: bytes) -> str:
        """Return the code of a record of that ``kind`` with the content ``parts``; empty without a key."""
        try:
            self.ensure()
        except StateKeyError:
            return ""
        return self._code(kind, parts)

    def is_signed(self, kind: str, code: str, *parts: bytes) -> bool:
        """Report whether ``code`` is what ``sign`` gives; never where there is no key, which is not made for this."""
        try:
            is_known = bool(code) and self._known() is not None
        except StateKeyError:
            return False
        return is_known and hmac.compare_digest(self._code(kind, parts), code)

    def sealed(self, kind: str, content: bytes) -> bytes:
        """``content``, a JSON object, with its code as the last member; as it is where there is no key."""
        body = content.rstrip()[:-1].rstrip()
        if not (code := self.sign(kind, body)):
            return content
        space = b"\n  " if content.lstrip()[1:2].isspace() else b""
        return b'%b,%b"%b":%b"%b"%b}\n' % (
            body, space, MEMBER.encode(), b" " if space else b"", code.encode(), space.rstrip(b" ")
        )  # fmt: skip

    def opened(self, kind: str, content: bytes) -> "OpenedRecord":
        """Return the content that ``sealed`` was given, and whether this user wrote it."""
        match = _SIGNED.search(content, max(0, len(content) - _TAIL))
        if match is None:
            return OpenedRecord(content, is_own=False)
        body = content[: match.start()]
        return OpenedRecord(body + b"}\n", is_own=self.is_signed(kind, match[1].decode(), body))

    def fingerprint(self, purpose: str) -> str:
        """Return a name for this user's own file that cannot be guessed; empty where there is no key."""
        return self.sign(f"fingerprint of {purpose}")[:16]

    def _code(self, kind: str, parts: tuple[bytes, ...]) -> str:
        digest = hmac.new(self._key or b"", kind.encode() + b"\0", sha256)
        for part in parts:
            digest.update(part)
        return digest.hexdigest()

    def _known(self) -> bytes | None:
        if self._key is None and self._file is not None:
            self._key = _read(self._file)
        return self._key


class OpenedRecord(Struct, frozen=True):
    """A record without its code; ``is_own`` is True if this user wrote it, unchanged."""

    content: bytes
    is_own: bool


NO_KEY = StateKey(None)
"""Signs nothing and recognises nothing."""


def _made(file: Path) -> bytes:
    """The key in ``file``; of several processes that make it at once, all get the same."""
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with lock_file(file.with_name(f".{file.name}.lock")).acquire(timeout=_MAKING_S):
            if (key := _read(file)) is None:
                key = secrets.token_bytes(_KEY_BYTES)
                replace_file(file, key.hex().encode() + b"\n")
    except StateKeyError:
        raise
    except (OSError, StateUnwritableError, Timeout) as error:
        raise StateKeyError(f"The key {file} cannot be made: {_reason(error)}.", hint=_HINT) from error
    return key


def _reason(error: BaseException) -> str:
    under = error.__cause__ if isinstance(error, StateUnwritableError) and error.__cause__ else error
    return getattr(under, "strerror", None) or str(under).rstrip(".")


def _read(file: Path) -> bytes | None:
    """The key in ``file``; None where there is no such file. Raises ``StateKeyError``."""
    try:
        descriptor = open_regular(file, os.O_RDONLY)
    except FileNotFoundError:
        return None
    except StateCorruptError as error:
        raise StateKeyError(f"The key cannot be used: {error.args[0]}", hint=_HINT) from error
    except OSError as error:
        raise StateKeyError(f"The key {file} cannot be read: {_reason(error)}.", hint=_HINT) from error
    with os.fdopen(descriptor, "rb") as stream:
        status, content = os.fstat(descriptor), stream.read(_KEY_LIMIT)
    if sys.platform != "win32" and (status.st_mode & (stat.S_IRWXG | stat.S_IRWXO) or status.st_uid != os.geteuid()):
        raise StateKeyError(f"The key {file} can be used by others than you.", hint=f"`chmod 600 {file}`. {_HINT}")
    match = _HEX_KEY.fullmatch(content)
    if match is None:
        raise StateKeyError(f"The file {file} contains no key.", hint=_HINT)
    return bytes.fromhex(match[1].decode())


class Provenance(Struct, frozen=True):
    """Distinguishes this user's records from those that came with a project.

    Attributes:
        environment: Variables for git.
    """

    key: StateKey = NO_KEY
    environment: Mapping[str, str] = field(default_factory=dict[str, str])

    @classmethod
    def of(cls, settings: Settings, project: Path) -> Self:
        """Return the provenance for the user with these settings, working on ``project``."""
        return cls(StateKey.of(settings, project), settings.environment)

    def tracked(self, folder: Path) -> frozenset[Path]:
        """The files below ``folder`` that git tracks; none where there is no repository that can be asked."""
        if not folder.is_dir():
            return frozenset()
        # Only needed where there is something unsigned to look at.
        from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415

        import anyio  # noqa: PLC0415

        from sparring.lookup.git import Git  # noqa: PLC0415

        with ThreadPoolExecutor(1) as apart:  # the caller may run in an event loop
            names = apart.submit(anyio.run, Git(folder, self.environment).tracked).result()
        return frozenset(folder / name for name in names or ())

    def foreign_reason(self, path: Path, *, is_signed: bool) -> str:
        """Return why the file at ``path`` may have come with the project, as a predicate; empty for the user's own."""
        if not is_signed:
            return "came with the project, or was signed with another key"
        if self.is_tracked(path):
            return "is tracked by git, so it could come with the project"
        return ""

    def is_tracked(self, path: Path) -> bool:
        """Report whether git tracks that file, or a file below that folder."""
        folder = path if path.is_dir() else path.parent
        return any(each == path or path in each.parents for each in self.tracked(folder))


NO_PROVENANCE = Provenance()
"""Of a place whose records have no author."""
