"""Parser of pages by the standard library: elements, words, and active content."""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

_WORD = re.compile(r"\w+")
_WITHIN = frozenset({"a", "b", "code", "del", "em", "mark", "s", "small", "strong"})
"""Elements that may begin and end within a word."""

_VOID = frozenset({"br", "col", "hr", "img", "input", "link", "meta"})


@dataclass
class Found:
    """An element: its name, its attributes, the text below it."""

    tag: str
    attributes: dict[str, str]
    text: str = ""


@dataclass
class PageRead(HTMLParser):
    """A page that was read.

    Attributes:
        elements: All of them, in their order.
        unclosed: Names of elements whose ends do not nest.
    """

    page: str
    elements: list[Found] = field(default_factory=list[Found])
    unclosed: list[str] = field(default_factory=list[str])

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._open: list[Found] = []
        self.feed(self.page)
        self.close()
        self.unclosed += [each.tag for each in self._open]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = Found(tag, {name: value or "" for name, value in attrs})
        self.elements.append(found)
        self._parted(tag)
        if tag not in _VOID:
            self._open.append(found)

    def handle_endtag(self, tag: str) -> None:
        if self._open and self._open[-1].tag == tag:
            self._open.pop()
        elif tag not in _VOID:
            self.unclosed.append(tag)
        self._parted(tag)

    def handle_data(self, data: str) -> None:
        for each in self._open:
            each.text += data

    def _parted(self, tag: str) -> None:
        if tag not in _WITHIN and self._open and self._open[-1].tag not in {"script", "style"}:
            self.handle_data("\n")

    def all(self, tag: str) -> list[Found]:
        """The elements of that name."""
        return [each for each in self.elements if each.tag == tag]

    @property
    def text(self) -> str:
        """Text that a reader sees without scripts."""
        body = self.all("body")[0].text
        for script in self.all("script"):
            body = body.replace(script.text, "") if script.text else body
        return body

    @property
    def words(self) -> set[str]:
        """Each word of it."""
        return words(self.text)

    @property
    def acting(self) -> list[str]:
        """Elements that would run a script, bypass the policy's styles, or contact another machine."""
        scripts = [each for each in self.all("script") if each.attributes.get("type") != "application/json"]
        told = [f"{len(scripts)} scripts"] if len(scripts) > 1 else []
        for each in self.elements:
            for name, value in each.attributes.items():
                is_address = name in {"href", "src", "action", "data", "xlink:href", "formaction", "poster", "srcset"}
                leads = is_address and not re.match(r"https?://|#", value)
                if name.startswith("on") or name == "style" or leads or (is_address and each.tag != "a"):
                    told.append(f"<{each.tag} {name}={value!r}>")
        forbidden = {"iframe", "object", "embed", "base", "form", "img", "link", "video", "audio", "source"}
        return told + [f"<{each.tag}>" for each in self.elements if each.tag in forbidden]


def words(text: str) -> set[str]:
    """The words of ``text``."""
    return set(_WORD.findall(text))
