"""Files that a review leaves out: those that the attributes of the base name, and no others.

A change must not decide which of its files are shown. So only ``.gitattributes`` of the state before it count:
``linguist-generated`` and ``linguist-vendored`` (as GitHub reads them), ``-diff`` (so ``binary``), ``filter``. Common
names of generated and vendored files (lock files, minified code, ``vendor/``) only decide which files are shown last,
and which files of a folder are skipped when the folder is reviewed without a change.
"""

import re
from collections.abc import Mapping

from sparring.schema.changes import ExclusionReason

_GENERATED, _VENDORED, _DIFF, _FILTER = "linguist-generated", "linguist-vendored", "diff", "filter"
CONVERTING = ("filter", "ident", "working-tree-encoding")
"""The attributes that store a file in another form than it has in the working tree."""

ATTRIBUTES = (_GENERATED, _VENDORED, _DIFF, *CONVERTING)

_LOCKED = re.compile(
    r"package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|deno\.lock|Cargo\.lock|"
    r"poetry\.lock|uv\.lock|pdm\.lock|Pipfile\.lock|composer\.lock|Gemfile\.lock|go\.sum|flake\.lock|mix\.lock|"
    r"pubspec\.lock|Podfile\.lock|gradle\.lockfile|packages\.lock\.json|Package\.resolved|\.terraform\.lock\.hcl"
)
_MINIFIED = re.compile(r".+\.min\.(?:js|mjs|cjs|css)|.+\.(?:js|mjs|cjs|css)\.map")
_FOREIGN_FOLDERS = frozenset({"vendor", "node_modules", "bower_components", "third_party", "third-party"})
_YES, _NO = frozenset({"set", "true"}), frozenset({"unset", "false"})


def excluded(attributes: Mapping[str, str]) -> ExclusionReason | None:
    """Return why a file is left out that has these ``attributes`` in the base; None: it is shown."""
    if attributes.get(_GENERATED) in _YES:
        return ExclusionReason.GENERATED
    if attributes.get(_VENDORED) in _YES:
        return ExclusionReason.VENDORED
    if is_filtered(attributes):
        return ExclusionReason.FILTERED
    return ExclusionReason.NO_DIFF if attributes.get(_DIFF) == "unset" else None


def is_filtered(attributes: Mapping[str, str]) -> bool:
    """Return whether git keeps a file in another form, which only a program of the repository could make."""
    return attributes.get(_FILTER, "unset") != "unset"


def adds_conversion(before: Mapping[str, str], now: Mapping[str, str]) -> bool:
    """Return whether the attributes ``now`` store a file in another form than those ``before`` the change."""
    return any(now.get(name) != before.get(name) and now.get(name, "unset") != "unset" for name in CONVERTING)


def foreign_origin(path: str, attributes: Mapping[str, str]) -> ExclusionReason | None:
    """Return GENERATED or VENDORED by the ``attributes`` of a file or, where they are silent, by its name."""
    *folders, name = path.split("/")
    generated, vendored = attributes.get(_GENERATED, ""), attributes.get(_VENDORED, "")
    if generated in _YES or (generated not in _NO and (_LOCKED.fullmatch(name) or _MINIFIED.fullmatch(name))):
        return ExclusionReason.GENERATED
    if vendored in _YES or (vendored not in _NO and _FOREIGN_FOLDERS.intersection(folders)):
        return ExclusionReason.VENDORED
    return None
