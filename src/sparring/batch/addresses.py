"""Where tables and results are: a path on this machine, or an address of any kind that ``fsspec`` knows.

What is behind an address is listed, read and put there by ``fsspec``, an optional package as ``pyarrow`` is; nothing
else of the package knows either but by ``optional``. A path on this machine needs neither.
"""

import importlib
import re
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from sparring.errors import ExhaustedError, StoreError, UsageError

_SCHEME = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]+)(?:://|::)")
_SECRETS = re.compile(r"(?<=//)[^/@]*@|(?<=.)\?.*", re.DOTALL)
_MAGIC = re.compile(r"[*?\[]")


def optional(module: str, extra: str) -> Any:
    """A module of an optional package; what is in it is known to no type checker.

    Raises:
        UsageError: It is not installed; the message says how to.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise UsageError(
            f"The package {package} is needed for this and is not installed.",
            hint=f"Install it with: pip install 'sparring[{extra}]'",
        ) from error


def shown(address: str) -> str:
    """``address`` as it may be told to anybody: without a name and password, and without what follows a ``?``."""
    return _SECRETS.sub("", address) if is_remote(address) else address


def is_remote(address: str) -> bool:
    """Whether ``address`` has a scheme, such as ``s3://``, and is no path on this machine."""
    found = _SCHEME.match(address)
    return found is not None and not (found["scheme"].lower() == "file" and "::" not in address)


def local_path(address: str, cwd: Path) -> Path:
    """The path that ``address`` is, as seen from ``cwd``."""
    path = re.sub(r"^file://(localhost(?=/))?", "", address, flags=re.IGNORECASE)
    return cwd / Path(path).expanduser()


def has_wildcards(address: str) -> bool:
    """Whether ``address`` may stand for several files."""
    return _MAGIC.search(address) is not None


@contextmanager
def reading(address: str) -> Generator[None]:
    """Say in one sentence that what is at ``address`` cannot be read, and why.

    Raises:
        UsageError: It cannot.
    """
    with _told(address, "read", UsageError):
        yield


@contextmanager
def writing(address: str) -> Generator[None]:
    """Say in one sentence that ``address`` cannot be written, and why.

    Raises:
        StoreError: It cannot.
        ExhaustedError: The disk is full.
    """
    with _told(address, "written", StoreError):
        yield


@contextmanager
def _told(address: str, verb: str, kind: type[UsageError | StoreError]) -> Generator[None]:
    try:
        yield
    except (UsageError, StoreError, ExhaustedError, KeyboardInterrupt, GeneratorExit):
        raise
    except OSError as error:
        if lacking := ExhaustedError.behind(error):
            raise lacking from error
        reason = error.strerror or str(error) or type(error).__name__
        raise kind(f"{shown(address)} cannot be {verb}: {reason}.") from error
    except Exception as error:
        if not is_remote(address):
            raise
        # Every kind of address has errors of its own, of packages that are not named here.
        raise kind(f"{shown(address)} cannot be {verb}: {_first_line(error)}.") from error


def _first_line(error: Exception) -> str:
    said = " ".join(str(error).split())[:300].rstrip(". ")
    return said or type(error).__name__


@dataclass(frozen=True)
class Remote:
    """A place behind an address.

    Attributes:
        system: The file system of ``fsspec``.
        path: What it calls the place.
        address: The whole, as it was given.
    """

    system: Any
    path: str
    address: str

    @classmethod
    def at(cls, address: str) -> "Remote":
        """The place at ``address``, which need not be there.

        Raises:
            UsageError: There is no such kind of address, or a package is missing for it.
        """
        core = optional("fsspec.core", "data")
        try:
            system, path = core.url_to_fs(address)
        except ImportError as error:
            raise UsageError(f"{shown(address)} needs a package: {_first_line(error)}.") from error
        except ValueError as error:
            raise UsageError(f"{shown(address)} is no address: {_first_line(error)}.") from error
        return cls(system, cast("str", path), address)

    def inner(self, path: str) -> "Remote":
        """The place that the file system calls ``path``."""
        return Remote(self.system, path, cast("str", self.system.unstrip_protocol(path)))

    def below(self, name: str) -> "Remote":
        """The place of that name in this folder."""
        return self.inner(f"{self.path.rstrip('/')}/{name}")

    def is_folder(self) -> bool:
        """Whether there is a folder."""
        with reading(self.address):
            return bool(self.system.isdir(self.path))

    def size(self) -> int | None:
        """Bytes of the file, if that is known.

        Raises:
            UsageError: There is none.
        """
        with reading(self.address):
            return cast("int | None", self.system.info(self.path).get("size"))

    def files(self) -> Sequence["Remote"]:
        """All files below this folder, sorted."""
        with reading(self.address):
            return [self.inner(path) for path in sorted(cast("list[str]", self.system.find(self.path)))]

    def matches(self) -> Sequence["Remote"]:
        """The files that this pattern stands for, sorted."""
        with reading(self.address):
            found = sorted(cast("list[str]", self.system.glob(self.path)))
            return [self.inner(path) for path in found if not self.system.isdir(path)]

    def open(self) -> BinaryIO:
        """The file, to be read.

        Raises:
            UsageError: It cannot be.
        """
        with reading(self.address):
            return cast("BinaryIO", self.system.open(self.path, "rb"))
