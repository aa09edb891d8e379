import base64
import json
import re
import tomllib
from hashlib import sha256
from pathlib import Path

import pytest

from sparring.reports.page.elements import Html, document, element, fragment, is_address, policy, text
from sparring.reports.page.passages import line, prose
from support.page_reading import PageRead

HOSTILE: list[str] = tomllib.loads((Path(__file__).parents[3] / "hostile" / "pages.toml").read_text("utf-8"))["texts"]


def test_foreign_text_never_acts_in_a_page_element() -> None:
    for said in HOSTILE:
        read = PageRead(element("main", said, prose(said), line(said), title=said).markup)
        assert (read.acting, read.unclosed) == ([], []), said
    everything = "\n\n".join(HOSTILE)
    read = PageRead(document(everything, element("main"), data={everything: everything}))
    assert (read.acting, read.unclosed) == ([], [])
    assert json.loads(read.all("script")[0].text) == {everything: everything}


def test_text_is_escaped_once_and_invisible_characters_are_left_out() -> None:
    shown = element("p", "a < b &amp; c", text(" \u202e“d”"), " \u200be\x00", title='"<\u202e>"')
    assert shown.markup == '<p title="&quot;&lt;&gt;&quot;">a &lt; b &amp;amp; c “d” e</p>'
    assert fragment(shown, ["f", Html("<br>")]).markup == f"{shown.markup}f<br>"


@pytest.mark.parametrize("name", ["onclick", "style", "on", "a b", "x=", ""])
def test_no_attribute_is_made_that_would_act(name: str) -> None:
    with pytest.raises(ValueError, match="policy"):
        element("p", **{name: "x"})


def test_a_link_leads_to_pages_and_places_only() -> None:
    wrong = ("javascript:x", " https://a.example", "data:,x", "//a", "/a", "https://a b", "")
    right = ("https://a.example/?a=1&b", "#turn-1")
    assert [each for each in (*wrong, *right) if is_address(each)] == [*right]


def test_the_content_policy_allows_only_digests_of_the_page() -> None:
    read = PageRead(document("Title", element("main"), data={"a": "\u2028</script>\ud800"}))
    (allowed,) = (each.attributes["content"] for each in read.all("meta") if "http-equiv" in each.attributes)
    styles, (_, script) = read.all("style")[0].text, read.all("script")
    nothing = "default-src 'none'; base-uri 'none'; form-action 'none'"
    assert allowed == policy() == f"{nothing}; {_of('style', styles)}; {_of('script', script.text)}"
    assert json.loads(read.all("script")[0].text) == {"a": "\u2028</script>\ud800"}
    assert read.page.encode()
    assert policy(connects=True) == f"{allowed}; connect-src 'self'"


def _of(kind: str, source: str) -> str:
    return f"{kind}-src 'sha256-{base64.b64encode(sha256(source.encode()).digest()).decode()}'"


@pytest.mark.parametrize(
    ("styles", "script", "most_bytes"),
    [(("page.css",), "page.js", 40_000), (("page.css", "table.css"), "table.js", 60_000)],
)
def test_scripts_and_styles_of_pages_are_small_and_load_nothing(
    styles: tuple[str, ...], script: str, most_bytes: int
) -> None:
    empty = document("", element("main"), styles=styles, scripts=(script,))
    assert len(empty.encode()) < most_bytes
    forbidden = r"@import|url\(|https?:|(inner|outer)HTML|insertAdjacent|eval\(|Function\(|\.write\(|import |fetch"
    assert not re.search(forbidden, empty)
