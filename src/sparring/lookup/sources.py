"""Answers a brief's ``sources`` with a ``SourceFindings``: pages are fetched, read by their type, and cached.

This module depends on the world; ``checks.sources`` decides what a page means for a source.
"""

import json
import re
import sys
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
from msgspec import Struct, field

from sparring.checks.sources import check_source
from sparring.errors import WorkerEndedError
from sparring.extras import install_command
from sparring.lookup import fetching
from sparring.lookup.hypertext import decode, read_hypertext
from sparring.processes import call_folders, workers
from sparring.processes.children import Command, FinishedProcess, run_child
from sparring.providers.api.http import HttpClient
from sparring.providers.receiving.causes import elapsed_ms
from sparring.schema.base import utc_now
from sparring.schema.consultation import Answer, Failure, FailureCode, Question, Reply, Source, Usage
from sparring.schema.lookups import SOURCES_STEP, Page, PageProblem, SourceFinding, SourceFindings
from sparring.text.tidying import one_line

PDF_PACKAGE = "pypdf"
"""Package that the extra ``pdf`` installs."""

_PROGRAM = Path(__file__).with_name("pdf_program.py")
_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"})
_HYPHENATED = re.compile(r"(?<=[^\W\d_])[-\u2010\u00ad]\n(?=[^\W\d_])")


class PdfReading:
    """Reads PDFs by a program, if there is the package that it needs."""

    def __init__(
        self,
        limits: fetching.SourceLimits,
        *,
        package: str = PDF_PACKAGE,
        program: Path = _PROGRAM,
        python: str = sys.executable,
    ) -> None:
        self._limits = limits
        self._package = package
        self._program = program
        self._python = python

    async def read(self, body: bytes) -> "PageText":
        """Extract the text of a PDF.

        A word that a line end cuts in two is whole again.

        Raises:
            NoPageError: It cannot be read, not in time, or not without the extra.
        """
        extracted = await self._extracted(body)
        text = _HYPHENATED.sub("", "\n".join(_pages_of(extracted)))
        return _within(self._limits, str(extracted["title"]), text, is_whole=bool(extracted["is_whole"]))

    async def pages(self, body: bytes) -> tuple[str, ...]:
        """Extract the text of each page of a PDF; raises ``NoPageError``, also where not all of it can be read."""
        extracted = await self._extracted(body)
        if not extracted["is_whole"]:
            raise fetching.failed("the PDF has too many pages or too much text to be read whole")
        return tuple(_HYPHENATED.sub("", page) for page in _pages_of(extracted))

    async def _extracted(self, body: bytes) -> Mapping[str, Any]:
        if find_spec(self._package) is None:
            raise fetching.failed(f"reading a PDF needs another package: {install_command('pdf')}")
        try:
            finished = await self._run(body)
        except OSError as error:
            raise fetching.failed("the PDF cannot be read here: no program could be started for it") from error
        if finished.timed_out:
            raise fetching.failed(f"the PDF could not be read within {self._limits.reading_s:g} s")
        if finished.exit_code != 0 or finished.overflowed:
            raise fetching.failed("the PDF cannot be read")
        extracted: dict[str, Any] = json.loads(finished.stdout)
        if "error" in extracted:
            raise fetching.failed(str(extracted["error"]))
        return extracted

    async def _run(self, body: bytes) -> FinishedProcess:
        command = (self._python, "-I", str(self._program), str(self._limits.text_characters))
        with call_folders.temporary_folder() as folder:
            file = folder / "page.pdf"
            await anyio.to_thread.run_sync(file.write_bytes, body)
            return await run_child(
                Command(command, env={}, cwd=file.parent),
                prompt=file,
                timeout_s=self._limits.reading_s,
                output_limit=16 * self._limits.text_characters,
            )


def _pages_of(extracted: Mapping[str, Any]) -> list[str]:
    return [str(page).translate(_LIGATURES) for page in extracted["pages"]]


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


class PageText(Struct, frozen=True):
    """Text of a page, with a flag for a text that is cut off."""

    title: str
    text: str
    is_whole: bool


async def read_page(fetched: fetching.Fetched, limits: fetching.SourceLimits, pdfs: PdfReading) -> PageText:
    """Extract the visible text of ``fetched``.

    Raises:
        NoPageError: It is nothing to read.
    """
    kind, charset = _type_of(fetched.content_type)
    if kind in _PDF or (not kind and fetched.body.startswith(_PDF_MARK)):
        return await pdfs.read(fetched.body)
    if kind and not _is_text(kind):
        raise fetching.failed(f"a page of this type is not read: {one_line(kind, _SHOWN)}")
    try:
        page = await workers.run_pure(_text_of, fetched.body, kind, charset, limits, texts=(fetched.body,))
    except WorkerEndedError as error:
        raise fetching.failed("the page takes longer to read than it may") from error
    if page is None:
        raise fetching.failed("the response is not text")
    return page


def _is_text(kind: str) -> bool:
    return kind.startswith("text/") or kind in _HYPERTEXT | _PLAIN or kind.endswith(_PLAIN_SUFFIXES)


def _text_of(body: bytes, kind: str, charset: str, limits: fetching.SourceLimits) -> PageText | None:
    """Return the text of a page; None for other content."""
    is_hypertext = kind in _HYPERTEXT
    text = decode(body, charset, is_markup=is_hypertext or not kind or kind.endswith("xml"))
    if "\0" in text:
        return None
    is_readable = text.count(_REPLACED) * _FEW_REPLACED <= len(text)
    if not kind:  # the server has not said what it is
        is_hypertext = _BEGINS_LIKE_HYPERTEXT.match(text) is not None
    if is_hypertext:
        page = read_hypertext(text)
        return _within(limits, page.title, page.text, is_whole=is_readable and page.is_whole)
    return _within(limits, "", text, is_whole=is_readable)


def _within(limits: fetching.SourceLimits, title: str, text: str, *, is_whole: bool) -> PageText:
    most = limits.text_characters
    return PageText(one_line(title, _TITLE_LIMIT), text[:most], is_whole and len(text) <= most)


def _type_of(header: str) -> tuple[str, str]:
    """Return the media type in small letters, and the name of the character set; each empty when it is missing.

    Some servers give it twice: then the first counts.
    """
    first, _, _ = header.partition(",")
    kind, *parameters = first.split(";")
    charset = ""
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset":
            charset = value.strip().strip("\"'")
            break
    return kind.strip().lower(), charset


_DETAIL_LIMIT = 200


class Pages:
    """Fetches a page once, until it is old or too many others came after it.

    What failed is remembered as well, unless it was the network: that may be back at any moment.
    """

    def __init__(self, world: "SourceWorld", admission: fetching.Admission) -> None:
        self._fetcher = fetching.Fetcher(world.limits, world.resolver, admission)
        self._pdfs = PdfReading(world.limits)
        self._limits = world.limits
        self._clock = world.clock
        self._kept: OrderedDict[str, tuple[float, Page]] = OrderedDict()

    async def page(self, client: HttpClient, url: str) -> Page:
        """Return the page at ``url``, which has no fragment, or what came instead of it. Never raises."""
        if url in self._kept:
            kept_at, kept = self._kept[url]
            if self._clock() - kept_at < self._limits.kept_s:
                return kept
        page, may_change = await self._fetched(client, url)
        if not may_change:
            self._keep(url, page)
        return page

    async def _fetched(self, client: HttpClient, url: str) -> tuple[Page, bool]:
        """Return the page, and whether another attempt may end otherwise."""
        try:
            fetched = await self._fetcher.fetch(client, url)
            reading = await read_page(fetched, self._limits, self._pdfs)
        except fetching.NoPageError as error:
            return Page(url=url, problem=error.problem, detail=one_line(error.detail, _DETAIL_LIMIT)), error.passes
        page = Page(
            url=url,
            final_url=fetched.final_url,
            title=reading.title,
            text=reading.text,
            is_whole=reading.is_whole,
            fetched_at=utc_now(),
        )
        return page, False

    def _keep(self, url: str, page: Page) -> None:
        self._kept.pop(url, None)  # to be the latest one
        self._kept[url] = (self._clock(), page)
        characters = sum(len(kept.text) for _, kept in self._kept.values())
        while len(self._kept) > self._limits.kept_pages or characters > self._limits.kept_characters:
            _, (_, oldest) = self._kept.popitem(last=False)
            characters -= len(oldest.text)


_NOTHING = Usage(input_tokens=0, output_tokens=0, cost_usd=0.0)


class SourceWorld(Struct, frozen=True):
    """Limits and services that looking sources up depends on.

    Attributes:
        clock: Seconds from some moment on; how old a remembered page is.
    """

    limits: fetching.SourceLimits = field(default_factory=fetching.SourceLimits)
    resolver: fetching.Resolver = field(default_factory=fetching.SystemResolver)
    clock: Callable[[], float] = time.monotonic


class SourceConsultant:
    """Consultant under the name of ``tool``. Pages are cached from one question to the next.

    ``environment`` names hosts that may be asked although they are not public (``SPARRING_SOURCES_ALLOW``), and
    the certificates. The proxies that it names are not used: see ``fetching``.
    """

    def __init__(self, environment: Mapping[str, str], *, tool: str, world: SourceWorld | None = None) -> None:
        world = world or SourceWorld()
        self._environment = environment
        self._tool = tool
        self._at_once = world.limits.at_once
        self._admission = fetching.Admission.read(environment)
        self._pages = Pages(world, self._admission)

    async def ask(self, question: Question) -> Reply:
        """Return the findings; see ``Consultant.ask``. Pages that could not be fetched in time are unreachable."""
        began = time.monotonic()
        if question.brief.step != SOURCES_STEP:
            detail = "this tool looks sources up, and does nothing else"
            return Failure(tool=self._tool, code=FailureCode.UNSUPPORTED, detail=detail)
        sources = question.brief.sources
        by_place: dict[int, SourceFinding] = {}
        with anyio.move_on_after(question.timeout_s):
            await self._look_up(sources, by_place)
        late = f"it was not looked up within {question.timeout_s:g} s"
        findings = tuple(by_place.get(place) or _missed(source, late) for place, source in enumerate(sources))
        return Answer(
            tool=self._tool,
            response=SourceFindings(findings=findings).model_dump_json(),
            duration_ms=elapsed_ms(began),
            usage=_NOTHING,
            warnings=self._admission.warnings,
        )

    async def _look_up(self, sources: Sequence[Source], findings: dict[int, SourceFinding]) -> None:
        """Put the findings into ``findings`` as they come, by the places of ``sources``."""
        places_by_url: dict[str, list[int]] = {}  # a page is fetched once for all that cite it
        for place, source in enumerate(sources):
            url, _, _ = source.url.partition("#")
            places_by_url.setdefault(url.strip(), []).append(place)
        client = HttpClient(self._environment)
        turns = anyio.Semaphore(self._at_once)

        async def look_up(url: str) -> None:
            async with turns:
                page = await self._pages.page(client, url)
                for place in places_by_url[url]:
                    findings[place] = await _judged(sources[place], page)

        try:
            async with anyio.create_task_group() as tasks:
                for url in places_by_url:
                    tasks.start_soon(look_up, url)
        finally:
            await client.aclose()


async def _judged(source: Source, page: Page) -> SourceFinding:
    try:
        return await workers.run_pure(check_source, source, page, texts=(page.text,))
    except WorkerEndedError as error:
        return _missed(source, str(error))


def _missed(source: Source, why: str) -> SourceFinding:
    return check_source(source, Page(url=source.url, problem=PageProblem.FAILED, detail=why))
