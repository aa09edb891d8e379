"""Shapes of secrets: names and values that announce one, and values that are recognisable by themselves.

The latter are listed in ``secret_shapes.toml``. Two hundred literals are too many for separate searches in a long
text. So the text is searched once for runs of characters that secrets are made of, which leaves a twentieth of it, and
only literals in these runs are searched. Escape sequences and invisible characters are removed meanwhile: a colour or a
joiner may stand in the middle of a secret.

It also recognises files for secrets by their names.
"""

import re
import tomllib
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from importlib import resources

from msgspec import Struct

MARKER = re.compile(r"\[REDACTED:[a-z0-9-]+\]")
_ONLY_MARKERS = re.compile(rf"(?:{MARKER.pattern}[:@]?)+")

_SURROUNDINGS = 1024
"""More than any rule looks back or ahead from a secret that fits into a line."""


class SecretPlace(Struct, frozen=True):
    """A part of a text."""

    start: int
    end: int


class SecretSpan(Struct, frozen=True):
    """A secret of one kind from ``start`` to ``end``; so many ``lines`` are to end in its place afterwards."""

    start: int
    end: int
    kind: str
    lines: int = 0

    @property
    def marker(self) -> str:
        """Text that replaces the secret."""
        return f"[REDACTED:{self.kind}]{self.lines * chr(10)}"


def united(text: str, spans: Iterable[SecretSpan]) -> list[SecretSpan]:
    """Return ``spans`` in order, overlapping ones merged under the first kind; without already redacted text."""
    result: list[SecretSpan] = []
    for span in sorted(spans, key=lambda span: span.start):  # stable: of two at one place the first found is first
        if _ONLY_MARKERS.fullmatch(text, span.start, span.end):
            continue
        if result and span.start < result[-1].end:
            last = result[-1]
            result[-1] = SecretSpan(last.start, max(last.end, span.end), last.kind)
        else:
            result.append(span)
    return result


def replaced(text: str, spans: Iterable[SecretSpan]) -> str:
    """Return ``text`` with a marker in the place of each of the ordered ``spans``."""
    pieces: list[str] = []
    kept = 0
    for span in spans:
        pieces += text[kept : span.start], span.marker
        kept = span.end
    return "".join([*pieces, text[kept:]])


def surroundings(text: str, spans: Iterable[SecretSpan]) -> list[SecretPlace]:
    """Return the places of ``text`` around the replaced ``spans``, where a further secret may have become visible.

    Everything else was searched already. Cut at line ends, so that no cut makes a secret out of a part of a word.
    """
    places: list[SecretPlace] = []
    shift = 0
    for span in spans:
        start, end = span.start + shift, span.start + shift + len(span.marker)
        shift = end - span.end
        first = text.rfind("\n", 0, max(0, start - _SURROUNDINGS)) + 1
        last = text.find("\n", end + _SURROUNDINGS)
        last = len(text) if last < 0 else last + 1
        if places and first <= places[-1].end:
            places[-1] = SecretPlace(places[-1].start, max(last, places[-1].end))
        else:
            places.append(SecretPlace(first, last))
    return places


_PLACEHOLDER = re.compile(
    r"""
      ^<.*>$ | ^\$\w+$ | \$[{(] | \{[^}]*\} | ^%\w+%$ | %[sdr(] | \.\.\. | …
    | [xX*•]{4} | ^(.)\1{3}
    | your | example | placeholder | change-?me | redacted | dummy
    | environ | getenv | (?: env | secrets | settings | config | self ) \.
    """,
    re.VERBOSE | re.IGNORECASE,
)
_SAMPLE_PASSWORD = re.compile(r"(?i:pass(?:word|wd|phrase)?|pw|pwd|secret|thing|token|user(?:name)?)")
_PATH = re.compile(r"(?:~|\.{0,2}|[A-Za-z]:)[/\\]")
_SEPARATORS = re.compile(r"[^A-Za-z0-9]+")
_SWITCH = re.compile(r"(?<=[a-z])[A-Z]|(?<=[0-9])[A-Za-z]|(?<=[A-Za-z])[0-9]")
_DIGITS = re.compile(r"[0-9]+")
_SECRET_NAME = re.compile(
    r"(?i:passw(?:or)?d|passphrase|secret|token|credential"
    r"|(?:api|access|account|auth|client|encryption|master|private|service|shared|signing|storage|subscription)"
    r"[_-]?key)|_(?:AUTH|KEYS?|PASS|PAT|PWD|pwd)(?![A-Za-z])"
)
_KEY_NAME = re.compile(r"(?i:(?:^|[_.-])key$)|[a-z]Key$")
_HARMLESS_ENDING = re.compile(
    r"(?i:ids?|names?|url|uri|path|file|dir|type|count|size|limit|length|expir\w*|ttl|endpoint|sock|prefix|helper|models?"
    r"|headers?|managers?|hasher|permissions?|scopes?|provider|store|backend|algorithm|driver|class|version|mode|format"
    r"|encoding|issuer|audience|policy|region|field|column|enabled|required|strategy|plugin|module)$"
)
_UNBROKEN = re.compile(r"(?=[0-9]*[A-Za-z])(?=[A-Za-z]*[0-9])[A-Za-z0-9]{14,}|[0-9]{15,}")
_CHECKSUM = re.compile(r"[0-9a-f-]+|[0-9A-F-]+")


def is_secret_name(name: str) -> bool:
    """Return whether a variable of this name would hold a secret."""
    return _SECRET_NAME.search(name) is not None and _HARMLESS_ENDING.search(name) is None


def is_key_name(name: str) -> bool:
    """Return whether a variable of this name may hold a secret, as it may hold the key of a cache, a row or a map."""
    return _KEY_NAME.search(name) is not None and "public" not in name.lower()


def is_path(value: str) -> bool:
    """Return whether ``value`` is a file path; base64 may begin with a slash too, but then the rest looks random."""
    return _PATH.match(value) is not None and not any(looks_random(part) for part in re.split(r"[/\\]", value))


def is_placeholder(value: str) -> bool:
    """Return whether ``value`` is a placeholder for a secret: a template, a variable, an example."""
    return _PLACEHOLDER.search(value) is not None


def is_sample_password(value: str) -> bool:
    """Return whether ``value`` is the word that samples have in the place of a password."""
    return _SAMPLE_PASSWORD.fullmatch(value) is not None


def may_be_checksum(value: str) -> bool:
    """Return whether ``value`` is hexadecimal, or a UUID: a secret, a commit, a checksum or an id."""
    return _CHECKSUM.fullmatch(value) is not None


def looks_random(value: str, *, strictly: bool = False) -> bool:
    """Return whether ``value`` mixes cases and digits as generated secrets do and names do not.

    Looked at without separators, it must change between cases and digits often (random hex or base64: at 0.3 to 0.5
    of its places) or hold digits in many places. Measured, this misses under 1 % of random hex and base64 of 24
    characters, 7 % of base32 of 32 (no lower case, few digits), and an eighth of anything of 12. Entropy was refused:
    at these lengths it does not separate the two.
    """
    letters_and_digits = _SEPARATORS.sub("", value)
    size, digit_groups = len(letters_and_digits), len(_DIGITS.findall(letters_and_digits))
    if size < (10 if digit_groups else 20):
        return False
    if digit_groups >= (4 if strictly else 3):
        return True
    fewest_switches = size * (0.24 if strictly or not digit_groups else 0.15)
    return len(_SWITCH.findall(letters_and_digits)) > fewest_switches


def is_unbroken(value: str) -> bool:
    """Return whether ``value`` is one long word of letters and digits, or a long number, unlike names and amounts."""
    return _UNBROKEN.fullmatch(value) is not None


def is_varied(value: str) -> bool:
    """Return whether ``value`` has letters and other characters, as password rules demand."""
    return re.search("[A-Za-z]", value) is not None and re.search("[0-9!@#$%^&*?+=~]", value) is not None


RUN = re.compile(r"\b[\w.~+/=%:|\\@-]{13,}", re.ASCII)
"""Pattern of a run that can contain a secret; the shortest known secret has 13 characters."""

_MARGIN = 8
"""Characters around a run in which a secret may begin (``.aB`` begins with no word) or an exception be written."""

_TELLING = re.compile(r"[0-9A-Z]")
_LONGEST_WORD = 30
"""Longer runs may be secrets of lower case letters alone; among shorter ones, one in a million is."""

# No word may run into a literal, but an escape may: \nghp_…, %22ghp_…
_BOUNDARY = r"(?:(?<![A-Za-z0-9]{0})|(?<=\\[nrt]{0})|(?<=%[0-9A-Fa-f][0-9A-Fa-f]{0}))"


class _Shape(Struct, frozen=True):
    kind: str
    literal: str
    source: str

    @property
    def pattern(self) -> re.Pattern[str]:
        return _compiled(self.source)


def find_shapes(text: str, runs: list[re.Match[str]]) -> Iterator[SecretSpan]:
    """Yield the secrets in ``text`` that are known by their shape; ``runs`` are all matches of ``RUN`` in it."""
    starts_by_run: dict[str, list[int]] = {}  # equal runs, such as paths, are searched once
    for run in runs:
        if run.end() - run.start() > _LONGEST_WORD or _TELLING.search(run[0]):
            starts_by_run.setdefault(run[0], []).append(run.start())
    for shape, run in _holding(starts_by_run):
        for start in starts_by_run[run]:
            for match in shape.pattern.finditer(text, max(0, start - _MARGIN), start + len(run) + _MARGIN):
                yield SecretSpan(*match.span("secret"), shape.kind)


def has_only_words(line: str) -> bool:
    """Return whether no run in ``line`` can be a secret, a part of one that continues, or be near its name.

    This holds for any other lines; names that announce a secret are not searched.
    """
    for run in RUN.finditer(line):
        word = run[0]
        if len(word) <= _LONGEST_WORD and not _TELLING.search(word):
            continue
        is_last = not line[run.end() :].strip(" \t\r")
        if is_last or _DIGITS.search(word) or any(shape.literal in word for shape in _shapes()):
            return False
    return True


def has_escapes(text: str) -> bool:
    """Return whether ``without_escapes`` would take anything out."""
    if "\x1b[" not in text and text.isascii():
        return False  # nearly every text, decided at once
    return _SEQUENCE.search(text) is not None


_SEAM = re.compile(r"[ \t]{0,8}\r?\n[ \t]{0,80}(?:[+>|#*-]{1,3}[ \t]{0,8}){0,3}")
_REST = re.compile(r"[\w.~+/=%:|@-]{4,}", re.ASCII)
_MOST_LINES = 8
_WIDTH = 60
"""Shorter lines are wrapped by hand, if ever: a token that may end in one does, and none continues over two more."""


def find_wrapped_shapes(text: str, runs: list[re.Match[str]], known: Iterable[SecretSpan]) -> Iterator[SecretSpan]:
    """Yield the secrets in ``text`` that are recognisable by their shape once wrapped lines are joined.

    No secret continues with another one, so none extends to one of the ``known`` spans of one line.
    """
    starts_of_known = {span.start for span in known}
    parts_by_text: dict[str, list[list[SecretPlace]]] = {}
    for run in runs:
        if text[run.end() : run.end() + 1] not in _LINE_ENDS or not _TELLING.search(run[0]):
            continue
        first = SecretPlace(*run.span())
        parts = [first, *_following(text, first, starts_of_known)]
        if len(parts) > 1:
            parts_by_text.setdefault(_joined(text, parts), []).append(parts)
    for shape, joined in _holding(parts_by_text):
        for parts in parts_by_text[joined]:
            yield from _wrapped(text, joined, parts, shape)


_LINE_ENDS = (" ", "\t", "\r", "\n")


def _joined(text: str, parts: Iterable[SecretPlace]) -> str:
    """Return the ``parts`` of a wrapped word without the backslashes at the ends of lines."""
    return "".join(text[part.start : part.end].rstrip("\\") for part in parts)


def _is_full(text: str, last: SecretPlace) -> bool:
    """Return whether the line that ends with ``last`` is as long as lines are that a program has wrapped."""
    return last.end >= _WIDTH and "\n" not in text[last.end - _WIDTH : last.end]


def unfinished_shape(text: str) -> int:
    """Return the possible start of a secret of a known shape that continues in the lines after ``text``.

    The result is the length of ``text`` if there is none. ``text`` ends with a line.
    """
    for run in RUN.finditer(text, max(0, len(text) - _SURROUNDINGS)):
        if text[run.end() : run.end() + 1] not in _LINE_ENDS or not _TELLING.search(run[0]):
            continue
        first = SecretPlace(*run.span())
        parts = [first, *_following(text, first, set())]
        is_full = _is_full(text, first)
        if len(parts) > (_MOST_LINES if is_full else 1) or not _LINE_END.fullmatch(text, parts[-1].end):
            continue
        joined = _joined(text, parts)
        shortest_literal = _TELLING_LITERAL if not is_full and _is_whole(joined) else 0
        for shape in _shapes():
            if len(shape.literal) >= shortest_literal and _may_go_on(shape, joined, is_full=is_full):
                return run.start()
    return len(text)


_TELLING_LITERAL = 3
"""Characters. Shorter ones occur in most other secrets."""


def _is_whole(text: str) -> bool:
    """Return whether ``text`` ends with the end of a secret."""
    shapes = (shape for shape in _shapes() if shape.literal in text)
    return any(match.end() == len(text) for shape in shapes for match in shape.pattern.finditer(text))


_LINE_END = re.compile(r"[ \t]{0,8}\r?\n")
_WORD_ENDS = re.compile(r"(?:\A|[^A-Za-z0-9]|\\[nrt]|%[0-9A-Fa-f]{2})\Z")
"""Text that may precede the literal of a shape, as in ``_BOUNDARY``."""


def _may_go_on(shape: _Shape, text: str, *, is_full: bool) -> bool:
    """Return whether a secret of that shape, begun in ``text``, may have its end in the next line."""
    if shape.literal in text:
        return is_full or shape.pattern.search(text) is None
    # The literal itself may be cut: the text ends with its first characters, before which a word has ended.
    for length in range(1, len(shape.literal)):
        if text.endswith(shape.literal[:length]):
            start = len(text) - length
            if _WORD_ENDS.search(text, max(0, start - 3), start):
                return True
    return False


def _following(text: str, first: SecretPlace, starts_of_known: set[int]) -> Iterator[SecretPlace]:
    """Yield the parts in the next lines that a wrapped word may continue with."""
    end = first.end
    for _ in range(_MOST_LINES if _is_full(text, first) else 1):
        seam = _SEAM.match(text, end)
        rest = _REST.match(text, seam.end()) if seam else None
        if rest is None or rest.start() in starts_of_known:
            return
        yield SecretPlace(*rest.span())
        end = rest.end()


def _wrapped(text: str, whole: str, parts: list[SecretPlace], shape: _Shape) -> Iterator[SecretSpan]:
    """Yield the secret that begins in the first of ``parts`` and ends in a later one.

    Args:
        text: The whole text.
        whole: The parts, joined.
        parts: Their places in the text.
        shape: The shape of which the joined parts have a secret.
    """
    first = text[parts[0].start : parts[0].end].rstrip("\\")
    for match in shape.pattern.finditer(whole):
        start, end = match.span("secret")
        if not start < len(first) < end or not looks_random(match["secret"], strictly=True):
            continue
        continues = _is_full(text, parts[0]) and looks_random(whole[len(first) : end], strictly=True)
        if shape.pattern.search(first) and not continues:
            continue  # it was whole before the line ended
        reached = 0
        for part in parts:
            reached += len(text[part.start : part.end].rstrip("\\"))
            if reached >= end:
                yield SecretSpan(parts[0].start + start, part.end - (reached - end), shape.kind)
                break


def _holding(runs: Collection[str]) -> Iterator[tuple[_Shape, str]]:
    """Yield each shape with each of ``runs`` that has a secret of it."""
    if not runs:
        return
    # All runs at once, each in a line: one search for each shape instead of one for each run.
    lines = "\n".join(runs)
    for shape in _shapes():
        if shape.literal not in lines:
            continue
        line_end = 0
        while match := shape.pattern.search(lines, line_end):
            line_start = lines.rfind("\n", 0, match.start()) + 1
            line_end = lines.find("\n", match.end())
            if line_end < 0:
                line_end = len(lines)
            yield shape, lines[line_start:line_end]


@cache
def _shapes() -> tuple[_Shape, ...]:
    data = resources.files("sparring.text").joinpath("secret_shapes.toml").read_text(encoding="utf-8")
    return tuple(
        _Shape(kind, literal, _pattern(literal, row))
        for kind, rows in tomllib.loads(data).items()
        for literal, row in rows.items()
    )


@cache  # two hundred patterns take long to compile, and most texts need none
def _compiled(source: str) -> re.Pattern[str]:
    return re.compile(source, re.ASCII)


def _pattern(literal: str, row: str | dict[str, str]) -> str:
    if isinstance(row, dict):
        whole = row["whole"]
        return whole if "(?P<secret>" in whole else f"(?P<secret>{whole})"
    escaped = re.escape(literal)
    return f"(?P<secret>{escaped}{_BOUNDARY.format(escaped)}(?:{row}))"


_SEQUENCE = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"
    "|[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]+"  # shown as nothing: joiners, marks of direction, tags, variants
)


class Escape(Struct, frozen=True):
    """A sequence that belongs before the character at ``position`` of the text without sequences."""

    position: int
    sequence: str


class Plain(Struct, frozen=True):
    """A text without escape sequences, and the removed sequences."""

    text: str
    escapes: tuple[Escape, ...] = ()


def without_escapes(text: str) -> Plain:
    """Return ``text`` without sequences that move the cursor or change colours, and without invisible characters."""
    if not has_escapes(text):
        return Plain(text)
    pieces: list[str] = []
    escapes: list[Escape] = []
    done = length = 0
    for match in _SEQUENCE.finditer(text):
        pieces.append(text[done : match.start()])
        length += match.start() - done
        escapes.append(Escape(length, match[0]))
        done = match.end()
    pieces.append(text[done:])
    return Plain("".join(pieces), tuple(escapes))


def moved(escapes: tuple[Escape, ...], spans: list[SecretSpan]) -> tuple[Escape, ...]:
    """Return ``escapes`` at their places after the ordered ``spans`` have been replaced; none stands in a marker.

    Invisible characters inside a secret are dropped with it; a colour that began there stays.
    """
    result: list[Escape] = []
    shift = index = 0
    for escape in escapes:
        while index < len(spans) and spans[index].end <= escape.position:
            shift += len(spans[index].marker) - (spans[index].end - spans[index].start)
            index += 1
        position = escape.position
        if index < len(spans) and spans[index].start < position:
            if escape.sequence[0] != "\x1b":
                continue
            position = spans[index].start + len(spans[index].marker)
        result.append(Escape(position + shift, escape.sequence))
    return tuple(result)


def with_escapes(plain: Plain) -> str:
    """Return the text with its escape sequences where they were."""
    if not plain.escapes:
        return plain.text
    pieces: list[str] = []
    kept = 0
    for escape in plain.escapes:
        pieces += plain.text[kept : escape.position], escape.sequence
        kept = escape.position
    return "".join([*pieces, plain.text[kept:]])


_MADE_FOR_SECRETS = re.compile(
    r"\.env(?:rc|[._-].*)?|.*\.env|"
    r".*\.(?:pem|key|p12|pfx|pkcs12|p8|ppk|jks|keystore|kdbx?|asc|gpg|pgp|agekey|ovpn|tfvars|tfstate(?:\.backup)?)|"
    r"id_[a-z0-9_]+|.*_(?:rsa|dsa|ecdsa|ed25519)|authorized_keys|"
    r"[._](?:netrc|npmrc|pypirc|pgpass|htpasswd|my\.cnf|boto|s3cfg|dockercfg|git-credentials|yarnrc\.yml|vault-token)",
    re.IGNORECASE,
)
_NAMED_AFTER_THEM = re.compile(
    r"(?:.*[._-])?(?:credentials?|secrets?|passwords?)(?:[._-].*)?|service[._-]?account.*\.json|auth\.json",
    re.IGNORECASE,
)
_TEMPLATE = re.compile(r".*[._-](?:example|sample|template|dist)(?:\.[a-z]+)?|.*\.pub", re.IGNORECASE)
_SOURCE = re.compile(
    r".*\.(?:c|cc|cpp|cs|css|go|h|hpp|html|java|jsx?|[cm]js|kt|md|php|pyi?|rb|rs|rst|sh|sql|swift|tsx?|vue)",
    re.IGNORECASE,
)
"""A module that deals with credentials is named after them and holds none."""

_FOLDER = re.compile(r"\.(?:git|ssh|gnupg|aws|azure|kube|docker|gcloud|password-store)", re.IGNORECASE)


def may_hold_secrets(path: str) -> bool:
    """Return whether a file of that name is made to hold secrets: ``.env``, keys, credentials, what lies in ``.git``.

    ``path`` may have folders, with slashes or backslashes. Templates such as ``.env.example`` and public keys hold
    none, nor does source code that is only named after them.
    """
    *folders, name = path.replace("\\", "/").split("/")
    if any(_FOLDER.fullmatch(folder) for folder in folders):
        return True
    if _TEMPLATE.fullmatch(name):
        return False
    if _MADE_FOR_SECRETS.fullmatch(name):
        return True
    return _NAMED_AFTER_THEM.fullmatch(name) is not None and not _SOURCE.fullmatch(name)
