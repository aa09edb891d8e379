"""Take secrets out of text, by value.

Whatever is found becomes ``[REDACTED:kind]``. Redacting redacted text finds nothing, so that every door may redact
without asking whether another one did. It is a net, not a proof: a secret that looks like nothing is found only if
it is among the values that were given.

Four ways of finding, each a module: ``shapes`` (a token that gives itself away), ``keywords`` (one that its provider's
name gives away), ``pairs`` (one that is called a secret) and ``blocks`` (one that its surroundings give away). To stay
linear on hostile text, a pattern begins with its literal, looks back over that literal for a boundary, and has no
repetition that can start inside its own match and fail at the end.

Refused, measured in November 2026 with ``tests/data/secret_shapes.toml``: ``detect-secrets`` 1.5 finds 49 % of it and
takes 3.7 s for 1 MiB; ``secretscreen`` 0.6, which judges values that somebody else has found, 84 % and 1.1 s, with 10
false finds in 10,000 lines.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sparring.text.redaction.blocks import find_blocks
from sparring.text.redaction.environment import SHORTEST_VALUE, secret_values
from sparring.text.redaction.escapes import Plain, moved, with_escapes, without_escapes
from sparring.text.redaction.keywords import find_keywords
from sparring.text.redaction.pairs import find_pairs
from sparring.text.redaction.shapes import RUN, find_shapes
from sparring.text.redaction.spans import MARKER, Place, Span, replaced, surroundings, united

__all__ = ["Redacted", "Redactor", "secret_values"]

_MOST_PASSES = 8
"""Taking one secret out may lay another one free that was glued to it. Text that needs more passes is hostile."""


@dataclass(frozen=True)
class Redacted:
    """Text without secrets.

    Attributes:
        kinds: The kind of each secret that was taken out, in the order they were found.
    """

    text: str
    kinds: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """How many secrets were taken out."""
        return len(self.kinds)


class Redactor:
    """Takes out what looks like a secret, and the given values wherever they occur."""

    def __init__(self, secret_values: Iterable[str] = ()) -> None:
        long_enough = {value for value in secret_values if len(value) >= SHORTEST_VALUE}
        # Longest first: one value may be a part of another.
        self._values = sorted(long_enough, key=lambda value: (-len(value), value))

    def redact(self, text: str) -> Redacted:
        """``text`` with every secret replaced by ``[REDACTED:kind]``."""
        kinds: list[str] = []
        for _ in range(_MOST_PASSES):
            found = len(kinds)
            plain = without_escapes(text)
            text = self._searched(plain, kinds)
            if plain.escapes:
                # As it stands too: the letter that ends a broken sequence may have been the first of a secret.
                text = self._searched(Plain(text), kinds)
            if len(kinds) == found or not plain.escapes:
                break
        return Redacted(text, tuple(kinds))

    def _searched(self, plain: Plain, kinds: list[str]) -> str:
        """``plain`` with its escape sequences and without secrets, whose kinds are added to ``kinds``."""
        places = [Place(0, len(plain.text))]
        for _ in range(_MOST_PASSES):
            spans = united(plain.text, (span for place in places for span in self._spans_in(plain.text, place)))
            if not spans:
                break
            kinds += [span.kind for span in spans]
            plain = Plain(replaced(plain.text, spans), moved(plain.escapes, spans))
            places = surroundings(plain.text, spans)
        return with_escapes(plain)

    def _spans_in(self, text: str, place: Place) -> Iterator[Span]:
        for span in self._spans(text[place.start : place.end]):
            yield Span(place.start + span.start, place.start + span.end, span.kind)

    def _spans(self, text: str) -> Iterator[Span]:
        yield from self._given(text)
        runs = list(RUN.finditer(text))
        yield from find_shapes(text, runs)
        yield from find_blocks(text)
        yield from find_keywords(text, runs)
        yield from find_pairs(text)

    def _given(self, text: str) -> Iterator[Span]:
        present = [value for value in self._values if value in text]
        if not present:
            return
        # What stands in or across a marker is no secret, whatever the value: else a second pass would find it again.
        edges = [0, *(edge for marker in MARKER.finditer(text) for edge in marker.span()), len(text)]
        pattern = re.compile("|".join(map(re.escape, present)))
        for start, end in zip(edges[::2], edges[1::2], strict=True):
            for match in pattern.finditer(text, start, end):
                yield Span(match.start(), match.end(), "known-value")
