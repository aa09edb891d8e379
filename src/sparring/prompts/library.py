"""Where the prompt templates are, in a checkout and in an installed wheel."""

import re
from collections.abc import Mapping
from pathlib import Path

from sparring.errors import PromptError
from sparring.prompts.template import Template

_PACKAGE = Path(__file__).resolve().parent
_INSTALLED = _PACKAGE / "library"
_PHRASE = re.compile(r"^\+\+\+ ([a-z-]+)\n", re.MULTILINE)
_CHECKOUT = _PACKAGE.parents[2] / "prompts"


class PromptLibrary:
    """The templates below one folder, each read once, when it is first asked for."""

    def __init__(self, root: Path | None = None) -> None:
        self._root = root or (_INSTALLED if _INSTALLED.is_dir() else _CHECKOUT)
        self._templates: dict[str, Template] = {}

    def names(self) -> tuple[str, ...]:
        """All templates, sorted; a phrase is named ``{file}#{phrase}``."""
        for file in self._root.glob("*/*.md"):
            self._load(file.relative_to(self._root).with_suffix("").as_posix())
        return tuple(sorted(self._templates))

    def template(self, name: str) -> Template:
        """The template of that name.

        Raises:
            PromptError: There is none, or it is malformed.
        """
        if name not in self._templates:
            self._load(name.partition("#")[0])
        if name not in self._templates:
            raise PromptError(f"prompt {name}: there is no such phrase in its file")
        return self._templates[name]

    def render(self, name: str, values: Mapping[str, str]) -> str:
        """The template of that name, filled (see ``Template.render``)."""
        return self.template(name).render(values)

    def _load(self, file: str) -> None:
        """Read one file: a template, or a phrase book, in which each template's front matter opens with its name."""
        try:
            source = (self._root / f"{file}.md").read_text(encoding="utf-8")
        except OSError as error:
            raise PromptError(f"prompt {file}: cannot be read: {error.strerror}") from error
        before, *phrases = _PHRASE.split(source)
        if not phrases:
            self._templates[file] = Template.parse(file, before)
        for phrase, text in zip(phrases[::2], phrases[1::2], strict=True):
            name = f"{file}#{phrase}"
            self._templates[name] = Template.parse(name, f"+++\n{text}")
