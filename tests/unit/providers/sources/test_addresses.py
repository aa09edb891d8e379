"""How the addresses of pages are read."""

import pytest

from sparring.providers.sources.fetching import NoPageError, PageAddress, read_address
from sparring.schema.sources import PageProblem

BASE = PageAddress("https://example.org/a/b?c", "example.org", 443)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("http://example.org", PageAddress("http://example.org", "example.org", 80)),
        (" HTTPS://Example.ORG:8443/A?b=c#d ", PageAddress("https://example.org:8443/A?b=c", "example.org", 8443)),
        ("http://bücher.example/ä", PageAddress("http://xn--bcher-kva.example/%C3%A4", "xn--bcher-kva.example", 80)),
        ("http://[2001:DB8::1]/", PageAddress("http://[2001:DB8::1]/", "2001:db8::1", 80)),
        ("../x#y", PageAddress("https://example.org/x", "example.org", 443)),
        ("?d", PageAddress("https://example.org/a/b?d", "example.org", 443)),
        ("//other.example/", PageAddress("https://other.example/", "other.example", 443)),
    ],
)
def test_an_address_is_read_as_it_is_asked_or_from_the_page_that_leads_there(text: str, expected: PageAddress) -> None:
    assert read_address(text, BASE) == expected


@pytest.mark.parametrize(
    "text", ["", "example.org", "/a", "http://", "http:///a", "http://a\nb/", "http://a:b/", "//a"]
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(NoPageError) as caught:
        read_address(text)

    assert (caught.value.problem, caught.value.detail) == (PageProblem.REFUSED, "this is no address of a page")
