"""The consultant that looks sources up, against a web server on loopback."""

import re
from collections.abc import Generator

import anyio
import anyio.lowlevel
import anyio.to_thread
import pytest

from sparring.lookup.fetching import Fetched, NoPageError, SourceLimits
from sparring.lookup.sources import PageText, PdfReading, SourceWorld, read_page
from sparring.schema.consultation import Failure, FailureCode, Source, Usage
from sparring.schema.lookups import PageProblem, SourceFinding, SourceFindings, SourceStatus
from support.clocks import StandingClock
from support.desk import answered
from support.looking_up import TOOL, allowing, consultant, finding, findings, question
from support.pages import Played, Site, page
from support.pdfs import pdf

QUOTE = "the tide gauge has recorded since 1904"
PAGE = f"<html><title>The harbour</title><p>They say that <b>{QUOTE}</b> without a gap.</p></html>"


@pytest.fixture
def site() -> Generator[Site]:
    with Site({"/": page(PAGE)}) as listening:
        yield listening


async def test_a_quote_on_the_page_verifies_its_source(site: Site) -> None:
    reply = answered(await allowing(site).ask(question(Source(url=f"{site.url}/", quote=QUOTE))))
    assert (reply.tool, reply.usage, reply.warnings) == (TOOL, Usage(input_tokens=0, output_tokens=0, cost_usd=0), ())
    (found,) = SourceFindings.model_validate_json(reply.response).findings
    words = {"url": f"{site.url}/", "quote": QUOTE, "status": "verified", "page_words": QUOTE}
    expected = SourceFinding.model_validate(words | {"reason": "the quoted words are on the page"})
    assert found.fetched_at is not None
    assert found == expected.model_copy(update={"fetched_at": found.fetched_at})


async def test_a_request_for_a_page_carries_only_the_user_agent(site: Site) -> None:
    await finding(allowing(site), f"{site.url}/?a=b#part", QUOTE)
    (visit,) = site.visits
    asked = (visit.path, visit.headers["host"], visit.headers["accept-encoding"])
    assert asked == ("/?a=b", f"127.0.0.1:{site.port}", "identity")
    assert re.fullmatch(r"sparring/\S+ \(source check\)", visit.headers["user-agent"])
    assert visit.headers.keys().isdisjoint({"cookie", "authorization", "referer"})


async def test_findings_come_in_the_order_of_the_sources(site: Site) -> None:
    site.pages |= {"/gone": Played(status=410, length=0), "/broken": Played(b"x", length=9)}
    urls = [f"{site.url}/broken", "ftp://example.org/x", f"{site.url}/gone", f"{site.url}/#a"]
    found = await findings(allowing(site), *(Source(url=url, quote=QUOTE) for url in urls), Source(url=site.url))
    statuses = ("unreachable", "unreliable", "fabricated", "verified", "unreliable")
    assert [(each.url, each.status) for each in found] == list(zip([*urls, site.url], statuses, strict=True))


async def test_a_page_that_several_sources_cite_is_fetched_once(site: Site) -> None:
    asked, sources = allowing(site), [Source(url=f"{site.url}/{part}", quote=QUOTE) for part in ("", "#a", "#b")]
    for _ in range(2):
        await findings(asked, *sources)
    assert site.paths == ["/"]


async def test_a_failure_of_the_page_itself_is_remembered(site: Site) -> None:
    site.pages |= {"/broken": Played(status=500, length=0), "/picture": page(b"\x89PNG", "image/png")}
    asked, paths = allowing(site), ["/gone", "/broken", "/picture"]
    first, second = [[await finding(asked, site.url + path, QUOTE) for path in paths] for _ in range(2)]
    assert (first, site.paths) == (second, paths)


async def test_a_remembered_page_grows_old(site: Site) -> None:
    clock = StandingClock()
    asked = consultant(f"127.0.0.1:{site.port}", world=SourceWorld(clock=clock))
    for later, visits in ((0, 1), (3599, 1), (1, 2)):
        clock.now += later
        await finding(asked, site.url, QUOTE)
        assert len(site.visits) == visits


@pytest.mark.parametrize("limits", [SourceLimits(kept_pages=1), SourceLimits(kept_characters=100)])
async def test_the_page_that_was_remembered_first_is_forgotten_first(limits: SourceLimits, site: Site) -> None:
    site.pages["/b"] = site.pages["/"]
    asked = allowing(site, limits)
    for path in ("/", "/b", "/b", "/"):
        await finding(asked, site.url + path, QUOTE)
    assert site.paths == ["/", "/b", "/"]


async def test_no_more_than_a_few_pages_are_fetched_side_by_side(site: Site) -> None:
    site.pages |= {f"/{number}": Played(silent=True) for number in range(6)}
    sources = [Source(url=f"{site.url}/{number}") for number in range(6)]
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(findings, allowing(site), *sources)
        await anyio.to_thread.run_sync(lambda: site.wait_for(4))
        for _ in range(20):  # whoever else could come would by now
            await anyio.lowlevel.checkpoint()
        assert sorted(site.paths) == ["/0", "/1", "/2", "/3"]
        tasks.cancel_scope.cancel()
    await anyio.to_thread.run_sync(site.wait_until_left)


async def test_a_source_not_fetched_in_time_is_unreachable(site: Site) -> None:
    site.pages["/silent"] = Played(silent=True)
    found = await finding(allowing(site), f"{site.url}/silent", QUOTE, timeout_s=0.1)
    assert (found.status, found.reason) == (SourceStatus.UNREACHABLE, "it was not looked up within 0.1 s")


async def test_no_sources_are_no_findings_and_another_step_is_not_answered() -> None:
    assert await findings(consultant()) == ()
    assert await consultant().ask(question(step="debate/opening")) == Failure(
        tool=TOOL, code=FailureCode.UNSUPPORTED, detail="this tool looks sources up, and does nothing else"
    )


async def test_an_invalid_exception_is_reported(site: Site) -> None:
    reply = answered(await consultant("a/b").ask(question(Source(url=site.url, quote=QUOTE))))
    assert reply.warnings == ("SPARRING_SOURCES_ALLOW: 'a/b' is not host or host:port; ignored.",)


LIMITS = SourceLimits(reading_s=60)


async def read(body: bytes, content_type: str, limits: SourceLimits = LIMITS) -> PageText:
    return await read_page(Fetched("", content_type, body), limits, PdfReading(limits))


async def refusal(body: bytes, content_type: str) -> str:
    with pytest.raises(NoPageError) as caught:
        await read(body, content_type)
    assert (caught.value.problem, caught.value.passes) == (PageProblem.FAILED, False)
    return caught.value.detail


HTML = b"<!DOCTYPE html><title> The &amp;\n T </title><b>w</b>ord<title>no</title>"
WORD = PageText("The & T", "The & T\nword", is_whole=True)


def text(shown: str, *, is_whole: bool = True) -> PageText:
    return PageText("", shown, is_whole=is_whole)


READ = [
    *((HTML, kind, WORD) for kind in ("text/html", " Application/XHTML+XML ; charset=utf-8", "")),
    (HTML, "text/html, text/html; charset=x", WORD),
    (b"\n<?xml version='1.0'?>\n<html>x", "", text("x")),
    (b"<b>w</b>ord", "", text("<b>w</b>ord")),
    (HTML, "text/plain", text(HTML.decode())),
    *((b'{"a": "b"}', f"application/{kind}", text('{"a": "b"}')) for kind in ("json", "ld+json")),
    (b"<a>\xe9</a>", "application/rss+xml; charset=latin-1", text("<a>é</a>")),
    ("é".encode("utf-16"), "text/csv; header=present; charset='utf-16'", text("é")),
    *((b"", kind, text("")) for kind in ("text/html", "")),
    # What is not all there is to see.
    (b"a\xff" * 9, "text/plain", text("a\ufffd" * 9, is_whole=False)),
    (b"a" * 2000 + b"\xff", "text/plain", text("a" * 2000 + "\ufffd")),
    (b"<noscript>Enable JavaScript.</noscript>x", "text/html", text("x", is_whole=False)),
]


async def test_a_page_is_read_by_its_type() -> None:
    assert [(body, content_type, await read(body, content_type)) for body, content_type, _ in READ] == READ


@pytest.mark.process
@pytest.mark.parametrize("content_type", ["application/pdf;x=y", ""])
async def test_a_pdf_is_read_with_the_extra(content_type: str) -> None:
    assert await read(pdf("one", title="two"), content_type) == PageText("two", "one", is_whole=True)


async def test_pages_of_other_types_and_binary_content_declared_as_text_are_not_read() -> None:
    for content_type in ("image/png", "application/octet-stream", "nonsense"):
        assert await refusal(b"\x89PNG", content_type) == f"a page of this type is not read: {content_type}"
    for content_type in ("text/plain", "text/html", ""):
        assert await refusal(b"\x7fELF\x00\x01", content_type) == "the response is not text"


async def test_a_long_page_is_cut_and_marked_so() -> None:
    limits = SourceLimits(text_characters=10)
    assert await read(b"x" * 11, "text/plain", limits) == text("x" * 10, is_whole=False)
    assert await read(b"x" * 10, "text/plain", limits) == text("x" * 10)
