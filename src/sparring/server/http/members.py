"""Who may come in: members with their tokens, from the environment or a file of the administrator's.

A token is never kept as it is, but by its digest, and no sentence here repeats a part of one.
"""

import hashlib
import hmac
import os
import re
import stat
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import AfterValidator, Field, StringConstraints, ValidationError, model_validator

from sparring.errors import ConfigurationError, SettingsError
from sparring.schema.base import Record
from sparring.schema.limits import Allowance

TOKEN_VARIABLE = "SPARRING_HTTP_TOKEN"  # noqa: S105 -- the name of a variable
FILE_VARIABLE = "SPARRING_HTTP_TOKENS"

SHORTEST_TOKEN = 32
"""Characters: 128 bits as hexadecimal digits. Nobody types a token, so nothing speaks for a shorter one."""

ONLY_MEMBER = "default"
"""The name of whoever has the token of the environment."""

_FILE_LIMIT = 1024 * 1024
_READABLE_BY_OTHERS = 0o077
_MAKE_ONE = "Make one with `openssl rand -hex 32`."
_PLACE = re.compile(r"line \d+, column \d+")
_FIELD = re.compile(r"[A-Za-z0-9_-]{1,31}")
"""What may be repeated of a malformed file: a word that is too short for a token."""


def _checked(token: str) -> str:
    if len(token) < SHORTEST_TOKEN or not all("!" <= character <= "~" for character in token):
        raise ValueError(f"needs at least {SHORTEST_TOKEN} characters, all of them visible ASCII")
    return token


_Token = Annotated[str, AfterValidator(_checked)]
_Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]{0,30}$")]


class _Entry(Allowance):
    token: _Token | None = Field(default=None, repr=False)
    token_sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-fA-F]{64}$")] | None = None

    @model_validator(mode="after")
    def _has_one_token(self) -> Self:
        if (self.token is None) == (self.token_sha256 is None):
            raise ValueError("give either token or token_sha256")
        return self


class _File(Record):
    members: dict[_Name, _Entry] = Field(min_length=1)


@dataclass(frozen=True)
class Member:
    """Somebody who may use the server; ``name`` is also the folder of their runs."""

    name: str
    digest: bytes = field(repr=False)
    allowance: Allowance = field(default_factory=Allowance)


@dataclass(frozen=True)
class Members:
    """All members; none where everybody may come in. ``tokens`` are those that are known, to be kept out of texts."""

    members: tuple[Member, ...] = ()
    tokens: tuple[str, ...] = field(default=(), repr=False)

    def of(self, token: str) -> Member | None:
        """The member of that token. Every member's is compared, and how long it takes tells nothing about any."""
        digest = _digest(token)
        found = None
        for member in self.members:
            if hmac.compare_digest(member.digest, digest):
                found = member
        return found


def read_members(environment: Mapping[str, str], file: Path | None, project: Path) -> Members:
    """The members that ``file``, else the environment names.

    Raises:
        ConfigurationError: Both name some, the file cannot be trusted or understood, or a token is too short.
    """
    token = environment.get(TOKEN_VARIABLE, "").strip()
    path = file or (Path(named) if (named := environment.get(FILE_VARIABLE, "").strip()) else None)
    if path is None:
        return _only(token) if token else Members()
    if token:
        raise SettingsError(f"There is a file of tokens, {path}, and {TOKEN_VARIABLE} as well.", hint="Give one.")
    if path.resolve().is_relative_to(project):
        # Members hand over files of the project as material, so they could read this one.
        raise ConfigurationError(f"{path} lies in the project that is served.", hint="Keep the tokens elsewhere.")
    return _of_file(path, _read(path))


def _only(token: str) -> Members:
    try:
        return Members((Member(ONLY_MEMBER, _digest(_checked(token))),), (token,))
    except ValueError as error:
        raise SettingsError(f"{TOKEN_VARIABLE} {error}.", hint=_MAKE_ONE) from None


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            found = os.fstat(stream.fileno())
            if not stat.S_ISREG(found.st_mode):
                raise ConfigurationError(f"{path} is not a regular file.")
            if sys.platform != "win32" and found.st_mode & _READABLE_BY_OTHERS:
                raise ConfigurationError(f"{path} is open to other users.", hint=f"Run `chmod 600 {path}`.")
            content = stream.read(_FILE_LIMIT + 1)
    except OSError as error:
        raise ConfigurationError(f"The tokens in {path} cannot be read: {error.strerror}.") from error
    if len(content) > _FILE_LIMIT:
        raise ConfigurationError(f"{path} is larger than {_FILE_LIMIT:,} bytes.")
    return content


def _of_file(path: Path, content: bytes) -> Members:
    # What the parsers say may repeat what they read, so the cause is not handed on.
    try:
        entries = _File.model_validate(tomllib.loads(content.decode())).members
    except UnicodeDecodeError:
        raise ConfigurationError(f"{path} is not UTF-8.") from None
    except tomllib.TOMLDecodeError as error:
        place = _PLACE.search(str(error))
        raise ConfigurationError(f"{path} is not TOML ({place[0] if place else 'at its end'}).") from None
    except ValidationError as error:
        raise ConfigurationError(f"{path}: {_fault(error)}.", hint=_MAKE_ONE) from None
    members = tuple(Member(name, _digest_of(entry), _allowance(entry)) for name, entry in entries.items())
    _refuse_shared(path, members)
    return Members(members, tuple(entry.token for entry in entries.values() if entry.token))


def _fault(error: ValidationError) -> str:
    """The first thing that is wrong, and where; nothing that may be a part of a token."""
    fault: Any = error.errors(include_url=False, include_input=False, include_context=False)[0]
    parts = (str(part) for part in fault["loc"])
    place = ".".join(part if _FIELD.fullmatch(part) else "..." for part in parts if part != "[key]")
    return f"{place}: {str(fault['msg']).removeprefix('Value error, ')}" if place else str(fault["msg"])


def _refuse_shared(path: Path, members: tuple[Member, ...]) -> None:
    owners: dict[bytes, str] = {}
    for member in members:
        other = owners.setdefault(member.digest, member.name)
        if other != member.name:
            raise ConfigurationError(f"{path}: {other} and {member.name} have the same token.", hint=_MAKE_ONE)


def _allowance(entry: _Entry) -> Allowance:
    return Allowance.model_validate(entry.model_dump(include=set(Allowance.model_fields)))


def _digest_of(entry: _Entry) -> bytes:
    return _digest(entry.token) if entry.token else bytes.fromhex(entry.token_sha256 or "")


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()
