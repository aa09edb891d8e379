"""Take secrets out of text, by value.

Every secret becomes ``[REDACTED:kind]``. Redacting redacted text changes nothing, so that every entry point may redact
without asking whether another one did. It is a net, not a proof: a secret without a recognisable shape is found only if
it is among the given values.

Three modules find secrets: ``known_values`` the given values, in any spelling; ``secret_shapes`` recognisable shapes;
``secret_words`` values near the name of a provider, a word for a secret, or similar context. To stay linear on
hostile text, a pattern begins with its literal, looks back over that literal for a boundary, and has no repetition that
can start inside its own match and fail at the end.

Refused, measured in November 2026 with ``tests/data/secret_shapes.toml``: ``detect-secrets`` 1.5 finds 49 % of it and
takes 3.7 s for 1 MiB; ``secretscreen`` 0.6, which only judges values that are already found, 84 % and 1.1 s, with 10
false finds in 10,000 lines.
"""

import hmac
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import unquote

from msgspec import Struct
from msgspec.structs import replace

from sparring.text import secret_shapes
from sparring.text.known_values import SHORTEST_VALUE, KnownValues
from sparring.text.secret_words import (
    find_blocks,
    find_keywords,
    find_pairs,
    may_hold_blocks,
    open_manifest,
    unfinished_block,
)

_PLAIN_WORD = re.compile(r"[A-Za-z_-]{1,15}|[0-9.,:]+")
_HOLDS_SECRET = re.compile(r"(?i:passw(?:or)?d|passphrase|pwd|token|secret)[0-9_]*$")
"""The names of variables whose values are secret even where they are words or digits."""
_URL = re.compile(r"[a-z][a-z0-9+.-]*://(?:(?P<user>[^/?#\s:@]*)(?::(?P<password>[^/?#\s]+))?@)?")
_MAY_BE_KEY = re.compile(r"(?i:key[0-9]*$|private|dsn|cookie|hmac|jwt|salt|seed)")
_SHORTEST_LINE = 24


def secret_values(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The values of secret-looking variables, and what gives access inside their URLs, sorted.

    Paths, numbers, plain words and short values are left out: taking them out of every text would ruin the text.
    """
    values: set[str] = set()
    for name, value in environment.items():
        url = _URL.match(value)
        if url and url["password"]:
            values |= {value, url["password"], unquote(url["password"])}
        elif url and url["user"] and _is_generated(url["user"]):
            values |= {value, url["user"]}
        elif url or secret_shapes.is_path(value) or _is_plain(name, value):
            continue
        elif _is_secret_variable(name, value):
            values |= {value, *_long_lines(value)}
    return tuple(sorted(value for value in values if len(value) >= SHORTEST_VALUE))


_SETTING = re.compile(
    r"(?i:development|production|staging|localhost|disabled|required|optional|enabled|external|internal|undefined|unlimited"
    r"|automatic|anonymous|keychain|keyring|osxkeychain|credential\w*|bearer\w*|basic\w*|session\w*|default\w*)"
)
"""Words that say how something is done, where a secret could stand."""


def _is_plain(name: str, value: str) -> bool:
    """Return whether ``value`` is a word or a number whose removal would ruin every text."""
    return _PLAIN_WORD.fullmatch(value) is not None and (
        not _HOLDS_SECRET.search(name)
        or secret_shapes.is_sample_password(value)
        or _SETTING.fullmatch(value) is not None
        or value.casefold() in name.casefold()
    )


def _is_secret_variable(name: str, value: str) -> bool:
    is_named = secret_shapes.is_secret_name(name) or "PRIVATE KEY-----" in value
    return is_named or (_MAY_BE_KEY.search(name) is not None and "public" not in name.lower() and _is_generated(value))


def _is_generated(value: str) -> bool:
    return secret_shapes.looks_random(value, strictly=True) or (len(value) >= 16 and secret_shapes.is_unbroken(value))


def _long_lines(value: str) -> Iterator[str]:
    """The lines of a key, any of which may be quoted alone."""
    lines = value.split("\n") if "\n" in value else ()
    return (line.strip() for line in lines if len(line.strip()) >= _SHORTEST_LINE and secret_shapes.looks_random(line))


_MOST_PASSES = 8
"""Taking one secret out may lay another one free that was glued to it. Text that needs more passes is hostile."""


class Redacted(Struct, frozen=True):
    """Text without secrets.

    Attributes:
        kinds: The kind of each removed secret, in the order of discovery.
    """

    text: str
    kinds: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """Number of secrets that were removed."""
        return len(self.kinds)


_MOST_HARMLESS, _LONGEST_HARMLESS = 256, 4096
"""Number and length of the texts without a secret that are remembered: most texts come by many times."""

_MOST_PLAIN, _LONGEST_PLAIN = 4096, 256
"""The same of lines in which nothing begins that a secret could begin with."""


class Redactor:
    """Takes out what looks like a secret, and the given values wherever they occur."""

    def __init__(self, secret_values: Iterable[str] = ()) -> None:
        given = sorted(set(secret_values))
        self._given = "\0".join(given)
        self._values = KnownValues(given)
        self._harmless: set[str] = set()
        self._plain: set[str] = set()

    def fingerprint(self, salt: str) -> str:
        """Return a digest that depends on the given values; a reader without ``salt`` cannot guess them from it."""
        return hmac.digest(salt.encode(), self._given.encode(errors="surrogatepass"), "sha256").hex()

    def start_of_unfinished(self, text: str) -> int:
        """Return the possible start of a secret that only the text after ``text``, which ends with a line, identifies.

        The result is the length of ``text`` if there is none.
        """
        plain = secret_shapes.without_escapes(text)
        place = self._start_of_unfinished(plain.text)
        place += sum(len(each.sequence) for each in plain.escapes if each.position <= place)
        if plain.escapes:  # the text with its escapes counts too, as in ``_redacted``
            place = min(place, self._start_of_unfinished(text))
        return place

    def _start_of_unfinished(self, text: str) -> int:
        return min(
            find_start(text)
            for find_start in (self._values.start_of_unfinished, secret_shapes.unfinished_shape, unfinished_block)
        )

    def redact(self, text: str, *, keeps_lines: bool = False) -> Redacted:
        """``text`` with every secret replaced by ``[REDACTED:kind]``.

        With ``keeps_lines``, as many lines end there as before, so that all others keep their numbers.
        """
        if not text or text in self._harmless:
            return Redacted(text)
        redacted = Redacted(text) if self._has_no_secret(text) else self._redacted(text, keeps_lines=keeps_lines)
        if not redacted.kinds and len(text) <= _LONGEST_HARMLESS:
            if len(self._harmless) >= _MOST_HARMLESS:
                self._harmless.clear()
            self._harmless.add(text)
        return redacted

    def _has_no_secret(self, text: str) -> bool:
        """Return whether ``text`` certainly contains no secret: decided without a full search, mostly by its lines.

        Prompts are made from templates, so that most of their lines are known. Each pattern of ``_redacted`` begins
        within one line, except for blocks, announced secrets, and the known values.
        """
        if may_hold_blocks(text):
            return False
        lines = {line for line in text.split("\n") if line not in self._plain}
        are_plain = all(not secret_shapes.has_escapes(line) and secret_shapes.has_only_words(line) for line in lines)
        if not are_plain or any(find_pairs(text)) or any(self._values.find(text)):
            return False
        if len(self._plain) + len(lines) > _MOST_PLAIN:
            self._plain.clear()
        self._plain.update(line for line in lines if len(line) <= _LONGEST_PLAIN)
        return True

    def _redacted(self, text: str, *, keeps_lines: bool) -> Redacted:
        kinds: list[str] = []
        for _ in range(_MOST_PASSES):
            before_count = len(kinds)
            plain = secret_shapes.without_escapes(text)
            text = self._searched(plain, kinds, keeps_lines=keeps_lines)
            if plain.escapes:
                # As it stands too: the letter that ends a broken sequence may have been the first of a secret.
                text = self._searched(secret_shapes.Plain(text), kinds, keeps_lines=keeps_lines)
            if len(kinds) == before_count or not plain.escapes:
                break
        return Redacted(text, tuple(kinds))

    def _searched(self, plain: secret_shapes.Plain, kinds: list[str], *, keeps_lines: bool) -> str:
        """Return ``plain`` with its escape sequences and without secrets, whose kinds are added to ``kinds``."""
        places = [secret_shapes.SecretPlace(0, len(plain.text))]
        for _ in range(_MOST_PASSES):
            candidates = (
                secret_shapes.SecretSpan(place.start + span.start, place.start + span.end, span.kind)
                for place in places
                for span in self._spans(plain.text[place.start : place.end])
            )
            spans = secret_shapes.united(plain.text, candidates)
            if not spans:
                break
            if keeps_lines:
                spans = [replace(span, lines=plain.text.count("\n", span.start, span.end)) for span in spans]
            kinds += [span.kind for span in spans]
            plain = secret_shapes.Plain(
                secret_shapes.replaced(plain.text, spans), secret_shapes.moved(plain.escapes, spans)
            )
            places = secret_shapes.surroundings(plain.text, spans)
        return secret_shapes.with_escapes(plain)

    def _spans(self, text: str) -> Iterator[secret_shapes.SecretSpan]:
        yield from self._values.find(text)
        runs = list(secret_shapes.RUN.finditer(text))
        shapes = list(secret_shapes.find_shapes(text, runs))
        yield from shapes
        yield from secret_shapes.find_wrapped_shapes(text, runs, shapes)
        yield from find_blocks(text)
        yield from find_keywords(text, runs)
        yield from find_pairs(text)


LONGEST_LINE = 1 << 20
"""Most characters held back for the end of a line."""

LONGEST_BLOCK = 1 << 16
"""Most characters held back for the end of a key block; the longest keys in use have 13,000."""

_CONTEXT = 2048
_KEY_BEGINS = ("-----BEGIN ", "Private-Lines:")
_BEGINNING = re.compile(r"-----BEGIN [A-Z0-9 _-]{0,100}PRIVATE KEY(?: BLOCK)?-----|Private-Lines:")
_END = re.compile(r"-----END [A-Z0-9 _-]{0,100}-----|Private-(?:MAC|Hash):")
_SEAM = re.compile(r"[\s,;](?=[^\s,;]*\Z)")


class StreamRedactor:
    """Redacts a text that comes in pieces and may have no end, with bounded memory and as little delay as possible.

    Whole lines are redacted and returned as soon as they are complete. Secrets over several lines are treated twice:
    the last returned lines are examined again as the context of the next ones (the name of a secret may stand in
    a separate line), and lines that may begin a secret wait for the lines that decide it. The
    delay is bounded; a line or a key block above the limit is returned in parts, and a secret at the seam of two
    may be missed.

    Attributes:
        kinds: Number of secrets of each kind that were removed so far.
    """

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._pending = ""
        self._context = ""
        self._seen: dict[str, Redacted] = {}
        self.kinds: dict[str, int] = {}

    def feed(self, piece: str) -> str:
        """Take the next piece, and return the text that is complete."""
        self._pending += piece
        end = self._end_of_ready()
        ready, self._pending = self._pending[:end], self._pending[end:]
        return self._redacted(ready)

    def finish(self) -> str:
        """Give out the rest."""
        ready, self._pending = self._pending, ""
        return self._redacted(ready)

    def _end_of_ready(self) -> int:
        pending = self._pending
        end = pending.rfind("\n") + 1
        if not end and len(pending) > LONGEST_LINE:
            seam = _SEAM.search(pending, len(pending) - _CONTEXT)
            end = seam.end() if seam else len(pending)
        begun = list(_BEGINNING.finditer(pending, 0, end)) if any(sign in pending for sign in _KEY_BEGINS) else []
        opened = begun[-1] if begun else None
        place = min(self._redactor.start_of_unfinished(self._context + pending[:end]) - len(self._context), end)
        if opened and not _END.search(pending, opened.end(), end):
            place = min(place, opened.start())
        if place == end or len(pending) - place >= LONGEST_BLOCK:
            return end
        return self._before_reaching(pending.rfind("\n", 0, max(place, 0)) + 1, end)

    def _before_reaching(self, ready: int, end: int) -> int:
        """Return the last line end up to ``ready`` that no secret reaches over of those in the lines to ``end``."""
        whole = self._searched(self._context + self._pending[:end]).text
        while ready and not whole.startswith(self._searched(self._context + self._pending[:ready]).text):
            ready = self._pending.rfind("\n", 0, ready - 1) + 1
        return ready

    def _searched(self, text: str) -> Redacted:
        if text not in self._seen:
            self._seen[text] = self._redactor.redact(text)
        return self._seen[text]

    def _redacted(self, ready: str) -> str:
        if not ready:
            return ""
        before, after = (self._searched(text) for text in (self._context, self._context + ready))
        if after.text.startswith(before.text):
            kinds = Counter(after.kinds)
            kinds.subtract(before.kinds)
            result = after.text[len(before.text) :]
        else:  # a secret reaches back into text that was returned already
            alone = self._searched(ready)
            kinds, result = Counter(alone.kinds), alone.text
        for kind, count in kinds.items():
            self.kinds[kind] = self.kinds.get(kind, 0) + count
        last = self._context + ready
        least = last.find("\n", -_CONTEXT) + 1 if len(last) > _CONTEXT else 0
        manifest = open_manifest(last)
        self._context = last[least if manifest is None else min(least, last.rfind("\n", 0, manifest) + 1) :]
        self._seen.clear()
        return result
