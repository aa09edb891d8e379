"""Pages by their addresses: fetched, read and remembered."""

from collections import OrderedDict
from collections.abc import Callable

from sparring.consult.http import HttpClient
from sparring.consult.sources.fetching import Fetcher
from sparring.consult.sources.limits import Limits
from sparring.consult.sources.pdf import PdfReading
from sparring.consult.sources.problems import NoPageError
from sparring.consult.sources.reading import read_page
from sparring.schema.base import utc_now
from sparring.schema.sources import Page
from sparring.text.tidying import one_line

_DETAIL_LIMIT = 200


class Pages:
    """Fetches a page once, until it is old or too many others came after it.

    What failed is remembered as well, unless it was the network: that may be back at any moment.
    """

    def __init__(self, fetcher: Fetcher, pdfs: PdfReading, limits: Limits, clock: Callable[[], float]) -> None:
        self._fetcher = fetcher
        self._pdfs = pdfs
        self._limits = limits
        self._clock = clock
        self._kept: OrderedDict[str, tuple[float, Page]] = OrderedDict()

    async def page(self, client: HttpClient, url: str) -> Page:
        """The page at ``url``, which has no fragment, or what came instead of it. Never raises."""
        kept_at, kept = self._kept.get(url, (0.0, None))
        if kept is not None and self._clock() - kept_at < self._limits.kept_s:
            return kept
        page, passes = await self._fetched(client, url)
        if not passes:
            self._keep(url, page)
        return page

    async def _fetched(self, client: HttpClient, url: str) -> tuple[Page, bool]:
        """The page, and whether another attempt may end otherwise."""
        try:
            fetched = await self._fetcher.fetch(client, url)
            reading = await read_page(fetched, self._limits, self._pdfs)
        except NoPageError as error:
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
        self._kept.pop(url, None)
        self._kept[url] = (self._clock(), page)
        while len(self._kept) > self._limits.kept_pages or self._characters() > self._limits.kept_characters:
            self._kept.popitem(last=False)

    def _characters(self) -> int:
        return sum(len(page.text) for _, page in self._kept.values())
