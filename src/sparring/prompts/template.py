"""One prompt template: what it declares, and filling it."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass

from sparring.errors import PromptError

_FRONT_MATTER = re.compile(r"\A\+\+\+\n(?P<head>.*?)^\+\+\+\n(?P<body>.*)\Z", re.DOTALL | re.MULTILINE)
_PLACEHOLDER = re.compile(r"\{([a-z][a-z0-9_]*)\}")
_FENCE_RUN = re.compile(r"`{3,}")
_KEYS = frozenset({"variables", "fenced"})


def fence(text: str) -> str:
    """``text`` between two fences longer than any run of backticks inside it, so that it cannot close them."""
    longest = max((len(run) for run in _FENCE_RUN.findall(text)), default=2)
    marks = "`" * (longest + 1)
    return f"{marks}text\n{text}\n{marks}"


@dataclass(frozen=True)
class Template:
    """A prompt with named holes.

    Attributes:
        name: Path below the library without its suffix, e.g. ``debate/opening``.
        variables: Names that must be given, no more and no fewer.
        fenced: Those of them that hold quoted speech.
        body: The text with ``{name}`` where a value goes.
    """

    name: str
    variables: frozenset[str]
    fenced: frozenset[str]
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
        except tomllib.TOMLDecodeError as error:
            raise PromptError(f"prompt {name}: the front matter is not TOML: {error}") from error
        if unknown := head.keys() - _KEYS:
            raise PromptError(f"prompt {name}: unknown front matter {sorted(unknown)}; known are {sorted(_KEYS)}")
        variables, fenced = frozenset(head.get("variables", ())), frozenset(head.get("fenced", ()))
        used = frozenset(_PLACEHOLDER.findall(match["body"]))
        if used != variables:
            raise PromptError(
                f"prompt {name}: declared and used variables differ: "
                f"only declared {sorted(variables - used)}, only used {sorted(used - variables)}"
            )
        if fenced - variables:
            raise PromptError(f"prompt {name}: fenced but not declared: {sorted(fenced - variables)}")
        return cls(name, variables, fenced, match["body"].strip() + "\n")

    def render(self, values: Mapping[str, str]) -> str:
        """The prompt with every hole filled, in one pass.

        Raises:
            PromptError: A variable is missing, or one is given that the template does not declare.
        """
        missing, unknown = self.variables - values.keys(), values.keys() - self.variables
        if missing or unknown:
            raise PromptError(f"prompt {self.name}: missing variables {sorted(missing)}, unknown {sorted(unknown)}")

        def fill(match: re.Match[str]) -> str:
            value = values[match[1]]
            return fence(value) if match[1] in self.fenced else value

        return _PLACEHOLDER.sub(fill, self.body)
