"""Elements of HTML, made so that a text of somebody else can only ever be text.

A builder of a few lines over ``html.escape`` rather than jinja2: what is not marked as made here is escaped by its
type, which a type checker sees and a template does not; and it is a dependency less.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

from sparring.text.tidying import for_terminal, visible


@dataclass(frozen=True)
class Html:
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
    """``plain`` as text: escaped, and without what is not seen or turns the order of letters around."""
    return Html(escape(visible(for_terminal(plain)), quote=False))


def link(address: str, *children: Child, **attributes: Value) -> Html:
    """A link to a page or to a place in this one; any other address is shown, and leads nowhere."""
    if not is_address(address):
        return element("span", *children, f" ({address})")
    away = {} if address.startswith("#") else {"rel": "noopener noreferrer nofollow"}
    return element("a", *children, href=address, **away, **attributes)


def is_address(url: str) -> bool:
    """Whether a link may lead there: to http, https, or a place in the same page."""
    return _ADDRESS.fullmatch(url) is not None


def _markup(child: Child) -> str:
    if isinstance(child, Html):
        return child.markup
    return text(child).markup if isinstance(child, str) else fragment(*child).markup


def _attribute(name: str, value: Value) -> str:
    spelled = name.removesuffix("_").replace("_", "-")
    if not _NAME.fullmatch(spelled) or spelled == "style" or spelled.startswith("on"):
        raise ValueError(f"{spelled!r} is no attribute of a page: its policy forbids what would act there.")
    if value is None or value is False:
        return ""
    return f" {spelled}" if value is True else f' {spelled}="{escape(visible(for_terminal(str(value))))}"'
