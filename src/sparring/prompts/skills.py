"""The skills: what an agent does when its user asks for a debate, a consultation, a check; one folder for each.

A host that knows skills reads the files itself. Here they are read for the hosts that do not: as MCP prompts, and as
the command files that an installation writes.
"""

import json
import re
from pathlib import Path

from msgspec import Struct

from sparring.errors import PromptError

SKILL_NAMES = ("debate", "consult", "fact-check", "jury", "cross-review", "chaired-debate")
"""Every skill, in the order in which they are shown."""

_FORMATS = {"cross-review": "review"}

PROVIDED_BY = "sparring"
"""Value of ``metadata: provided-by`` in each skill: by this an installation knows its own files."""

_PACKAGE = Path(__file__).resolve().parents[1]
_INSTALLED = _PACKAGE / "skills"
_CHECKOUT = _PACKAGE.parents[1] / "skills"
_FILE = re.compile(r"---\n(?P<head>.*?)\n---\n(?P<body>.*)", re.DOTALL)
_FIELD = re.compile(r"^ *([a-z-]+): *(.*)$", re.MULTILINE)


class Skill(Struct, frozen=True):
    """One skill.

    Attributes:
        argument_hint: The arguments in one line, as a command line would show them.
        body: The instructions for the agent; ``$ARGUMENTS`` stands for the words of the user.
        folder: The folder of its files.
    """

    name: str
    description: str
    argument_hint: str
    body: str
    folder: Path


def format_of(skill_name: str) -> str:
    """The format that a skill begins a run of: that of its name, unless hosts have something else of that name."""
    return _FORMATS.get(skill_name, skill_name)


def skills() -> tuple[Skill, ...]:
    """All of them; raises ``PromptError``."""
    return tuple(skill(name) for name in SKILL_NAMES)


def skill(name: str, root: Path | None = None) -> Skill:
    """Return the skill of that name; ``root`` is the folder of all skills, searched if not given.

    Raises:
        PromptError: It cannot be read, or its front matter is invalid.
    """
    folder = (root or (_INSTALLED if _INSTALLED.is_dir() else _CHECKOUT)) / name
    try:
        text = (folder / "SKILL.md").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PromptError(f"skill {name}: cannot be read ({type(error).__name__})") from error
    match = _FILE.fullmatch(text)
    fields = _fields(name, match["head"]) if match else {}
    if not match or fields.get("name") != name or not {"description", "argument-hint"} <= fields.keys():
        raise PromptError(
            f"skill {name}: its front matter needs name (its folder's), description and, in metadata, argument-hint"
        )
    return Skill(name, fields["description"], fields["argument-hint"], match["body"].strip() + "\n", folder)


def _fields(name: str, head: str) -> dict[str, str]:
    """Return the scalars of a front matter, at any level; raises ``PromptError``."""
    # Ours are plain or quoted as JSON. A reader of YAML would be a dependency for six files of our own.
    try:
        pairs = [(key, json.loads(value) if value.startswith('"') else value) for key, value in _FIELD.findall(head)]
    except ValueError as error:
        raise PromptError(f"skill {name}: a quoted value of its front matter is not closed") from error
    return dict(pairs)
