"""What is read of a page, by its type."""

import pytest

from sparring.providers.sources.consultant import PageText, PdfReading, read_page
from sparring.providers.sources.fetching import Fetched, NoPageError, SourceLimits
from sparring.schema.sources import PageProblem
from support.pdfs import pdf

LIMITS = SourceLimits(reading_s=60)


async def read(body: bytes, content_type: str, limits: SourceLimits = LIMITS) -> PageText:
    return await read_page(Fetched("", content_type, body), limits, PdfReading(limits))


async def refusal(body: bytes, content_type: str) -> str:
    with pytest.raises(NoPageError) as caught:
        await read(body, content_type)
    assert (caught.value.problem, caught.value.passes) == (PageProblem.FAILED, False)
    return caught.value.detail


HTML = b"<!DOCTYPE html><title>T</title><b>w</b>ord"


@pytest.mark.parametrize(
    ("body", "content_type", "expected"),
    [
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
    ],
)
async def test_a_page_is_read_by_its_type(body: bytes, content_type: str, expected: PageText) -> None:
    assert await read(body, content_type) == expected


@pytest.mark.process
@pytest.mark.parametrize("content_type", ["application/pdf", "application/pdf;x=y", ""])
async def test_a_pdf_is_read_with_the_extra(content_type: str) -> None:
    assert await read(pdf("one", title="two"), content_type) == PageText("two", "one", is_whole=True)


@pytest.mark.parametrize(
    "content_type", ["image/png", "application/octet-stream", "application/zip", "video/mp4", "nonsense"]
)
async def test_a_page_of_another_type_is_not_read(content_type: str) -> None:
    assert await refusal(b"\x89PNG", content_type) == f"a page of this type is not read: {content_type}"


@pytest.mark.parametrize("content_type", ["text/plain", "text/html", ""])
async def test_what_says_to_be_text_and_is_none_is_not_read(content_type: str) -> None:
    assert await refusal(b"\x7fELF\x00\x01", content_type) == "what came is no text"


async def test_a_long_page_is_cut_and_said_to_be() -> None:
    limits = SourceLimits(text_characters=10)

    assert await read(b"x" * 11, "text/plain", limits) == PageText("", "x" * 10, is_whole=False)
    assert await read(b"x" * 10, "text/plain", limits) == PageText("", "x" * 10, is_whole=True)
