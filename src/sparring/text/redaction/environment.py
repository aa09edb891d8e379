"""Which values of an environment are secrets."""

import re
from collections.abc import Mapping

from sparring.text.redaction.judging import is_path, is_secret_name

SHORTEST_VALUE = 8
"""Shorter values occur by chance, and a password that short is lost anyway."""

_PLAIN_WORD = re.compile(r"[A-Za-z_-]{1,15}|[0-9.,:]+")
_URL = re.compile(r"[a-z][a-z0-9+.-]*://(?:[^/?#\s:@]*:(?P<password>[^/?#\s]+)@)?")


def secret_values(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The values of secret-looking variables, and the passwords inside their URLs, sorted.

    Paths, numbers, plain words and short values are left out: taking them out of every text would ruin the text.
    """
    found: set[str] = set()
    for name, value in environment.items():
        url = _URL.match(value)
        if url and url["password"]:
            found |= {value, url["password"]}
        elif is_secret_name(name) and not (url or is_path(value) or _PLAIN_WORD.fullmatch(value)):
            found.add(value)
    return tuple(sorted(value for value in found if len(value) >= SHORTEST_VALUE))
