"""A change to a file as people read it: a unified diff, without the secrets that settings are full of."""

import difflib
from collections.abc import Iterator, Mapping
from typing import cast

from sparring.hosts.entries import read_settings
from sparring.hosts.known import KnownHost
from sparring.hosts.planning import Change
from sparring.text.redaction import Redactor, secret_values

_HOLDERS = {"env", "environment", "headers", "http_headers"}
"""What settings call the values that a server is given and nobody else should see."""


def difference(host: KnownHost, change: Change, environment: Mapping[str, str]) -> str:
    """``change`` as a unified diff; secrets are taken out of both files as a whole before they are compared."""
    texts = [(content or b"").decode(errors="replace") for content in (change.before, change.after)]
    redactor = Redactor([*secret_values(environment), *_given_values(host, texts[0])])
    before, after = (redactor.redact(text).text.splitlines() for text in texts)
    names = [str(change.path) if content is not None else "/dev/null" for content in (change.before, change.after)]
    return "\n".join(difflib.unified_diff(before, after, names[0], names[1], lineterm=""))


def _given_values(host: KnownHost, text: str) -> list[str]:
    try:
        return list(_held(read_settings(host, text), held=False))
    except ValueError:
        return []  # a skill or a command


def _held(content: object, *, held: bool) -> Iterator[str]:
    if isinstance(content, str) and held:
        yield content
    elif isinstance(content, dict):
        for key, value in cast("dict[str, object]", content).items():
            yield from _held(value, held=held or key in _HOLDERS)
    elif isinstance(content, list):
        for value in cast("list[object]", content):
            yield from _held(value, held=held)
