"""Find the one JSON object that a model was asked for in what it replied.

Framing (where does the object begin and end) is tolerant, since models add prose and fences. Parsing is strict, with
one concession: ``json_repair`` may mend commas, quotes and comments, but nothing that it would have to invent is
accepted. What the object means is for a schema to decide.

Everything is one pass over the reply, so that no reply can hang the caller.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, cast

_CANDIDATE_LIMIT = 8
"""Most objects that are tried. A reply with more is not an answer with an object in it."""

_REPAIR_LIMIT = 100_000
"""Most characters to repair: json_repair 0.64 needs up to a second for 400,000. A verdict has some thousands."""

_FENCE = re.compile(r"^[ \t]*(?P<marks>`{3,}+)[ \t]*+(?P<language>[^`\n]*)$", re.MULTILINE)
_BRACE = re.compile(r"[{}]")
_BRACE_OR_STRING = re.compile(r'[{}]|"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_OBJECT_START = re.compile(r"""\{\s*+["']""")
_KEY = re.compile(r"""["']([^"'\\]*+)["']\s*+:""")


def json_object(reply: str) -> dict[str, Any] | None:
    """The JSON object in ``reply``, or None if there is none that can be trusted.

    A fenced ``json`` block goes before anything outside it. Of several objects the last one wins: models think
    aloud, repeat the requested shape and correct themselves, and end with what they mean. Parts of an object, empty
    objects and objects with duplicate keys are never returned.
    """
    for region in (*reversed(_fenced_blocks(reply)), reply):
        for candidate in _candidates(region):
            found = _strictly(candidate) or _repaired(candidate)
            if found and _can_be_written(found):
                return found
    return None


def _fenced_blocks(reply: str) -> list[str]:
    blocks: list[str] = []
    opening: re.Match[str] | None = None
    for fence in _FENCE.finditer(reply):
        if opening is None:
            opening = fence
        elif not fence["language"].strip() and len(fence["marks"]) >= len(opening["marks"]):
            if opening["language"].strip().lower() == "json":
                blocks.append(reply[opening.end() : fence.start()])
            opening = None
    return blocks[-_CANDIDATE_LIMIT:]


def _candidates(region: str) -> Iterator[str]:
    objects, broken = _object_spans(region)
    for start, end in reversed(objects[-_CANDIDATE_LIMIT:]):
        yield region[start:end]
    end = region.rfind("}") + 1
    # With a member after the last brace the reply was cut off: mending it would pass a part off as the whole.
    if broken is not None and not _KEY.search(region, end):
        yield region[broken:end]


def _object_spans(region: str) -> tuple[list[tuple[int, int]], int | None]:
    """The outermost balanced objects, and where the first one starts that is never closed.

    Quotes outside braces are prose. A brace that no quote follows, as in ``{name}`` or a block of code, may hold an
    object but is none. What stands inside an unclosed object is a part of it, not an answer.
    """
    spans: list[tuple[int, int]] = []
    open_braces: list[tuple[int, bool]] = []
    position = 0
    while token := (_BRACE_OR_STRING if open_braces else _BRACE).search(region, position):
        position = token.end()
        if token[0] == "{":
            open_braces.append((token.start(), _OBJECT_START.match(region, token.start()) is not None))
        elif token[0] == "}" and open_braces:
            start, is_object = open_braces.pop()
            if is_object:
                while spans and spans[-1][0] > start:
                    spans.pop()
                spans.append((start, position))
    broken = next((start for start, is_object in open_braces if is_object), None)
    return [span for span in spans if broken is None or span[0] < broken], broken


def _strictly(candidate: str) -> dict[str, Any] | None:
    try:
        # Only an object can come of it: a candidate begins with a brace.
        return cast("dict[str, Any]", json.loads(candidate, object_pairs_hook=_unique, parse_constant=_refuse))
    except (ValueError, RecursionError):
        return None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a key stands twice; which one is meant is anybody's guess")
    return members


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")


def _repaired(candidate: str) -> dict[str, Any] | None:
    if len(candidate) > _REPAIR_LIMIT:
        return None
    # Imported here because it is needed for few replies and costs every start of the program otherwise.
    import json_repair  # noqa: PLC0415

    try:
        value = json_repair.loads(candidate, skip_json_loads=True, strict=True)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    # The same keys equally often: repairing has neither made one up nor dropped a duplicate.
    said = Counter(_KEY.findall(candidate))
    return value if said == Counter(_keys(value)) else None


def _can_be_written(found: dict[str, Any]) -> bool:
    """Whether no text in it holds half a surrogate pair, which JSON may escape and no encoding accepts."""
    try:
        json.dumps(found, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return False
    return True


def _keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, member in cast("dict[str, Any]", value).items():
            yield key
            yield from _keys(member)
    elif isinstance(value, list):
        for item in cast("list[Any]", value):
            yield from _keys(item)
