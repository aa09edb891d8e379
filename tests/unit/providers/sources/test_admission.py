"""Which addresses are public, and what the user may allow beside them."""

import pytest

from sparring.providers.sources.fetching import Admission, PageAddress, is_public


@pytest.mark.parametrize(
    "address",
    ["8.8.8.8", "93.184.216.34", "2606:2800:220:1::1", "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1"],
)
def test_an_address_that_everybody_can_reach_is_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "127.255.255.254", "0.0.0.0", "0.1.2.3", "10.0.0.1", "172.16.0.1", "172.31.255.255"),  # noqa: S104 -- not listened on
        *("192.168.0.1", "100.64.0.1", "169.254.169.254", "192.0.0.8", "192.0.2.1", "192.88.99.1", "198.18.0.1"),
        *("198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255"),
        *("::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:224.0.0.1", "fe80::1",
            "fe80::1%eth0"),
        *("fc00::1", "fd12:3456::1", "fec0::1", "ff02::1", "100::1", "2001:db8::1", "2001::1", "2001:10::1", "3fff::1"),
        *("64:ff9b::7f00:1", "64:ff9b::a00:1", "64:ff9b:1::1", "2002:7f00:1::1", "2002:a00:1::1", "5f00::1"),
        *("2606:2800:220:1::1%eth0", "", "localhost", "1.2.3", "999.1.1.1"),
    ],
)  # fmt: skip
def test_an_address_that_leads_to_somewhere_else_is_not(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    ("allowed", "host", "port", "is_named"),
    [
        ("wiki.local", "wiki.local", 80, True),
        ("wiki.local", "wiki.local", 8080, True),
        ("WIKI.local:8080", "wiki.local", 8080, True),
        ("wiki.local:8080", "wiki.local", 80, False),
        ("wiki.local", "a.wiki.local", 80, False),
        ("a, ,10.0.0.1:80 ,b", "10.0.0.1", 80, True),
        ("127.0.0.1:80", "2130706433", 80, False),
        ("::1", "::1", 80, True),
        ("[::1]", "::1", 80, True),
        ("[::1]:80", "::1", 80, True),
        ("[::1]:81", "::1", 80, False),
        ("", "", 80, False),
    ],
)
def test_a_host_is_allowed_as_it_is_spelled(allowed: str, host: str, port: int, *, is_named: bool) -> None:
    admission = Admission.read({"SPARRING_SOURCES_ALLOW": allowed})

    assert admission.names(PageAddress(f"http://{host}/", host, port)) is is_named
    assert admission.warnings == ()


def test_without_the_variable_nothing_is_allowed() -> None:
    assert Admission.read({}) == Admission()


@pytest.mark.parametrize(
    "entry",
    [
        "http://wiki.local", "a/b", "me@host", "*", "*.local", "host:", "host:x", "host:123456", "host:８０", ":80",
        "[::1", "[::1]80", "[]",
    ],
)  # fmt: skip
def test_an_entry_that_names_no_host_allows_nothing_and_is_told(entry: str) -> None:
    assert Admission.read({"SPARRING_SOURCES_ALLOW": f"{entry},good:80"}) == Admission(
        frozenset({("good", 80)}), (f"SPARRING_SOURCES_ALLOW: {entry!r} is no host or host:port; it allows nothing.",)
    )
