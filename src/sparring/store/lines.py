"""One line of a journal: its record, its bytes, and the chain that joins it to the line before.

A line is a JSON object on one line. Its member ``hash`` is SHA-256 over the bytes of the line as it would be without
that member. ``prev`` repeats the hash of the line before, so every change, omission, repetition or move is
detected. The bytes as written are the canonical form: hashing a parsed and re-serialised object was refused, since it
would make an old journal depend on how today's library writes a number.

Anyone can compute a hash. The last member, ``code``, proves the author of the line: it is made of the line's hash and
of that of the first line, under the key of the user (``provenance``). Since hashes are chained, the code of one line
vouches for all lines before it.

The format defines the records of request and outcome. This module uses no files. ``journal`` decides what a defect
means, and whether a torn line may be ignored.
"""

import re
from enum import StrEnum
from hashlib import sha256
from typing import Annotated, Any, Literal, cast

from msgspec import Struct
from pydantic import BaseModel, BeforeValidator, Field, SerializeAsAny, TypeAdapter, ValidationError
from pydantic_core import from_json

from sparring.errors import UnknownFormatError
from sparring.formats.registry import FORMATS
from sparring.schema.base import Moment, Record
from sparring.schema.runs import Outcome, RunHeader
from sparring.schema.transcript import PendingAsk, Turn
from sparring.store.provenance import CODE, NO_KEY, StateKey

LINE_VERSION = 1
"""Version of the line format. A line with a higher one is refused, never guessed at."""

NO_LINE_BEFORE = "0" * 64

_HASH_MEMBER = re.compile(rf',"hash":"({CODE})"(?:,"code":"({CODE})")?\}}\Z'.encode())
_HASH_MEMBER_LENGTH = len(b',"hash":"","code":""}') + 2 * 64
_KIND = "journal"
_VERSION_MEMBER = b'{"v":1,'
_TYPE_MEMBER = re.compile(rb'\A\{"v":1,"seq":\d+,"prev":"[0-9a-f]{64}","at":"[^"]{1,40}","type":"([a-z]+)"')


class TurnBody(Record):
    """A turn and its place: the ``index``-th of the ``of`` asks of a step, both counted from 0."""

    step: int = Field(ge=0)
    of: int = Field(ge=1)
    index: int = Field(ge=0)
    turn: Turn


class ResumeBody(Record):
    """Resumption of work on the run. ``set_aside`` is the number of bytes of a torn line that were moved away."""

    set_aside: int = Field(default=0, ge=0)


class AskedBody(Record):
    """Asks of a step that are sent, of ``of`` in all; none of them has been answered before."""

    step: int = Field(ge=0)
    of: int = Field(ge=1)
    asks: tuple[PendingAsk, ...] = Field(min_length=1)


class _Envelope(Record):
    v: Literal[1] = LINE_VERSION
    seq: int = Field(ge=0)
    prev: str
    at: Moment


def _header(header: Any) -> Any:
    """Return a header with the request as the record of its format."""
    match header:
        case {"request": {"kind": str(kind)} as request}:
            read = FORMATS[kind].request.model_validate(request)
            return cast("dict[str, Any]", header) | {"request": read}
        case _:
            return header


def _outcome(outcome: Any) -> Any:
    match outcome:
        case {"kind": str(kind)}:
            return FORMATS[kind].outcome.model_validate(outcome)
        case _:
            return outcome


Header = Annotated[RunHeader, BeforeValidator(_header)]
"""A header as it is read: with the record that its format has for requests."""


class StartLine(_Envelope):
    """The first line: the request."""

    type: Literal["start"] = "start"
    body: Header


class TurnLine(_Envelope):
    """A turn."""

    type: Literal["turn"] = "turn"
    body: TurnBody


class AskedLine(_Envelope):
    """An ask that is about to be sent."""

    type: Literal["asked"] = "asked"
    body: AskedBody


class ResumeLine(_Envelope):
    """An interrupted run was continued."""

    type: Literal["resume"] = "resume"
    body: ResumeBody


class EndLine(_Envelope):
    """The run is over."""

    type: Literal["end"] = "end"
    body: Annotated[SerializeAsAny[Outcome], BeforeValidator(_outcome)]


Line = Annotated[StartLine | AskedLine | TurnLine | ResumeLine | EndLine, Field(discriminator="type")]

_LINE: TypeAdapter[StartLine | AskedLine | TurnLine | ResumeLine | EndLine] = TypeAdapter(Line)


class Defect(StrEnum):
    """Defect of a line."""

    NOT_JSON = "it is not JSON"
    NEWER = "it was written by a newer version of sparring"
    CHANGED = "its hash does not fit its content"
    FOREIGN = "its content is not what this version of sparring writes"
    MISPLACED = "it does not continue the line before: a line is missing, doubled or out of order"


class Link(Struct, frozen=True):
    """Link that the next line must continue: its number, and the hash of the line before.

    Attributes:
        root: The hash of the first line; empty where that is not known.
    """

    seq: int = 0
    prev: str = NO_LINE_BEFORE
    root: str = ""


class Sealed(Struct, frozen=True):
    """A line with its bytes (newline included) and the hash for the next one.

    Attributes:
        code: Proof of its author; empty without one.
    """

    line: Line
    content: bytes
    following: Link
    code: str = ""

    def is_signed(self, key: StateKey, root: str = "") -> bool:
        """Return whether the user of ``key`` wrote it, in the journal whose first line has the hash ``root``."""
        root = root or self.following.root
        return key.is_signed(_KIND, self.code, root.encode(), self.following.prev.encode())


def seal(line: Line, key: StateKey = NO_KEY, root: str = "") -> Sealed:
    """The bytes of ``line`` as they go to disk; ``root`` is the hash of the first line, for all lines after it."""
    open_line = line.model_dump_json().encode()
    digest = sha256(open_line).hexdigest()
    root = root or digest
    code = key.sign(_KIND, root.encode(), digest.encode())
    signed = f',"code":"{code}"' if code else ""
    content = b'%b,"hash":"%b"%b}\n' % (open_line[:-1], digest.encode(), signed.encode())
    return Sealed(line, content, Link(line.seq + 1, digest, root), code)


def unseal(content: bytes, expected: Link | None = None) -> Sealed | str:
    """Return the line in ``content`` (newline included), or why it is refused: a ``Defect``, or an unknown format.

    Args:
        content: One line.
        expected: The hash that it must continue; None skips that check, for a line that is read on its own.
    """
    text = content.removesuffix(b"\n")
    member = _HASH_MEMBER.search(text, max(0, len(text) - _HASH_MEMBER_LENGTH))
    if member is None or not text.startswith(_VERSION_MEMBER):
        return _diagnosis(text)
    open_line = text[: member.start()] + b"}"
    digest = sha256(open_line).hexdigest()
    if digest.encode() != member[1]:
        return _diagnosis(text)
    try:
        line = _LINE.validate_json(open_line)
    except ValidationError:
        return Defect.FOREIGN
    except UnknownFormatError as error:
        return str(error).removesuffix(".")
    if expected is not None and (line.seq, line.prev) != (expected.seq, expected.prev):
        return Defect.MISPLACED
    root = (expected.root if expected else "") or (digest if line.seq == 0 else "")
    code = (member[2] or b"").decode()
    return Sealed(line, content, Link(line.seq + 1, digest, root), code)


def type_of(content: bytes) -> str | None:
    """Return the type that a line states in its first bytes, without any check; None if there is none."""
    member = _TYPE_MEMBER.match(content[:256])
    return member[1].decode() if member else None


class _Versioned(BaseModel):
    v: int = Field(strict=True)


def _diagnosis(text: bytes) -> Defect:
    try:
        from_json(text)
        version = _Versioned.model_validate_json(text).v
    except ValidationError:
        return Defect.CHANGED
    except ValueError:
        return Defect.NOT_JSON
    return Defect.NEWER if version > LINE_VERSION else Defect.CHANGED
