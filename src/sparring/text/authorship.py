"""Which files nobody here has written, by the conventions of those who make them; no meaning is guessed.

What a project says in its ``.gitattributes`` (``linguist-generated``, ``linguist-vendored``, as GitHub reads them)
counts before any convention.
"""

import re
from collections.abc import Iterable, Mapping

from sparring.schema.changes import NotShown

GENERATED, VENDORED = "linguist-generated", "linguist-vendored"
"""The attributes; ``set`` or ``true``, and ``unset`` or ``false``."""

GENERATED_MARKS = ("@generated", "Code generated .* DO NOT EDIT\\.")
"""What stands in the line that says so, as patterns of POSIX."""

HEAD = 20
"""In so many first lines a file says that it is generated."""

_LOCKED = re.compile(
    r"package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|deno\.lock|Cargo\.lock|"
    r"poetry\.lock|uv\.lock|pdm\.lock|Pipfile\.lock|composer\.lock|Gemfile\.lock|go\.sum|flake\.lock|mix\.lock|"
    r"pubspec\.lock|Podfile\.lock|gradle\.lockfile|packages\.lock\.json|Package\.resolved|\.terraform\.lock\.hcl"
)
_MINIFIED = re.compile(r".+\.min\.(?:js|mjs|cjs|css)|.+\.(?:js|mjs|cjs|css)\.map")
_FOREIGN_FOLDERS = frozenset({"vendor", "node_modules", "bower_components", "third_party", "third-party"})
_SAID_BY_GO = re.compile(r"// Code generated .* DO NOT EDIT\.")
_SAID_BY_META = re.compile(r"[ \t]*(?://|/\*|\*|#|--|;|<!--|%)[^\n]*?(?<![\w@.-])@generated(?![\w-])")
_YES, _NO = frozenset({"set", "true"}), frozenset({"unset", "false"})


def written_elsewhere(path: str, attributes: Mapping[str, str]) -> NotShown | None:
    """GENERATED or VENDORED, if the project's ``attributes`` of the file or its name say so."""
    *folders, name = path.split("/")
    said_generated, said_vendored = attributes.get(GENERATED, ""), attributes.get(VENDORED, "")
    if said_generated in _YES or (said_generated not in _NO and (_LOCKED.fullmatch(name) or _MINIFIED.fullmatch(name))):
        return NotShown.GENERATED
    if said_vendored in _YES or (said_vendored not in _NO and _FOREIGN_FOLDERS.intersection(folders)):
        return NotShown.VENDORED
    return None


def says_generated(lines: Iterable[str]) -> bool:
    """Whether one of the first ``lines`` of a file is Go's or Meta's, exactly, for a generated one."""
    return any(_SAID_BY_GO.fullmatch(line) or _SAID_BY_META.match(line) for line in lines)
