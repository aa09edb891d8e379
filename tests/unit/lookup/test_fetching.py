"""What is fetched, what is not, and what is said about it: a web server on loopback, and names that lead to it."""

import gzip
import shutil
import zlib
from collections.abc import Generator
from functools import partial
from pathlib import Path

import anyio
import pytest

from sparring.lookup import fetching
from sparring.lookup.fetching import Admission, NoPageError, PageAddress, SourceLimits
from sparring.lookup.sources import SourceConsultant, SourceWorld
from sparring.schema.lookups import PageProblem, SourceStatus
from support.certificates import self_signed
from support.clocks import timed_out
from support.looking_up import TOOL, Names, allowing, consultant, finding
from support.pages import Played, Site, leads_to, page
from support.texts import texts

QUOTE = "the tide gauge has recorded since 1904"
TEXTS = texts("pages")
UNREACHABLE = SourceStatus.UNREACHABLE
HERE = ("127.0.0.1",)


@pytest.fixture
def site() -> Generator[Site]:
    with Site({"/": page(f"<p>{QUOTE}</p>")}) as listening:
        yield listening


async def reason(asked: SourceConsultant, url: str, status: SourceStatus) -> str:
    found = await finding(asked, url, QUOTE)
    assert found.status is status, found
    assert found.fetched_at is None
    return found.reason


# -- redirects


def chain(length: int) -> dict[str, Played]:
    steps = {f"/{at}": leads_to(f"/{at + 1}", (301, 302, 303, 307, 308)[at % 5]) for at in range(length)}
    return steps | {f"/{length}": page(QUOTE)}


@pytest.mark.parametrize("pages", [chain(6), {"/0": leads_to("/0")}], ids=["six", "loop"])
async def test_a_sixth_redirect_is_not_followed(pages: dict[str, Played], site: Site) -> None:
    site.pages |= chain(5)
    found = await finding(allowing(site), f"{site.url}/0", QUOTE)
    assert (found.status, found.final_url) == (SourceStatus.VERIFIED, f"{site.url}/5")
    site.pages |= pages
    said = await reason(allowing(site), f"{site.url}/0", UNREACHABLE)
    assert (said, len(site.visits)) == ("the page leads on to another one more than 5 times", 6 + 6)


async def test_private_addresses_are_asked_neither_directly_nor_by_a_redirect(site: Site) -> None:
    with Site({"/": page(QUOTE)}) as other:
        for case in TEXTS["not-public"]:
            url, expected = (text.format(port=site.port, other=other.port) for text in case)
            site.pages["/leads"] = leads_to(url)
            if not url.startswith("//"):
                assert await reason(allowing(site), url, SourceStatus.UNRELIABLE) == expected
            assert await reason(allowing(site), f"{site.url}/leads", SourceStatus.UNRELIABLE) == expected
        assert (other.visits, site.paths) == ([], ["/leads"] * len(TEXTS["not-public"]))


# -- names


def named(site: Site, names: Names, *allowed: str) -> SourceConsultant:
    return consultant(*(allowed or (f"pages.test:{site.port}",)), world=SourceWorld(resolver=names))


async def test_a_name_is_looked_up_once_and_its_server_asked_by_name_and_not_through_a_proxy(site: Site) -> None:
    names, place = Names({"pages.test": [HERE]}), f"pages.test:{site.port}"
    environment = {"SPARRING_SOURCES_ALLOW": "pages.test", "http_proxy": "http://127.0.0.1:1", "ALL_PROXY": "x"}
    asked = SourceConsultant(environment, tool=TOOL, world=SourceWorld(resolver=names))
    assert (await finding(asked, f"http://Pages.Test:{site.port}/", QUOTE)).status is SourceStatus.VERIFIED
    assert (names.asked, site.visits[0].headers["host"]) == ([place], place)


async def test_an_address_changed_after_the_check_is_not_used(site: Site) -> None:
    # Nobody listens at the first; were the name looked up again for the connection, it would lead to the site.
    names, place = Names({"rebinding.test": [("127.0.0.2",), HERE]}), f"rebinding.test:{site.port}"
    said = await reason(named(site, names, "rebinding.test"), f"http://{place}/", UNREACHABLE)
    assert said == f"{place} cannot be reached: Connection refused"
    assert (site.visits, len(names.asked)) == ([], 1)


async def test_each_redirect_is_checked_again(site: Site) -> None:
    asked = named(site, Names({"pages.test": [HERE], "rebinding.test": [(), HERE]}))
    site.pages["/x"] = leads_to(f"http://rebinding.test:{site.port}/")
    url, not_public = f"http://pages.test:{site.port}/x", "the address is not public: rebinding.test is at 127.0.0.1"
    assert await reason(asked, url, UNREACHABLE) == "rebinding.test has no address"
    assert await reason(asked, url, SourceStatus.UNRELIABLE) == not_public
    assert site.paths == ["/x", "/x"]


async def test_a_name_is_checked_by_all_its_addresses_and_local_ones_are_not_public(site: Site) -> None:
    known = {"mixed.test": [("8.8.8.8", "127.0.0.1")], "mine.test": [("9.9.9.9",)]}
    names = Names(known, sources={"9.9.9.9": "9.9.9.9"})
    for asked, host, said in (
        (named(site, names), "mixed.test", "mixed.test is at 127.0.0.1"),
        (named(site, names), "mine.test", "mine.test is at 9.9.9.9"),
        (allowing(site), "localhost", "localhost is at "),
        (consultant(), "127.0.0.1", "127.0.0.1"),
    ):
        why = await reason(asked, f"http://{host}:{site.port}/", SourceStatus.UNRELIABLE)
        assert why.startswith(f"the address is not public: {said}")
    assert site.visits == []


async def test_the_first_few_addresses_of_a_name_are_tried(site: Site) -> None:
    place = f"pages.test:{site.port}"
    third, fourth = (("::1", "127.0.0.2", *HERE), ("127.0.0.2", "127.0.0.3", "127.0.0.4", *HERE))
    found = await finding(named(site, Names({"pages.test": [third]})), f"http://{place}/", QUOTE)
    said = await reason(named(site, Names({"pages.test": [fourth]})), f"http://{place}/", UNREACHABLE)
    assert (found.status, said) == (SourceStatus.VERIFIED, f"{place} cannot be reached: Connection refused")


async def test_a_name_that_leads_nowhere_is_unreachable() -> None:
    for world, host, said in (
        (SourceWorld(resolver=Names({})), "nowhere.test", "cannot be found: Name or service not known"),
        (SourceWorld(resolver=Names({"nowhere.test": [()]})), "nowhere.test", "has no address"),
        (SourceWorld(), "nonexistent.invalid", "cannot be found: "),  # reserved for nobody
        (SourceWorld(), f"{'a' * 70}.invalid", "cannot be found: "),  # too long
    ):
        found = await reason(consultant(world=world), f"http://{host}/", UNREACHABLE)
        assert found.startswith(f"{host} {said}")


# -- what servers say


def packed(content: bytes, how: str) -> Played:
    return page(content, "text/plain", **{"content-encoding": how})


LARGE, TEXT = bytes(5 * 2**20 + 1), {"content-type": "text/plain"}
STATUS, CLOSED, GONE = "the server answered with status", "the page is not public", "there is no such page"
SAID = {404: f"{GONE} (404)", 410: f"{GONE} (410)", 401: f"{CLOSED} (401)", 403: f"{CLOSED} (403)"}
PLAYED: dict[str, tuple[Played, str]] = {
    **{str(code): (Played(b"words", code, length=5), said) for code, said in SAID.items()},
    **{str(code): (Played(b"words", code, length=5), f"{STATUS} {code}") for code in (429, 500)},
    "a redirect to nowhere": (Played(status=302, length=0), f"{STATUS} 302"),
    "too large, as told": (Played(LARGE, headers=TEXT, length=len(LARGE)), "more than 5 MiB came"),
    "too large, unpacked": (packed(gzip.compress(LARGE), "gzip"), "more than 5 MiB came"),
    "without an end": (Played(b"x" * 65536, endless=True), "more than 5 MiB came"),
    "broken off": (Played(b"half of", headers=TEXT, length=100), "the connection to 127.0.0.1:{port} broke: "),
    "unknown packing": (packed(b"\x0b\x02\x80Hello\x03", "br"), "the answer's compression was not requested"),
}


@pytest.mark.parametrize(("played", "expected"), PLAYED.values(), ids=PLAYED)
async def test_answers_other_than_a_page_are_distinguished(played: Played, expected: str, site: Site) -> None:
    site.pages["/x"] = played
    status = SourceStatus.FABRICATED if expected.startswith(GONE) else UNREACHABLE
    assert (await reason(allowing(site), f"{site.url}/x", status)).startswith(expected.format(port=site.port))


@pytest.mark.parametrize(
    "played",
    [
        page(QUOTE.encode() + b"\n" * (1000 - len(QUOTE)), "text/plain"),
        Played(QUOTE.encode() + b" and more", headers=TEXT, length=len(QUOTE)),
        packed(gzip.compress(QUOTE.encode()), "gzip"),
        packed(zlib.compress(QUOTE.encode()), "deflate"),
    ],
    ids=["of just the limit", "with more behind its end", "gzip", "deflate"],
)
async def test_a_page_is_read_to_its_end_packed_or_not(played: Played, site: Site) -> None:
    site.pages["/x"] = played
    found = await finding(allowing(site, SourceLimits(body_bytes=1000)), f"{site.url}/x", QUOTE)
    assert found.status is SourceStatus.VERIFIED


@pytest.mark.parametrize(
    ("played", "visits"),
    [
        (Played(b"x" * 9, length=99, stalled=True), 1),
        (Played(silent=True), 1),
        (leads_to("/x"), 3),  # all redirects together have the time of one page
    ],
    ids=["half of it", "nothing", "redirects"],
)
def test_a_page_that_is_too_slow_is_abandoned(played: Played, visits: int) -> None:
    with Site({"/x": played}) as site:
        asked = allowing(site, SourceLimits(page_s=3600, redirects=10**9))
        asking = partial(finding, asked, f"{site.url}/x", QUOTE, timeout_s=10**6)
        late = timed_out(asking, 3600, once=partial(site.wait_for, visits))
        if visits == 1:
            site.wait_until_left()
        site.pages["/x"] = page(QUOTE)
        found = anyio.run(asking)
    assert late.reason == "the page did not come within 3600 s"
    assert found.reason == "the quoted words are on the page"


@pytest.mark.process
@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate")
async def test_a_certificate_must_be_for_the_name_and_not_for_the_address(tmp_path: Path) -> None:
    certificate, serving = self_signed(tmp_path, "pages.test", "DNS:pages.test")
    names = Names({"pages.test": [HERE], "other.test": [HERE]})
    with Site({"/": page(QUOTE)}, tls=serving) as site:
        environment = {"SPARRING_SOURCES_ALLOW": "pages.test,other.test", "SSL_CERT_FILE": str(certificate)}
        asked = SourceConsultant(environment, tool=TOOL, world=SourceWorld(resolver=names))
        right = await finding(asked, f"https://pages.test:{site.port}/", QUOTE)
        said = await reason(asked, f"https://other.test:{site.port}/", UNREACHABLE)
    assert right.status is SourceStatus.VERIFIED
    assert "cannot be reached: Hostname mismatch, certificate is not valid for 'other.test'." in said


def test_an_address_is_read_as_it_is_asked_or_from_the_page_that_leads_there() -> None:
    base = PageAddress("https://example.org/a/b?c", "example.org", 443)
    for text, *address in TEXTS["addresses"]:
        assert fetching.read_address(text, base) == PageAddress(*address), text


def test_what_is_no_address_is_refused() -> None:
    for text in ("", "example.org", "/a", "http://", "http:///a", "http://a\nb/", "http://a:b/", "//a"):
        with pytest.raises(NoPageError) as caught:
            fetching.read_address(text)
        assert (caught.value.problem, caught.value.detail) == (PageProblem.REFUSED, "this is not the address of a page")


def test_addresses_are_public_or_not_as_tabled() -> None:
    assert list(filter(fetching.is_public, [*TEXTS["public"], *TEXTS["elsewhere"]])) == TEXTS["public"]


def test_an_address_of_this_machine_or_of_its_own_network_is_near() -> None:
    near = TEXTS["near"]
    assert [[address, source, fetching.is_local_network(address, source)] for address, source, _ in near] == near


def test_the_system_knows_from_which_address_it_would_ask() -> None:
    for own in ("127.0.0.1", "127.0.0.2", "::1"):
        assert fetching.SystemResolver().source(own) in (own, "127.0.0.1")
    assert fetching.SystemResolver().source("no address") is None


def test_only_hosts_in_the_variable_are_allowed_exactly_as_spelled() -> None:
    for allowed, host, port, is_named in TEXTS["allowed"]:
        admission = Admission.read({"SPARRING_SOURCES_ALLOW": allowed})
        assert (admission.names(PageAddress(f"http://{host}/", host, port)), admission.warnings) == (is_named, ())
    assert Admission.read({}) == Admission()


def test_an_entry_that_names_no_host_allows_nothing_and_is_reported() -> None:
    entries = TEXTS["no-hosts"]
    told = tuple(f"SPARRING_SOURCES_ALLOW: {entry!r} is not host or host:port; ignored." for entry in entries)
    allowed = Admission.read({"SPARRING_SOURCES_ALLOW": ",".join([*entries, "good:80"])})
    assert allowed == Admission(frozenset({("good", 80)}), told)
