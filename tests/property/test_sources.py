"""Sources: whatever a model cites, and whatever a server sends, there is a finding and no error."""

import codecs
from collections.abc import Generator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.checks.sources import check_source
from sparring.lookup.hypertext import decode
from sparring.lookup.sources import SourceWorld
from sparring.schema.consultation import Source
from sparring.schema.lookups import Page, SourceStatus
from support.looking_up import Names, consultant, finding
from support.pages import Site, leads_to

URL = "https://example.org/harbour"
LONG = "The tide gauge has recorded the level of the sea since 1904, and there is no longer row. " * 15

ANYTHING = st.one_of(
    st.text(min_size=1, max_size=200),
    st.builds("http://{}".format, st.text(max_size=80)),
    st.builds("http{}://{}:{}/{}".format, st.text(max_size=2), st.text(max_size=9), st.text(max_size=6), st.text()),
    st.builds("http://[{}]{}".format, st.text("0123456789abcdef:.%", max_size=40), st.text(max_size=10)),
).filter(lambda url: 0 < len(url) <= 2000)


@pytest.fixture(scope="module")
def site() -> Generator[Site]:
    with Site() as listening:
        yield listening


@given(url=ANYTHING)
async def test_an_address_may_be_anything(url: str) -> None:
    found = await finding(consultant(world=SourceWorld(resolver=Names({}))), url, "any words at all")
    assert found.status in {SourceStatus.UNRELIABLE, SourceStatus.UNREACHABLE}


@given(location=ANYTHING)
async def test_a_redirect_may_lead_to_anything(location: str, site: Site) -> None:
    sent = location.encode("utf-8", "surrogatepass").decode("latin-1").replace("\r", "").replace("\n", "")
    site.pages["/x"] = leads_to(sent)
    world = SourceWorld(resolver=Names({"127.0.0.1": [("127.0.0.1",)]}))
    found = await finding(consultant(f"127.0.0.1:{site.port}", world=world), f"{site.url}/x", "any words at all")
    assert found.status is not SourceStatus.VERIFIED


@given(
    body=st.binary(),
    said=st.text(max_size=50) | st.sampled_from(sorted(set(codecs.__dict__) | {"mbcs", "idna", "zip"})),
)
def test_decoding_never_raises(body: bytes, said: str) -> None:
    decode(body, said, is_markup=True)


@given(quote=st.text(max_size=2000), title=st.text(max_size=500), text=st.text(), is_whole=st.booleans())
def test_only_what_is_quoted_is_verified_and_every_finding_has_a_reason(
    quote: str, title: str, text: str, *, is_whole: bool
) -> None:
    found = check_source(
        Source(url=URL, title=title, quote=quote), Page(url=URL, title=title, text=text, is_whole=is_whole)
    )
    assert (found.status is SourceStatus.VERIFIED) == (found.reason == "the quoted words are on the page")
    assert not any(ord(character) < 32 for character in found.reason)
    assert found.status in {SourceStatus.VERIFIED, SourceStatus.UNRELIABLE}  # so short a page fabricates nothing


@given(st.lists(st.text("abcdeghiost", min_size=1, max_size=9), min_size=3, max_size=100).map(" ".join))
def test_words_that_stand_on_a_page_verify_and_are_no_fabrication(words: str) -> None:
    page = Page(url=URL, text=f"{LONG}\n{words}\n{LONG}")
    assert check_source(Source(url=URL, quote=words), page).status is SourceStatus.VERIFIED
    assert check_source(Source(url=URL, quote=f"{words} indeed"), page).status is SourceStatus.UNRELIABLE
