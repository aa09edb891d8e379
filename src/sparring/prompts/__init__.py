"""Find and fill the Markdown under ``prompts/``: every word that a model reads.

A template is a Markdown file with TOML front matter between two lines of ``+++``:

```text
+++
variables = ["topic", "name", "speech"]    # all of them, and no others, must be given
fenced = ["speech"]                # quoted speech: set between fences that nothing inside can close
headed = { speech = "{name}" }     # the first line between these fences: a name is as foreign as what bears it
+++
Topic: {topic}

{speech}
```

A file may also be a phrase book: several short templates, each opened by ``+++ its-name`` in place of ``+++``.

Rendering is one pass over the template. Substituted text is never read again, so braces in quoted speech stay
braces. A template engine was refused: it can do what a prompt must never do, namely compute.
"""

import hashlib
import re
import tomllib
from collections.abc import Container, Mapping
from functools import cached_property
from pathlib import Path

from msgspec import Struct

from sparring.errors import PromptError
from sparring.schema.consultation import ContextPart
from sparring.text.tidying import one_line, visible

_FRONT_MATTER = re.compile(r"\A\+\+\+\n(?P<head>.*?)^\+\+\+\n(?P<body>.*)\Z", re.DOTALL | re.MULTILINE)
_PLACEHOLDER = re.compile(r"\{([a-z][a-z0-9_]*)\}")
_FENCE_RUN = re.compile(r"`{3,}")
_KEYS = frozenset({"variables", "fenced", "headed"})


def fence(text: str) -> str:
    """Return ``text`` between two fences longer than any run of backticks inside it, so that it cannot close them.

    Invisible characters are left out, because a model would read them.
    """
    text = visible(text)
    longest = max((len(run) for run in _FENCE_RUN.findall(text)), default=2) if "```" in text else 2
    marks = "`" * (longest + 1)
    return f"{marks}text\n{text}\n{marks}"


class Template(Struct, frozen=True, dict=True):
    """A prompt with named holes.

    Attributes:
        name: Path below the library without its suffix, e.g. ``debate/opening``.
        variables: Names that must be given, no more and no fewer.
        fenced: Those of them with quoted speech.
        headed: The lines that stand before some of these between the same fences, with ``{name}`` as in the body.
        body: The text with ``{name}`` in place of a value.
    """

    name: str
    variables: frozenset[str]
    fenced: frozenset[str]
    headed: Mapping[str, str]
    body: str

    @classmethod
    def parse(cls, name: str, source: str) -> "Template":
        """Read a template's source.

        Raises:
            PromptError: The front matter is missing or malformed, or it and the body name different variables.
        """
        match = _FRONT_MATTER.match(source)
        if match is None:
            raise PromptError(f"prompt {name}: the file must begin with front matter between two '+++' lines")
        try:
            head = tomllib.loads(match["head"])
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise PromptError(f"prompt {name}: the front matter is not TOML: {error}") from error
        if unknown := head.keys() - _KEYS:
            raise PromptError(f"prompt {name}: unknown front matter {sorted(unknown)}; known are {sorted(_KEYS)}")
        variables, fenced = frozenset(head.get("variables", ())), frozenset(head.get("fenced", ()))
        headed: Mapping[str, str] = head.get("headed", {})
        used = frozenset(name for text in (match["body"], *headed.values()) for name in _PLACEHOLDER.findall(text))
        if used != variables:
            raise PromptError(
                f"prompt {name}: declared and used variables differ: "
                f"only declared {sorted(variables - used)}, only used {sorted(used - variables)}"
            )
        if fenced - variables:
            raise PromptError(f"prompt {name}: fenced but not declared: {sorted(fenced - variables)}")
        if headed.keys() - fenced:
            raise PromptError(f"prompt {name}: headed but not fenced: {sorted(headed.keys() - fenced)}")
        return cls(name, variables, fenced, headed, match["body"].strip() + "\n")

    def render(self, values: Mapping[str, str]) -> str:
        """The prompt with every hole filled, in one pass.

        Raises:
            PromptError: A variable is missing, or one is given that the template does not declare.
        """
        if frozenset(values) != self.variables:
            missing, unknown = self.variables - values.keys(), values.keys() - self.variables
            raise PromptError(f"prompt {self.name}: missing variables {sorted(missing)}, unknown {sorted(unknown)}")
        pieces = list(self._pieces)
        for place in range(1, len(pieces), 2):
            pieces[place] = self._filled(pieces[place], values)
        return "".join(pieces)

    def _filled(self, name: str, values: Mapping[str, str]) -> str:
        value = visible(values[name])
        if name not in self.fenced:
            return value
        if (head := self.headed.get(name)) is not None:
            value = _PLACEHOLDER.sub(lambda hole: visible(values[hole[1]]), head) + "\n" + value
        return fence(value)

    @cached_property
    def _pieces(self) -> tuple[str, ...]:
        """The body in pieces, every second of which is the name of a hole."""
        return tuple(_PLACEHOLDER.split(self.body))


_PACKAGE = Path(__file__).resolve().parent
_INSTALLED = _PACKAGE / "library"
_PHRASE = re.compile(r"^\+\+\+ ([a-z-]+)\n", re.MULTILINE)
_CHECKOUT = _PACKAGE.parents[2] / "prompts"


class PromptLibrary:
    """The templates below one folder, each read once, on first use."""

    def __init__(self, root: Path | None = None) -> None:
        self._root = root or (_INSTALLED if _INSTALLED.is_dir() else _CHECKOUT)
        self._templates: dict[str, Template] = {}

    def names(self) -> tuple[str, ...]:
        """All templates, sorted; a phrase is named ``{file}#{phrase}``."""
        for file in self._root.glob("*/*.md"):
            self._load(file.relative_to(self._root).with_suffix("").as_posix())
        return tuple(sorted(self._templates))

    def digest(self, format_: str, formats: Container[str]) -> str:
        """The SHA-256 of all templates that a run of ``format_`` may be asked with: its own, and those of no format."""
        digest = hashlib.sha256()
        for file in sorted(self._root.glob("*/*.md")):
            if file.parent.name == format_ or file.parent.name not in formats:
                content = file.read_bytes()
                digest.update(f"{file.parent.name}/{file.name} {len(content)}\n".encode() + content)
        return digest.hexdigest()

    def template(self, name: str) -> Template:
        """Return the template of that name.

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


_NAME_SHOWN = 200
"""Characters of a part's name. A file may be called anything, with line ends as well."""


def framed(context: tuple[ContextPart, ...], prompts: PromptLibrary) -> str:
    """``context`` as one block, each part between fences that nothing inside can close."""
    parts = (
        prompts.render(
            "consult/part", {"number": str(number), "name": one_line(part.name, _NAME_SHOWN), "text": part.text}
        )
        for number, part in enumerate(context, start=1)
    )
    return prompts.render("consult/material", {"count": str(len(context)), "parts": "\n".join(parts).strip()}).strip()
