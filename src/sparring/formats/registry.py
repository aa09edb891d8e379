"""The known formats: a new one is a folder, its prompts, and its line in this module.

A format is imported when it is first looked up, and the registry itself imports no record, so that a help text that
lists the formats does not wait for any import.
"""

from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING

from msgspec import Struct

from sparring.errors import UnknownFormatError

if TYPE_CHECKING:
    from sparring.engine.format import Format


class Listed(Struct, frozen=True):
    """An entry of the list of formats.

    Attributes:
        name: The name in requests, in folders of runs and on the command line.
        module: The module with its descriptor ``FORMAT``.
        summary: A description in one line.
    """

    name: str
    module: str
    summary: str


class Registry:
    """Formats by name, in the order of their addition."""

    def __init__(self, *formats: Listed) -> None:
        self._listed = {listed.name: listed for listed in formats}
        self._formats: dict[str, Format] = {}

    def __getitem__(self, name: str) -> "Format":
        """The format of that name; raises ``UnknownFormatError`` if there is none."""
        if name not in self._formats:
            self._formats[name] = self._imported(name)
        return self._formats[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._listed)

    def __contains__(self, name: str) -> bool:
        return name in self._listed

    def summary(self, name: str) -> str:
        """Return the one-line summary of a format; nothing is imported."""
        return self._listed[name].summary

    def add(self, listed: Listed) -> None:
        """Add a format of another package; raises ``ValueError`` if the name is taken."""
        if listed.name in self._listed:
            raise ValueError(f"there is a format {listed.name!r} already")
        self._listed[listed.name] = listed

    def remove(self, name: str) -> None:
        """Remove the format of that name; its saved runs stay on disk, and are no longer listed."""
        del self._listed[name]
        self._formats.pop(name, None)

    def _imported(self, name: str) -> "Format":
        if name not in self._listed:
            raise UnknownFormatError(f"This version of sparring has no format {name!r}.")
        format_: Format = import_module(self._listed[name].module).FORMAT
        return format_


FORMATS = Registry(
    Listed(
        "debate",
        "sparring.formats.debate",
        "Let two AI tools debate a question, code check what they cite, and a blind judge pick a side.",
    ),
    Listed(
        "chaired-debate",
        "sparring.formats.chaired_debate",
        "Let a chair lead a debate by the rules: claims need sources, and code looks every source up.",
    ),
    Listed(
        "consult",
        "sparring.formats.consult",
        "Ask AI tools for a second opinion: one, several in parallel, or one several times.",
    ),
    Listed(
        "fact-check",
        "sparring.formats.fact_check",
        "Let several AI tools check a claim against evidence, and code check their quotes.",
    ),
    Listed(
        "jury",
        "sparring.formats.jury",
        "Let a jury of AI tools decide whether a claim says the same as the truth, and code compare the two.",
    ),
    Listed(
        "review",
        "sparring.formats.review",
        "Let AI tools of several families review a change or a plan, code check every place they point at, and "
        "others try to refute what only one found.",
    ),
)
