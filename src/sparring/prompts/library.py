"""Where the prompt templates are, in a checkout and in an installed wheel."""

from collections.abc import Mapping
from pathlib import Path

from sparring.errors import PromptError
from sparring.prompts.template import Template

_PACKAGE = Path(__file__).resolve().parent
_INSTALLED = _PACKAGE / "library"
_CHECKOUT = _PACKAGE.parents[2] / "prompts"


class PromptLibrary:
    """The templates below one folder, each read once, when it is first asked for."""

    def __init__(self, root: Path | None = None) -> None:
        self._root = root or (_INSTALLED if _INSTALLED.is_dir() else _CHECKOUT)
        self._templates: dict[str, Template] = {}

    def names(self) -> tuple[str, ...]:
        """All templates, sorted."""
        files = self._root.glob("*/*.md")
        return tuple(sorted(file.relative_to(self._root).with_suffix("").as_posix() for file in files))

    def template(self, name: str) -> Template:
        """The template of that name.

        Raises:
            PromptError: There is none, or it is malformed.
        """
        if name not in self._templates:
            path = self._root / f"{name}.md"
            try:
                source = path.read_text(encoding="utf-8")
            except OSError as error:
                raise PromptError(f"prompt {name}: cannot be read: {error.strerror}") from error
            self._templates[name] = Template.parse(name, source)
        return self._templates[name]

    def render(self, name: str, values: Mapping[str, str]) -> str:
        """The template of that name, filled (see ``Template.render``)."""
        return self.template(name).render(values)
