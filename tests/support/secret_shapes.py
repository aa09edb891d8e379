"""Random secrets of two hundred providers, and where they stand in a text. Data: ``data/secret_shapes.toml``."""

import random
import re
import string
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

_FILE = Path(__file__).parents[1] / "data" / "secret_shapes.toml"
_DATA: Mapping[str, Any] = tomllib.loads(_FILE.read_text(encoding="utf-8"))
_PLACE = re.compile(r"\{(?P<kind>[A-Za-z]+(?:32)?)(?P<more>[^:}]*)(?::(?P<count>[0-9]+))?\}")
_CLASSES = {
    "digit": string.digits,
    "hex": "0123456789abcdef",
    "HEX": "0123456789ABCDEF",
    "Hex": string.hexdigits,
    "lower": string.ascii_lowercase + string.digits,
    "upper": string.ascii_uppercase + string.digits,
    "letter": string.ascii_letters,
    "base32": string.ascii_uppercase + "234567",
    "alnum": string.ascii_letters + string.digits,
}
_UUID = "{%s:8}-{%s:4}-{%s:4}-{%s:4}-{%s:12}"
_UUIDS = {"{uuid}": _UUID.replace("%s", "hex"), "{UUID}": _UUID.replace("%s", "HEX")}

FRAGMENTS: tuple[str, ...] = tuple(_DATA["fragments"])
POSITIONS: Mapping[str, list[str]] = _DATA["positions"]


class Secret(Struct, frozen=True):
    """A secret, and what is random in it; the rest may be known to everybody."""

    text: str
    random_parts: tuple[str, ...]

    def is_left_in(self, text: str) -> bool:
        """Return whether ``text`` still has eight random characters of it that stand together, or the whole."""
        return self.text in text or any(
            part[start : start + 8] in text for part in self.random_parts for start in range(len(part) - 7)
        )


class Shape(Struct, frozen=True):
    """Shape of the secrets of one kind.

    Attributes:
        provider: Its name where only that gives a secret away, else a word that says nothing.
        is_named: Whether the name is needed.
    """

    kind: str
    template: str
    provider: str = "service"
    is_named: bool = False

    def secret(self, source: random.Random) -> "Secret":
        """A random secret of this shape."""
        template = self.template
        for name, written_out in _UUIDS.items():
            template = template.replace(name, written_out)
        random_parts: list[str] = []

        def fill(place: re.Match[str]) -> str:
            alphabet = _CLASSES[place["kind"]] + place["more"]
            random_parts.append("".join(source.choices(alphabet, k=int(place["count"]))))
            return random_parts[-1]

        return Secret(_PLACE.sub(fill, template), tuple(random_parts))

    def positions(self) -> Iterator[tuple[str, str]]:
        """Yield the position and the text of each place that a secret may stand in.

        Bare and in a URL only where it needs no name.
        """
        for position, texts in POSITIONS.items():
            if not (self.is_named and position in {"bare", "url"}):
                for text in texts:
                    named = text.replace("{name}", self.provider.lower()).replace("{NAME}", self.provider.upper())
                    yield position, named.replace("{Name}", self.provider.title())


def shapes() -> tuple[Shape, ...]:
    """Every shape of the list."""
    own = (Shape(kind, template) for kind, template in _DATA["own"].items())
    named = (Shape(kind, template, name, is_named=True) for kind, (name, template) in _DATA["named"].items())
    return (*own, *named)
