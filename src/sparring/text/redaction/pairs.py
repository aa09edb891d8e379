r"""Find secrets by the words that announce them: ``NAME=value``, ``"name": "value"``, headers, arguments, prose.

The text is searched for the words, not for the separators: a text has twenty times fewer of them.
"""

import re
from collections.abc import Iterator

from sparring.text.redaction.judging import (
    is_key_name,
    is_path,
    is_placeholder,
    is_secret_name,
    is_unbroken,
    is_varied,
    looks_random,
    may_be_checksum,
)
from sparring.text.redaction.spans import MARKER, Span


def _any_case(*words: str) -> str:
    """A pattern for ``words`` in lower, title or upper case, which is searched four times as fast as a caseless one."""
    return "|".join(spelling for word in words for spelling in (word, word.title(), word.upper()))


_ANNOUNCING = re.compile(
    _any_case("passw", "passphrase", "secret", "token", "credential", "key", "pwd", "authorization", "bearer")
    + "|"
    + _any_case("_pass", "_pat", "_auth")
)
_NAME_REACH = 80
_LONG = 200
"""From here on, what was looked at and refused is not looked at again, or hostile text would take quadratic time."""

_BARE = r"[^\s\"'`\\,;&<>()\[\]{}]"
_VALUE = (
    r"(?:[brfu]?\\?[\"'`](?P<quoted>))?"
    rf"(?P<secret>(?(quoted)[^\s\"'`\\]{{8,}}+(?=\\?[\"'`])|{_BARE}{{8,}}+(?:&(?![\w.-]{{1,40}}=){_BARE}*+)*+(?![(\[])))"
)
_REST_OF_NAME = r"[\w.-]{0,40}+[\"'`\])\\]{0,4}+"
_ANNOTATION = r"(?:[ \t]*:[ \t]*[A-Za-z][\w.\[\]| ]{0,60}(?==))?"
_PAIR = re.compile(rf"{_REST_OF_NAME}(?:{_ANNOTATION}[ \t]{{0,8}}(?P<separator>[=:>][=>]?)\s{{0,8}}){_VALUE}")
# <add key="NAME" value="…"/>, {"name": "NAME", "value": "…"}, - name: NAME⏎  value: …
_APART = re.compile(rf"[\w.-]{{0,40}}+(?P<apart>\\?[\"']?,?\s{{1,20}}\\?[\"']?)value\\?[\"']?\s?[=:]\s?{_VALUE}")
_ARGUMENT = re.compile(r"[a-z-]{0,40}+ {1,4}[\"'`]?(?P<secret>[^\s\"'`\\]{8,})")
_SAID = re.compile(
    r"s?(?P<said>(?: [A-Za-z-]{1,12}(?![\w.])){0,3}[:,]?) [\"'`(<]{0,2}(?P<secret>[\w.~+/=:-]{12,}+)(?![(\[])"
)
_PLAINLY = re.compile(r"(?:(?: is| was| to| with| value| be)?[:,]?)")
_AUTHORIZATION = re.compile(
    r"\\?[\"'`]?\s{0,4}[:=,]\s{0,4}\\?[\"'`]?(?P<scheme>[A-Za-z][A-Za-z0-9-]{0,20} {1,4})?"
    r"(?P<secret>[\w.~+/=@-]{8,}+)(?!\()"
)
_BEARER = re.compile(r"[ \t]{1,4}(?P<secret>[\w.~+/=-]{12,})")

_NOT_NAME = re.compile(r"[^\w.-]+")
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w.$]*(?:=[\w.$]*)*")
_OPTION = re.compile(r"(?<![\w-])--[a-z-]{0,40}$")
_HEADER_OPTION = re.compile(r"(?:-H|--header)[ =]{0,2}\\?[\"']?[\w-]{0,40}$")
_IS_CREDENTIAL = re.compile(r"[0-9]|=$")
_CAMEL = re.compile(r"[a-z][A-Z]")
_PHRASE = re.compile(r"(?i:(?:access|admin|api|auth|bot|client|encryption|license|master|private|secret|signing) ?)$")


def find_pairs(text: str) -> Iterator[Span]:
    """The secrets in ``text`` whose names, or the words before them, say that they are secrets."""
    passed = 0
    for announced in _ANNOUNCING.finditer(text):
        if announced.start() < passed:
            continue
        for span, looked_at in _announced(text, announced):
            if span:
                yield span
                passed = span.end
                break
            if looked_at.end() - looked_at.start() > _LONG:
                passed = looked_at.end()


def _announced(text: str, word: re.Match[str]) -> Iterator[tuple[Span | None, re.Match[str]]]:
    """What may be announced by ``word``, likeliest first: a secret or ``None``, and what was looked at."""
    start, end = word.span()
    if word[0].lower() == "authorization":
        if match := _AUTHORIZATION.match(text, end):
            yield _span_if(_is_header_value(match), match, "authorization")
        return
    if word[0].lower() == "bearer":
        if match := _BEARER.match(text, end):
            yield _span_if(_is_random(match["secret"]), match, "bearer")
        return
    before = text[max(0, start - _NAME_REACH) : start]
    name = _NOT_NAME.split(before)[-1] + word[0] + _NOT_NAME.split(text[end : end + _NAME_REACH], maxsplit=1)[0]
    if match := _PAIR.match(text, end):
        yield _span_if(_is_member(match, name, before), match)
    if match := _APART.match(text, end):
        yield _span_if(_is_secret_named(name, match["secret"], is_code=False), match)
    if (match := _ARGUMENT.match(text, end)) and _OPTION.search(before):
        yield _span_if(_is_secret_named(name, match["secret"], is_code=False), match)
    elif match := _SAID.match(text, end):
        yield _span_if(_is_said(match, word, before), match)


def _span_if(is_secret: bool, match: re.Match[str], kind: str = "secret") -> tuple[Span | None, re.Match[str]]:  # noqa: FBT001 -- private, and reads as a sentence
    return (Span(*match.span("secret"), kind) if is_secret else None), match


def _is_header_value(match: re.Match[str]) -> bool:
    value = match["secret"]
    if is_placeholder(value):
        return False
    return bool(_IS_CREDENTIAL.search(value) or (match["scheme"] and _CAMEL.search(value)))


def _is_random(value: str) -> bool:
    return not is_placeholder(value) and looks_random(value)


def _is_member(match: re.Match[str], name: str, before: str) -> bool:
    value = match["secret"]
    following = match.string[match.end("secret") : match.end("secret") + 2]
    is_element = match["separator"][0] == ">"
    if is_element and following != "</":
        return False
    is_quoted = match["quoted"] is not None
    is_code = not (is_quoted or is_element or _is_configuration(match, name, following))
    if _HEADER_OPTION.search(before) and _IS_CREDENTIAL.search(value) and not is_placeholder(value):
        return True
    return _is_secret_named(name, value, is_code=is_code and _IDENTIFIER.fullmatch(value) is not None)


def _is_configuration(match: re.Match[str], name: str, following: str) -> bool:
    """Whether a bare value stands where no program has a variable: ``NAME=value``, a query, a line of YAML."""
    return name.isupper() or following[:1] == "&" or (match["separator"] == ":" and following[:1] in "\r\n")


def _is_secret_named(name: str, value: str, *, is_code: bool) -> bool:
    """Whether ``value`` is a secret, given its name.

    Tokens are generated, so they must look random; passwords are made up, so they need no more than variety.
    What could be a name in a program must look more random than what could not, and so must what has the name of a
    key that may be any: of a cache, of a row, of a map.
    """
    if is_placeholder(value) or is_path(value) or MARKER.search(value) or (is_code and "=" in value.rstrip("=")):
        return False
    if not is_secret_name(name):
        return is_key_name(name) and not (is_code or may_be_checksum(value)) and looks_random(value, strictly=True)
    if looks_random(value, strictly=is_code) or (not is_code and is_unbroken(value)):
        return True
    return "pass" in name.lower() and not is_code and is_varied(value)


def _is_said(match: re.Match[str], word: re.Match[str], before: str) -> bool:
    """Whether prose names a secret: "the token is …", "use the API key …"."""
    value, is_plain = match["secret"], _PLAINLY.fullmatch(match["said"]) is not None
    if word[0][0] == "_" or is_placeholder(value) or is_path(value):
        return False
    if not (looks_random(value, strictly=True) or (is_plain and match["said"][:1] == " " and is_unbroken(value))):
        return False
    if word[0].lower() == "key" and not _PHRASE.search(before):
        return is_plain and not (before[-1:].isalnum() or may_be_checksum(value))
    return is_plain or not may_be_checksum(value)
