"""What somebody may have meant who has mistyped a name."""

from collections.abc import Iterable
from itertools import islice

_MOST_KNOWN = 500
"""Names that are compared; more than that takes time which nobody would wait for an error."""

_MOST_SAID = 80


def did_you_mean(said: str, known: Iterable[str]) -> str:
    """A question that follows a sentence, with a space before it; empty where nothing of ``known`` looks like it."""
    from difflib import get_close_matches  # noqa: PLC0415 -- only an error needs it

    names = {name.lower(): name for name in islice(known, _MOST_KNOWN)}
    found = get_close_matches(said[:_MOST_SAID].lower(), names, n=2, cutoff=0.7)
    return f" Did you mean {' or '.join(names[name] for name in found)}?" if found else ""
