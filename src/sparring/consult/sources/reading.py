"""From what came to what a reader sees of it, by its type."""

import re
from dataclasses import dataclass
from functools import partial

import anyio.to_thread

from sparring.consult.sources.charsets import decode
from sparring.consult.sources.fetching import Fetched
from sparring.consult.sources.hypertext import read_hypertext
from sparring.consult.sources.limits import Limits
from sparring.consult.sources.pdf import PdfReading
from sparring.consult.sources.problems import failed
from sparring.text.tidying import one_line

_HYPERTEXT = frozenset({"text/html", "application/xhtml+xml"})
_PLAIN = frozenset({"application/javascript", "application/json", "application/x-ndjson", "application/xml"})
_PLAIN_SUFFIXES = ("+json", "+xml")
_PDF = frozenset({"application/pdf", "application/x-pdf"})
_PDF_MARK = b"%PDF-"
_BEGINS_LIKE_HYPERTEXT = re.compile(
    r"\s{0,100}(?:<\?xml[^>]{0,200}>)?\s{0,100}<(?:!doctype html|html|head|body)\b", re.I
)
_REPLACED = "\ufffd"
_FEW_REPLACED = 1000
"""One character in so many may be unreadable on a page that counts as read whole."""

_TITLE_LIMIT = 300
_SHOWN = 60


@dataclass(frozen=True)
class Reading:
    """What there is to read, and whether that is all there is."""

    title: str
    text: str
    is_whole: bool


async def read_page(fetched: Fetched, limits: Limits, pdfs: PdfReading) -> Reading:
    """What a reader sees of ``fetched``.

    Raises:
        NoPageError: It is nothing to read.
    """
    kind, charset = _type_of(fetched.content_type)
    if kind in _PDF or (not kind and fetched.body.startswith(_PDF_MARK)):
        title, text, is_whole = await pdfs.read(fetched.body)
        return _within(limits, title, text, is_whole=is_whole)
    if kind and not _is_text(kind):
        raise failed(f"a page of this type is not read: {one_line(kind, _SHOWN)}")
    reading = partial(_text_of, fetched.body, kind, charset, limits)
    return await anyio.to_thread.run_sync(reading, abandon_on_cancel=True)


def _is_text(kind: str) -> bool:
    return kind.startswith("text/") or kind in _HYPERTEXT | _PLAIN or kind.endswith(_PLAIN_SUFFIXES)


def _text_of(body: bytes, kind: str, charset: str, limits: Limits) -> Reading:
    text = decode(body, charset, is_markup=kind in _HYPERTEXT or not kind or kind.endswith("xml"))
    if "\0" in text:
        raise failed("what came is no text")
    is_readable = text.count(_REPLACED) * _FEW_REPLACED <= len(text)
    if kind in _HYPERTEXT or (not kind and _BEGINS_LIKE_HYPERTEXT.match(text)):
        page = read_hypertext(text)
        return _within(limits, page.title, page.text, is_whole=is_readable and page.is_whole)
    return _within(limits, "", text, is_whole=is_readable)


def _within(limits: Limits, title: str, text: str, *, is_whole: bool) -> Reading:
    most = limits.text_characters
    return Reading(one_line(title, _TITLE_LIMIT), text[:most], is_whole and len(text) <= most)


def _type_of(header: str) -> tuple[str, str]:
    """The media type in small letters, and the name of the character set; each empty when nothing is said.

    Some servers say it twice: then the first counts.
    """
    kind, *parameters = header.partition(",")[0].split(";")
    named = (parameter.partition("=") for parameter in parameters)
    charset = next((value for name, _, value in named if name.strip().lower() == "charset"), "")
    return kind.strip().lower(), charset.strip().strip("\"'")
