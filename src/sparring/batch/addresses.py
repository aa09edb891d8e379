"""Addresses of tables and results: a path on this machine, or any address that ``fsspec`` knows.

``fsspec``, an optional package like ``pyarrow``, lists, reads and writes the files at an address. Other modules of the
package load both only through ``optional``. A path on this machine needs neither.

In a folder that a batch writes to, each file appears complete or not at all. On this machine it is written under a
hidden name, private to the user, and renamed when it is safe on disk; links are not followed. For a remote address it
is written on this machine first and then uploaded in one go: stores show a file only when it is complete.
"""

import hashlib
import importlib
import os
import re
import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Generator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, cast

from filelock import FileLock, Timeout
from msgspec import Struct

from sparring.disk import SYSTEM, Disk, system_folder
from sparring.errors import ExhaustedError, SparringError, StateLockedError, StoreError, UsageError
from sparring.extras import install_command
from sparring.store.files import lock_file, make_folder, open_regular

_SCHEME = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]+)(?:://|::)")
_SECRETS = re.compile(r"(?<=//)[^/@]*@|(?<=.)\?.*", re.DOTALL)
_MAGIC = re.compile(r"[*?\[]")


def optional(module: str, extra: str) -> Any:
    """Import a module of an optional package; type checkers do not know its content.

    Raises:
        UsageError: It is not installed; the message says how to install it.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise UsageError(
            f"The package {package} is needed for this and is not installed.",
            hint=f"Install it with: {install_command(extra)}",
        ) from error


def shown(address: str) -> str:
    """Return ``address`` as it may be shown: without name and password, and without the part after a ``?``."""
    return _SECRETS.sub("", address) if is_remote(address) else address


def is_remote(address: str) -> bool:
    """Return whether ``address`` has a scheme, such as ``s3://``, and is no path on this machine."""
    match = _SCHEME.match(address)
    return match is not None and not (match["scheme"].lower() == "file" and "::" not in address)


def local_path(address: str, cwd: Path) -> Path:
    """Return ``address`` as a path, relative to ``cwd``.

    Raises:
        UsageError: It is empty, e.g. from an unset shell variable; it would mean ``cwd``.
    """
    path = re.sub(r"^file://(localhost(?=/))?", "", address, flags=re.IGNORECASE)
    if not path or "\0" in path:
        raise UsageError(f"{address!r} is not a path.")
    return cwd / Path(path).expanduser()


def has_wildcards(address: str) -> bool:
    """Return whether ``address`` is a pattern that may match several files."""
    return _MAGIC.search(address) is not None


@contextmanager
def reading(address: str) -> Generator[None]:
    """Report in one sentence that ``address`` cannot be read, and why.

    Raises:
        UsageError: The block failed to read it.
    """
    with _translated(address, "read", UsageError):
        yield


@contextmanager
def writing(address: str) -> Generator[None]:
    """Report in one sentence that ``address`` cannot be written, and why.

    Raises:
        StoreError: The block failed to write it.
        ExhaustedError: The disk is full.
    """
    with _translated(address, "written", StoreError):
        yield


@contextmanager
def _translated(address: str, verb: str, kind: type[UsageError | StoreError]) -> Generator[None]:
    try:
        yield
    except (UsageError, StoreError, ExhaustedError, KeyboardInterrupt, GeneratorExit):
        raise
    except OSError as error:
        if exhausted := ExhaustedError.behind(error):
            raise exhausted from error
        reason = error.strerror or str(error) or type(error).__name__
        raise kind(f"{shown(address)} cannot be {verb}: {reason}.") from error
    except Exception as error:
        if not is_remote(address):
            raise
        # Each kind of address has its own exception types, from packages that are not named in this module.
        raise kind(f"{shown(address)} cannot be {verb}: {_first_line(error)}.") from error


def _first_line(error: Exception) -> str:
    text = " ".join(str(error).split())[:300].rstrip(". ")
    return text or type(error).__name__


class Remote(Struct, frozen=True):
    """A place at a remote address.

    Attributes:
        system: The file system of ``fsspec``.
        path: The path in that file system.
        address: The complete address, as given.
    """

    system: Any
    path: str
    address: str

    @classmethod
    def at(cls, address: str) -> "Remote":
        """Return the place at ``address``, which need not exist.

        Raises:
            UsageError: The kind of address is unknown, or its package is missing.
        """
        core = optional("fsspec.core", "data")
        try:
            system, path = core.url_to_fs(address)
        except ImportError as error:
            raise UsageError(f"{shown(address)} needs a package: {_first_line(error)}.") from error
        except ValueError as error:
            raise UsageError(f"{shown(address)} is not an address: {_first_line(error)}.") from error
        return cls(system, cast("str", path), address)

    def inner(self, path: str) -> "Remote":
        """Return the place with this path in the same file system."""
        return Remote(self.system, path, cast("str", self.system.unstrip_protocol(path)))

    def below(self, name: str) -> "Remote":
        """Return the place with that name in this folder."""
        return self.inner(f"{self.path.rstrip('/')}/{name}")

    def is_folder(self) -> bool:
        """Return whether this place is an existing folder."""
        with reading(self.address):
            return bool(self.system.isdir(self.path))

    def size(self) -> int | None:
        """Return the size of the file in bytes; None if it is unknown.

        Raises:
            UsageError: There is no such file.
        """
        with reading(self.address):
            return cast("int | None", self.system.info(self.path).get("size"))

    def files(self) -> Sequence["Remote"]:
        """Return all files below this folder, sorted."""
        with reading(self.address):
            return [self.inner(path) for path in sorted(cast("list[str]", self.system.find(self.path)))]

    def matches(self) -> Sequence["Remote"]:
        """Return the files that match this pattern, sorted."""
        with reading(self.address):
            paths = sorted(cast("list[str]", self.system.glob(self.path)))
            return [self.inner(path) for path in paths if not self.system.isdir(path)]

    def open(self) -> BinaryIO:
        """Open the file for reading.

        Raises:
            UsageError: It cannot be opened.
        """
        with reading(self.address):
            return cast("BinaryIO", self.system.open(self.path, "rb"))


_BUFFER = 1024 * 1024
_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_UNFINISHED = re.compile(r"\.(?P<name>.+)\.(?P<writer>[0-9a-f]{16})\.new")


class NewFile(ABC):
    """A file while it is written. When writing fails, its methods raise the errors of ``Folder``.

    Attributes:
        name: Its final name.
        size: Bytes written so far.
    """

    closed = False
    """Required by ``pyarrow``, which writes to any file-like object."""

    def __init__(self, name: str, made_as: Path, disk: Disk, address: str) -> None:
        self.name = name
        self._address = address
        self.size = 0
        self._path, self._disk = made_as, disk
        self._digest = hashlib.sha256()
        self._waiting = bytearray()
        self._descriptor: int | None = disk.open(made_as, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK)

    def write(self, content: bytes) -> int:
        """Write all of ``content``."""
        self._waiting += content
        if len(self._waiting) >= _BUFFER:
            self.flush()
        return len(content)

    def flush(self) -> None:
        """Write buffered bytes to the disk."""
        content, self._waiting = bytes(self._waiting), bytearray()
        self._digest.update(content)
        self.size += len(content)
        rest = memoryview(content)
        with writing(self._address):
            while rest and self._descriptor is not None:
                rest = rest[self._disk.write(self._descriptor, rest) :]

    @property
    def sha256(self) -> str:
        """Return the digest of the written content, in hexadecimal digits."""
        return self._digest.hexdigest()

    def finish(self) -> Path:
        """Make the written content safe on disk, and return its path."""
        self.flush()
        with writing(self._address):
            if self._descriptor is not None:
                self._disk.sync(self._descriptor)
                self._close()
        return self._path

    def drop(self) -> None:
        """Remove the unfinished file; no effect if it already has its final name."""
        with suppress(OSError):
            self._close()
        with suppress(OSError):
            self._disk.remove(self._path)

    @abstractmethod
    def publish(self) -> None:
        """Finish the file, and make it visible under its name."""

    def _close(self) -> None:
        if self._descriptor is not None:
            descriptor, self._descriptor = self._descriptor, None
            self._disk.close(descriptor)


class _LocalFile(NewFile):
    def publish(self) -> None:
        path = self.finish()
        with writing(self._address):
            self._disk.replace(path, path.with_name(self.name))
            self._disk.sync_folder(path.parent)


class _RemoteFile(NewFile):
    def __init__(self, place: Remote, name: str) -> None:
        super().__init__(name, system_folder() / _hidden(name, secrets.token_hex(8)), SYSTEM, place.address)
        self._place = place

    def publish(self) -> None:
        path = self.finish()
        with writing(self._address):
            self._place.system.put_file(str(path), self._place.path)
        self.drop()


def _names(folder: Path) -> Sequence[str]:
    return [path.name for path in folder.iterdir()]


def _hidden(name: str, writer: str) -> str:
    return f".{name}.{writer}.new"


class _LocalFolder:
    """A folder of shards.

    Its methods raise ``StoreError`` if it cannot be written, and ``UsageError`` if it cannot be read.

    Attributes:
        address: The address as it may be shown.
    """

    def __init__(self, path: Path, address: str, disk: Disk) -> None:
        self.address = address
        self._path, self._disk = path, disk
        self._lock: FileLock | None = None

    def names(self) -> Sequence[str]:
        """Return the names of its files, sorted, without hidden ones; none if there is no such folder."""
        with reading(self.address):
            try:
                return sorted(name for name in _names(self._path) if not name.startswith("."))
            except FileNotFoundError:
                return ()
            except NotADirectoryError as error:
                raise UsageError(
                    f"{self.address} is not a folder: part of its path is a file.", hint="Give another folder."
                ) from error

    def prepare(self, share: str) -> None:
        """Create it, lock ``share`` of it against other writers, and remove unfinished files of that share.

        Raises:
            StateLockedError: Another process writes to that share.
        """
        with writing(self.address):
            make_folder(self._path, self._disk)
            lock = lock_file(self._path / f".{share or 'whole'}.lock")
            try:
                lock.acquire(blocking=False)
            except Timeout as error:
                raise StateLockedError(f"Another process writes to {self.address}; wait until it is done.") from error
            self._lock = lock
            for name in _names(self._path):
                # The owner of these files has died (it had the lock), and no other process finishes them.
                if (match := _UNFINISHED.fullmatch(name)) and share in match["name"]:
                    self._disk.remove(self._path / name)

    def share(self, living: Callable[[], Container[str]]) -> None:
        """Create it for several writers, and remove unfinished files of writers that are not ``living``.

        ``living`` is called after the names were read: a writer that had begun a file by then is in it, or has ended.
        """
        with writing(self.address):
            make_folder(self._path, self._disk)
            unfinished = [match for match in map(_UNFINISHED.fullmatch, _names(self._path)) if match]
            alive = living() if unfinished else ()
            for match in unfinished:
                if match["writer"] not in alive:
                    with suppress(FileNotFoundError):
                        self._disk.remove(self._path / match[0])

    def create(self, name: str, writer: str = "") -> NewFile:
        """Create a file that appears under that name when it is finished; ``writer`` has 16 hexadecimal digits."""
        with writing(self.address):
            hidden = _hidden(name, writer or secrets.token_hex(8))
            return _LocalFile(name, self._path / hidden, self._disk, self.address)

    def open(self, name: str) -> BinaryIO:
        """Open the file of that name for reading."""
        with reading(str(Path(self.address, name))):
            return cast("BinaryIO", os.fdopen(open_regular(self._path / name, os.O_RDONLY), "rb"))

    def holds(self, name: str, size: int, sha256: str) -> bool:
        """Return whether the file of that name exists with this size and digest."""
        with suppress(SparringError), closing(self.open(name)) as stream:
            if os.fstat(stream.fileno()).st_size != size:
                return False
            return hashlib.file_digest(cast("Any", stream), "sha256").hexdigest() == sha256
        return False

    def remove(self, name: str) -> None:
        """Remove the file of that name, if it exists, so that it stays removed after a crash."""
        with writing(self.address), suppress(FileNotFoundError):
            self._disk.remove(self._path / name)
            self._disk.sync_folder(self._path)

    def release(self) -> None:
        """Release the lock for other writers."""
        if self._lock is not None:
            self._lock.release()


class _RemoteFolder:
    """A folder of shards at a remote address."""

    def __init__(self, place: Remote) -> None:
        self.address = shown(place.address)
        self._place = place

    def names(self) -> Sequence[str]:
        with reading(self.address):
            self._place.system.invalidate_cache()
            try:
                paths = cast("list[str]", self._place.system.ls(self._place.path, detail=False))
            except FileNotFoundError:
                return ()
        names = (path.rstrip("/").rpartition("/")[2] for path in paths)
        return sorted(name for name in names if name and not name.startswith("."))

    def prepare(self, share: str) -> None:  # noqa: ARG002 -- remote stores have no locks
        with writing(self.address):
            self._place.system.makedirs(self._place.path, exist_ok=True)

    def share(self, living: Callable[[], Container[str]]) -> None:
        del living  # unfinished files are on the machines that write them
        self.prepare("")

    def create(self, name: str, writer: str = "") -> NewFile:
        del writer
        with writing(self.address):
            return _RemoteFile(self._place.below(name), name)

    def open(self, name: str) -> BinaryIO:
        return self._place.below(name).open()

    def holds(self, name: str, size: int, sha256: str) -> bool:
        del sha256  # reading the file again would cost more than writing it
        with suppress(SparringError):
            return self._place.below(name).size() == size
        return False

    def remove(self, name: str) -> None:
        with writing(self.address), suppress(FileNotFoundError):
            self._place.system.rm_file(self._place.below(name).path)

    def release(self) -> None:
        pass


Folder = _LocalFolder | _RemoteFolder


def folder_at(address: str, cwd: Path = Path(), disk: Disk = SYSTEM) -> Folder:
    """Return the folder at ``address``, which need not exist.

    Raises:
        UsageError: It is not a folder, or its kind of address is unknown.
    """
    if is_remote(address):
        return _RemoteFolder(Remote.at(address))
    return _LocalFolder(local_path(address, cwd), address, disk)
