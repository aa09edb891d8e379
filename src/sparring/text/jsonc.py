"""JSON with comments and trailing commas, as the configuration files of many programs are written."""

import json
import re
from collections.abc import Mapping

from pydantic import JsonValue

# An unclosed part extends to the end, so that it is read once; it stays, and is no JSON.
_STRING = r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)'
_COMMENT = re.compile(rf"({_STRING}|/\*(?:(?!\*/).)*+\Z)|//[^\n]*|/\*.*?\*/", re.DOTALL)
_TRAILING_COMMA = re.compile(rf"({_STRING})|,(?=\s*[\]}}])", re.DOTALL)


def parse_jsonc(text: str) -> JsonValue:
    """Parse ``text``.

    Nothing but white space and comments is null, as an empty file is.

    Raises:
        ValueError: It is neither JSON nor JSON with comments.
    """
    # A string is matched first wherever one begins, so what looks like a comment in it stays.
    bare = _COMMENT.sub(lambda match: match[1] or " ", text.removeprefix("\ufeff"))
    bare = _TRAILING_COMMA.sub(lambda match: match[1] or "", bare)
    if not bare.strip():
        return None
    try:
        return json.loads(bare)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def merged(under: Mapping[str, JsonValue], over: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Return ``over`` merged over ``under``, table by table."""
    both = dict(under)
    for name, value in over.items():
        there = both.get(name)
        both[name] = merged(there, value) if isinstance(there, dict) and isinstance(value, dict) else value
    return both
