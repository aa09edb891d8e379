"""The consultant that looks sources up, against a web server on loopback."""

from collections.abc import Generator

import anyio
import anyio.lowlevel
import anyio.to_thread
import pytest

from sparring.providers.lookup.fetching import Fetched, NoPageError, SourceLimits
from sparring.providers.lookup.sources import PageText, PdfReading, SourceWorld, read_page
from sparring.schema.consultation import Failure, FailureCode, Usage
from sparring.schema.lookups import PageProblem, Source, SourceFinding, SourceFindings, SourceStatus
from support.clocks import on_its_own_clock, put_forward
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


async def test_a_quote_that_stands_on_the_page_verifies_its_source(site: Site) -> None:
    reply = answered(await allowing(site).ask(question(Source(url=f"{site.url}/", quote=QUOTE))))
    assert (reply.tool, reply.usage, reply.warnings) == (TOOL, Usage(input_tokens=0, output_tokens=0, cost_usd=0), ())
    (found,) = SourceFindings.model_validate_json(reply.response).findings
    assert found == SourceFinding(
        url=f"{site.url}/",
        quote=QUOTE,
        status=SourceStatus.VERIFIED,
        reason="the quoted words stand on the page",
        found=QUOTE,
        fetched_at=found.fetched_at,
    )
    assert found.fetched_at is not None


async def test_it_says_who_it_is_and_nothing_else(site: Site) -> None:
    await finding(allowing(site), f"{site.url}/?a=b#part", QUOTE)
    (visit,) = site.visits
    assert visit.path == "/?a=b"
    assert visit.headers["host"] == f"127.0.0.1:{site.port}"
    assert visit.headers["user-agent"].startswith("sparring/")
    assert visit.headers["user-agent"].endswith(" (source check)")
    assert visit.headers["accept-encoding"] == "identity"
    assert visit.headers.keys().isdisjoint({"cookie", "authorization", "referer"})


async def test_findings_come_in_the_order_of_the_sources(site: Site) -> None:
    site.pages |= {"/gone": Played(status=410, length=0), "/broken": Played(b"x", length=9)}
    sources = (
        Source(url=f"{site.url}/broken", quote=QUOTE),
        Source(url="ftp://example.org/x", quote=QUOTE),
        Source(url=f"{site.url}/gone", quote=QUOTE),
        Source(url=f"{site.url}/#a", quote=QUOTE),
        Source(url=f"{site.url}/#b"),
    )
    found = await findings(allowing(site), *sources)

    assert [(each.url, each.status) for each in found] == [
        (sources[0].url, SourceStatus.UNREACHABLE),
        (sources[1].url, SourceStatus.UNRELIABLE),
        (sources[2].url, SourceStatus.FABRICATED),
        (sources[3].url, SourceStatus.VERIFIED),
        (sources[4].url, SourceStatus.UNRELIABLE),
    ]


async def test_a_page_that_several_sources_cite_is_fetched_once(site: Site) -> None:
    asked = allowing(site)
    sources = [Source(url=f"{site.url}/{part}", quote=QUOTE) for part in ("", "#a", "#b")]
    await findings(asked, *sources)
    await findings(asked, *sources)
    assert site.paths == ["/"]


async def test_a_failure_of_the_page_itself_is_remembered(site: Site) -> None:
    site.pages |= {"/broken": Played(status=500, length=0), "/picture": page(b"\x89PNG", "image/png")}
    asked, paths = allowing(site), ["/gone", "/broken", "/picture"]
    first, second = [[await finding(asked, site.url + path, QUOTE) for path in paths] for _ in range(2)]
    assert first == second
    assert site.paths == paths


def test_a_page_that_came_too_late_is_tried_again() -> None:
    late: list[SourceFinding] = []

    async def look_up() -> None:
        with Site({"/": Played(silent=True)}) as site:
            asked = allowing(site, SourceLimits(page_s=3600))

            async def wait_for_finding() -> None:
                late.append(await finding(asked, f"{site.url}/", QUOTE, timeout_s=10**6))

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(wait_for_finding)
                await anyio.to_thread.run_sync(lambda: site.wait_for(1))
                put_forward(3600)
            site.pages["/"] = page(PAGE)
            late.append(await finding(asked, f"{site.url}/", QUOTE))

    on_its_own_clock(look_up)
    assert [(each.status, each.reason) for each in late] == [
        (SourceStatus.UNREACHABLE, "the page did not come within 3600 s"),
        (SourceStatus.VERIFIED, "the quoted words stand on the page"),
    ]


async def test_a_remembered_page_grows_old(site: Site) -> None:
    now = 0.0
    asked = consultant(f"127.0.0.1:{site.port}", world=SourceWorld(clock=lambda: now))
    await finding(asked, site.url, QUOTE)
    now = 3599.0
    await finding(asked, site.url, QUOTE)
    assert len(site.visits) == 1
    now = 3600.0
    await finding(asked, site.url, QUOTE)
    assert len(site.visits) == 2


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


async def test_what_is_not_looked_up_in_time_is_unreachable(site: Site) -> None:
    site.pages["/silent"] = Played(silent=True)
    found = await findings(allowing(site), Source(url=f"{site.url}/silent", quote=QUOTE), timeout_s=0.1)
    assert [(each.status, each.reason) for each in found] == [
        (SourceStatus.UNREACHABLE, "it was not looked up within 0.1 s")
    ]


async def test_no_sources_are_no_findings_and_another_step_is_not_answered() -> None:
    assert await findings(consultant()) == ()
    assert await consultant().ask(question(step="debate/opening")) == Failure(
        tool=TOOL, code=FailureCode.UNSUPPORTED, detail="this tool looks sources up, and does nothing else"
    )


async def test_an_exception_that_is_none_is_said_and_allows_nothing(site: Site) -> None:
    asked = consultant(f"127.0.0.1:{site.port}x")
    reply = answered(await asked.ask(question(Source(url=site.url, quote=QUOTE))))
    entry = f"127.0.0.1:{site.port}x"
    assert reply.warnings == (f"SPARRING_SOURCES_ALLOW: {entry!r} is no host or host:port; it allows nothing.",)
    assert site.visits == []


LIMITS = SourceLimits(reading_s=60)


async def read(body: bytes, content_type: str, limits: SourceLimits = LIMITS) -> PageText:
    return await read_page(Fetched("", content_type, body), limits, PdfReading(limits))


async def refusal(body: bytes, content_type: str) -> str:
    with pytest.raises(NoPageError) as caught:
        await read(body, content_type)
    assert (caught.value.problem, caught.value.passes) == (PageProblem.FAILED, False)
    return caught.value.detail


HTML = b"<!DOCTYPE html><title>T</title><b>w</b>ord"


READ = [
    (HTML, "text/html", PageText("T", "T\nword", is_whole=True)),
    (HTML, " Application/XHTML+XML ; charset=utf-8", PageText("T", "T\nword", is_whole=True)),
    (HTML, "", PageText("T", "T\nword", is_whole=True)),
    (b"\n<?xml version='1.0'?>\n<html>x", "", PageText("", "x", is_whole=True)),
    (b"<b>w</b>ord", "", PageText("", "<b>w</b>ord", is_whole=True)),
    (HTML, "text/plain", PageText("", HTML.decode(), is_whole=True)),
    (b'{"a": "b"}', "application/json", PageText("", '{"a": "b"}', is_whole=True)),
    (b"{}", "application/ld+json", PageText("", "{}", is_whole=True)),
    (b"<a>\xe9</a>", "application/rss+xml; charset=latin-1", PageText("", "<a>é</a>", is_whole=True)),
    ("é".encode("utf-16"), "text/csv; header=present; charset='utf-16'", PageText("", "é", is_whole=True)),
    (HTML, "text/html, text/html; charset=x", PageText("T", "T\nword", is_whole=True)),
    (b"", "text/html", PageText("", "", is_whole=True)),
    (b"", "", PageText("", "", is_whole=True)),
    # What is not all there is to see.
    (b"a\xff" * 9, "text/plain", PageText("", "a\ufffd" * 9, is_whole=False)),
    (b"a" * 2000 + b"\xff", "text/plain", PageText("", "a" * 2000 + "\ufffd", is_whole=True)),
    (b"<noscript>Enable JavaScript.</noscript>x", "text/html", PageText("", "x", is_whole=False)),
]


async def test_a_page_is_read_by_its_type() -> None:
    assert [(body, content_type, await read(body, content_type)) for body, content_type, _ in READ] == READ


@pytest.mark.process
@pytest.mark.parametrize("content_type", ["application/pdf", "application/pdf;x=y", ""])
async def test_a_pdf_is_read_with_the_extra(content_type: str) -> None:
    assert await read(pdf("one", title="two"), content_type) == PageText("two", "one", is_whole=True)


async def test_a_page_of_another_type_is_not_read_nor_what_says_to_be_text_and_is_none() -> None:
    for content_type in ("image/png", "application/octet-stream", "nonsense"):
        assert await refusal(b"\x89PNG", content_type) == f"a page of this type is not read: {content_type}"
    for content_type in ("text/plain", "text/html", ""):
        assert await refusal(b"\x7fELF\x00\x01", content_type) == "what came is no text"


async def test_a_long_page_is_cut_and_said_to_be() -> None:
    limits = SourceLimits(text_characters=10)
    assert await read(b"x" * 11, "text/plain", limits) == PageText("", "x" * 10, is_whole=False)
    assert await read(b"x" * 10, "text/plain", limits) == PageText("", "x" * 10, is_whole=True)
