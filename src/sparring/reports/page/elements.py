"""Elements of HTML, built so that foreign text can only ever be text, and the page that contains them.

A builder of a few lines over ``html.escape`` rather than jinja2: everything that is not marked as made here is escaped
by its type, which a type checker sees and a template does not; and it is a dependency less. A page is one file that
needs nothing else and makes no requests; its policy permits a browser only our style and our
script, by their digests.
"""

import base64
import json
import re
from collections.abc import Iterable, Sequence
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files

from msgspec import Struct

from sparring import __version__
from sparring.text.tidying import for_terminal, visible


class Html(Struct, frozen=True):
    """Markup that this package has made. A plain ``str`` never is."""

    markup: str


Child = Html | str | Iterable[Html | str]
Value = str | int | float | bool | None

NOTHING = Html("")

_VOID = frozenset({"br", "col", "hr", "img", "input", "link", "meta"})
_NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9-]*")
_ADDRESS = re.compile(r"https?://[^\s\x00-\x1f]+|#[\w.-]*", re.IGNORECASE)


def element(tag: str, /, *children: Child, **attributes: Value) -> Html:
    """The element with its children, each ``str`` of which is escaped.

    Names of attributes are given with ``_`` for ``-``, and with one at their end where Python keeps the word for
    itself. A value of None or False leaves the attribute out, True gives it none.
    """
    inside = "" if tag in _VOID else f"{fragment(*children).markup}</{tag}>"
    return Html(f"<{tag}{''.join(_attribute(name, value) for name, value in attributes.items())}>{inside}")


def fragment(*children: Child) -> Html:
    """The children, one after the other."""
    return Html("".join(_markup(child) for child in children))


def text(plain: str) -> Html:
    """Return ``plain`` as text: escaped, and without invisible characters or ones that reverse the order of letters."""
    return Html(escape(visible(for_terminal(plain)), quote=False))


def is_address(url: str) -> bool:
    """Return whether a link may lead there: to http, https, or a place in the same page."""
    return _ADDRESS.fullmatch(url) is not None


def _markup(child: Child) -> str:
    if isinstance(child, Html):
        return child.markup
    return text(child).markup if isinstance(child, str) else fragment(*child).markup


def _attribute(name: str, value: Value) -> str:
    spelled = name.removesuffix("_").replace("_", "-")
    if not _NAME.fullmatch(spelled) or spelled == "style" or spelled.startswith("on"):
        raise ValueError(f"{spelled!r} is not allowed as an attribute of a page: its policy forbids active content.")
    if value is None or value is False:
        return ""
    return f" {spelled}" if value is True else f' {spelled}="{escape(visible(for_terminal(str(value))))}"'


_ESCAPED = {code: f"\\u{code:04x}" for code in (*map(ord, "<>&\u2028\u2029"), *range(0xD800, 0xE000))}
"""Escapes for characters that end a script or a line in one, or have no encoding; JSON has them in strings only."""


def document(
    title: str,
    *body: Html,
    data: object = None,
    styles: Sequence[str] = ("page.css",),
    scripts: Sequence[str] = ("page.js",),
    connects: bool = False,
) -> str:
    """Return the page.

    Args:
        title: Its title in the browser.
        body: Header, main part and footer.
        data: Input of its scripts, as JSON.
        styles: The files of its style, next to this one.
        scripts: Those of its scripts.
        connects: Whether scripts may request more from the server of the page.
    """
    style = "".join(map(_asset, styles))
    code = [_asset(name) for name in scripts]
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_policy(style, code, connects=connects)),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", title),
        element("style", Html(style)),
    )
    given = element("script", Html(_json(data)), type="application/json", id="data") if data is not None else NOTHING
    skip = element("a", "Skip to the content", href="#main", class_="skip")
    whole = element("body", skip, *body, given, *(element("script", Html(each)) for each in code))
    return f"<!doctype html>\n{element('html', head, whole, lang='en').markup}\n"


def header(about: str, places: Iterable[tuple[str, str]]) -> Html:
    """Return the first line of a page: its subject, and its parts by their anchors and words."""
    brand = element("span", element("b", "sparring"), f" {about}", class_="brand")
    links = [element("a", words, href=f"#{anchor}") for anchor, words in places]
    return element("header", brand, element("nav", links, aria_label="On this page"), class_="top")


def footer(source: str) -> Html:
    """Return the last line of a page: its source."""
    made = f"Made by sparring {__version__} from {source}."
    return element("footer", element("p", made, " Nothing on this page was loaded from anywhere."))


def policy(*, scripts: Sequence[str] = ("page.js",), connects: bool = False) -> str:
    """Return the content security policy of such a page, for servers that send it in a header too."""
    return _policy(_asset("page.css"), [_asset(name) for name in scripts], connects=connects)


def _policy(styles: str, code: Sequence[str], *, connects: bool) -> str:
    allowed = ["default-src 'none'", "base-uri 'none'", "form-action 'none'"]
    allowed += [f"style-src {_digest(styles)}", f"script-src {' '.join(map(_digest, code))}"]
    return "; ".join([*allowed, *(["connect-src 'self'"] if connects else [])])


def _digest(source: str) -> str:
    return f"'sha256-{base64.b64encode(sha256(source.encode()).digest()).decode()}'"


@cache
def _asset(name: str) -> str:
    return (files("sparring.reports.page") / name).read_text(encoding="utf-8")


def _json(data: object) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).translate(_ESCAPED)


def scrolled(name: str, wide: Html) -> Html:
    """Wrap content that may be wider than the window, so that it scrolls separately, by the keyboard, too."""
    return element("div", wide, class_="scroll", tabindex="0", role="group", aria_label=name)


def section(anchor: str, title: str, *body: Html) -> Html:
    """Return a section of a page with its heading."""
    return element("section", element("h2", title), *body, id=anchor)


def table_row(*cells: str) -> Html:
    """Return a row of a table that begins with its heading."""
    return element("tr", element("th", cells[0], scope="row"), *(element("td", cell) for cell in cells[1:]))


def grid(name: str, head: Iterable[str], rows: Iterable[Html], *, class_: str | None = None) -> Html:
    """Return a table of that name; an empty heading of a column is no heading cell."""
    headings = (element("th", title, scope="col") if title else element("td") for title in head)
    whole = element("table", element("thead", element("tr", headings)), element("tbody", rows), class_=class_)
    return scrolled(name, whole)


def lines(*parts: Html) -> Html:
    """The parts, a line each, so that a page can be read and compared as text."""
    return fragment(*(Html(f"{part.markup}\n") for part in parts if part.markup))
