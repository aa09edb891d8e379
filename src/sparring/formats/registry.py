"""The formats there are: a new one is a folder, its prompts, and its line here.

A format is imported when it is first looked up, and the registry itself imports no record: a help that lists what can
be held must not wait for any of it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from sparring.errors import UnknownFormatError

if TYPE_CHECKING:
    from sparring.engine.format import Format


@dataclass(frozen=True)
class Listed:
    """A format as it is listed.

    Attributes:
        name: As requests, folders of runs and the command line spell it.
        module: Where it lives; ``FORMAT`` there is its descriptor.
        summary: What is said of it in one line.
    """

    name: str
    module: str
    summary: str


class Registry:
    """Formats by their names, in the order in which they were added."""

    def __init__(self, *formats: Listed) -> None:
        self._listed = {listed.name: listed for listed in formats}
        self._formats: dict[str, Format] = {}

    def __getitem__(self, name: str) -> "Format":
        """The format of that name; raises ``UnknownFormatError`` where there is none."""
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
        """Add a format from elsewhere; raises ``ValueError`` where there is one of that name."""
        if listed.name in self._listed:
            raise ValueError(f"there is a format {listed.name!r} already")
        self._listed[listed.name] = listed

    def remove(self, name: str) -> None:
        """Forget the format of that name; what is kept of its runs stays on disk, and is not listed any more."""
        del self._listed[name]
        self._formats.pop(name, None)

    def _imported(self, name: str) -> "Format":
        if name not in self._listed:
            raise UnknownFormatError(f"{name!r} is no format that this version of sparring knows.")
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
        "Ask AI tools for a second opinion: one, several side by side, or one several times.",
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
