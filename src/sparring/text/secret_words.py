"""Find the secrets that words around them give away.

Their provider's name (``secret_keywords.toml``); what announces them: ``NAME=value``, ``"name": "value"``, headers,
arguments, prose; and key blocks, addresses with passwords, ``curl -u``, ``sshpass -p``, Docker's logins, Kubernetes
secrets. The text is searched for the words, not for the separators: a text has twenty times fewer of them.
"""

import binascii
import re
import tomllib
from collections.abc import Callable, Iterator
from functools import cache, partial
from importlib import resources

from sparring.text import secret_shapes

_REACH = 64
"""Characters that may separate a value from the name of its provider."""

_SHORTEST, _LONGEST = 14, 160
_DIGIT = re.compile(r"[0-9]")
_INNER = re.compile(r"[=:]")
_TELLS_OF_SECRET = re.compile(r"[=:>|,]|access|auth|credential|id\b|key|login|pass|secret|token")
_TELLS_OF_OTHER = re.compile(
    r"build|checksum|commit|correlation|digest|etag|fingerprint|hash|image|integrity|md5|release|request|rev\b|revision"
    r"|session|sha|span|trace|version|[\[\]{}]\s*[\[{]"
)
_FOLLOWS = re.compile(r"[\"'`)]{0,3} (?:is|was|as|for|belongs to) ([^\n.;]{3,50})")


def find_keywords(text: str, runs: list[re.Match[str]]) -> Iterator[secret_shapes.SecretSpan]:
    """Yield the secrets in ``text`` near their provider's name; ``runs`` are all matches of ``RUN`` in it."""
    keywords = tuple(_shapes())
    for run in runs:
        start, end = run.span()
        if end - start < _SHORTEST or not _DIGIT.search(text, start, end):
            continue
        # The name may be a part of the run itself: NAME=value
        before = text[max(0, start - _REACH) : min(end, start + _LONGEST)].lower()
        named = [keyword for keyword in keywords if keyword in before]
        if named and (span := _secret_in(text, run, named)):
            yield span
        elif following := _FOLLOWS.match(text, end):
            context = following[1].lower()
            named = [keyword for keyword in keywords if keyword in context]
            if named and (span := _secret_before(text, run, context, named)):
                yield span


def _secret_in(text: str, run: re.Match[str], named: list[str]) -> secret_shapes.SecretSpan | None:
    """Return the secret in ``run`` that one of the keywords ``named`` announces: "stripe key: …"."""
    start, end = run.span()
    after_separators = [separator.end() for separator in _INNER.finditer(text, start, min(end, start + _LONGEST))]
    for position in (_beginning(text, start), start, *after_separators):
        reach = text[max(0, position - _REACH) : position]
        before = reach.lower()
        for keyword in named:
            earlier, name, between = before.rpartition(keyword)
            if not (name and _begins_word(reach, len(earlier)) and _TELLS_OF_SECRET.search(between)):
                continue
            match = _compiled(keyword).match(text, position)
            if match and not (secret_shapes.may_be_checksum(match[0]) and _TELLS_OF_OTHER.search(between)):
                return secret_shapes.SecretSpan(*match.span(), _kind(keyword))
    return None


def _begins_word(text: str, at: int) -> bool:
    """Return whether no word runs into the letter there: ``cameraKit`` has nothing to do with Meraki."""
    return not text[max(0, at - 1) : at].isalpha() or (text[at : at + 1].isupper() and text[at - 1].islower())


def _secret_before(text: str, run: re.Match[str], context: str, named: list[str]) -> secret_shapes.SecretSpan | None:
    """Return ``run`` if one of the keywords ``named``, after it, makes it a secret: "… is the key for stripe"."""
    if not _TELLS_OF_SECRET.search(context) or _TELLS_OF_OTHER.search(context):
        return None
    for keyword in named:
        if match := _compiled(keyword).fullmatch(text, _beginning(text, run.start()), run.end()):
            return secret_shapes.SecretSpan(*match.span(), _kind(keyword))
    return None


def _beginning(text: str, start: int) -> int:
    """Return the beginning of the value whose first letter or digit is at ``start``."""
    first = start
    while start - first < 4 and first and text[first - 1] in "+-/=":
        first -= 1
    return first


def _kind(keyword: str) -> str:
    return re.sub("[ _]", "-", keyword)


@cache
def _compiled(keyword: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{'|'.join(_shapes()[keyword])})(?![\w/+=-])", re.ASCII | re.IGNORECASE)


@cache
def _shapes() -> dict[str, list[str]]:
    return tomllib.loads(resources.files("sparring.text").joinpath("secret_keywords.toml").read_text(encoding="utf-8"))


def _any_case(*words: str) -> str:
    """Return a pattern for ``words`` in lower, title or upper case: four times as fast as a caseless one."""
    return "|".join(spelling for word in words for spelling in (word, word.title(), word.upper()))


_WORDS = ("passw", "passphrase", "secret", "token", "credential", "key", "pwd", "authorization", "bearer")
_ENDS_OF_NAMES = ("_pass", "_pat", "_auth")
_ANNOUNCING = re.compile(_any_case(*_WORDS) + "|" + _any_case(*_ENDS_OF_NAMES))
_ANNOUNCERS = (*_WORDS, *_ENDS_OF_NAMES)
_NAME_REACH = 80
_LONG = 200
"""Length from which on refused text is not examined again, or hostile text would take quadratic time."""

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
_SENTENCE = re.compile(
    r"s?(?P<said>(?: [A-Za-z-]{1,12}(?![\w.])){0,3}[:,]?) [\"'`(<]{0,2}(?P<secret>[\w.~+/=:-]{12,}+)(?![(\[])"
)
_PASSWORD_IN_PROSE = re.compile(
    r"(?:(?:or)?d)? (?:is|was):? (?P<quoted>[\"'`])?(?P<secret>[^\s\"'`<>()\[\]{},;]{5,63}[^\s\"'`<>()\[\]{},;.:!?])"
    r"(?(quoted)(?P=quoted))"
)
_PASSWORD_NAME = re.compile(r"(?i:(?:^|.*[_.-])passw(?:or)?d)|.*[a-z]Password")
_WORD = re.compile(r"[A-Za-z]{8,}")
_NAMES_ITSELF = re.compile("(?i:passw)")
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


def find_pairs(text: str) -> Iterator[secret_shapes.SecretSpan]:
    """Yield the secrets in ``text`` that their names, or the words before them, announce."""
    lowered = text.lower()
    if not any(word in lowered for word in _ANNOUNCERS):
        return  # which is ten times as fast to find out
    done = 0  # words before this place are in a secret, or in a long text that was refused
    for word in _ANNOUNCING.finditer(text):
        if word.start() < done:
            continue
        for span, examined in _find_announced(text, word):
            if span:
                yield span
                done = span.end
                break
            if examined.end() - examined.start() > _LONG:
                done = examined.end()


def _find_announced(text: str, word: re.Match[str]) -> Iterator[tuple[secret_shapes.SecretSpan | None, re.Match[str]]]:
    """Yield candidates that ``word`` announces, likeliest first: a secret or ``None``, and the match."""
    start, end = word.span()
    lowered = word[0].lower()
    if lowered == "authorization":
        if match := _AUTHORIZATION.match(text, end):
            yield _span_if(_is_header_value(match), match, "authorization")
        return
    if lowered == "bearer":
        if match := _BEARER.match(text, end):
            value = match["secret"]
            is_secret = not secret_shapes.is_placeholder(value) and secret_shapes.looks_random(value)
            yield _span_if(is_secret, match, "bearer")
        return
    before, after = text[max(0, start - _NAME_REACH) : start], text[end : end + _NAME_REACH]
    name = _NOT_NAME.split(before)[-1] + word[0] + _NOT_NAME.split(after, maxsplit=1)[0]
    if lowered in {"passw", "passphrase"} and (match := _PASSWORD_IN_PROSE.match(text, end)):
        yield _span_if(_is_password_in_prose(match), match)
    if match := _PAIR.match(text, end):
        yield _span_if(_is_member(match, name, before), match)
    if match := _APART.match(text, end):
        yield _span_if(_is_secret_named(name, match["secret"], is_code=False), match)
    if (match := _ARGUMENT.match(text, end)) and _OPTION.search(before):
        yield _span_if(_is_secret_named(name, match["secret"], is_code=False), match)
    elif match := _SENTENCE.match(text, end):
        yield _span_if(_is_in_prose(match, word, before), match)


def _span_if(
    is_secret: bool,  # noqa: FBT001 -- private, and reads as a sentence
    match: re.Match[str],
    kind: str = "secret",
) -> tuple[secret_shapes.SecretSpan | None, re.Match[str]]:
    return (secret_shapes.SecretSpan(*match.span("secret"), kind) if is_secret else None), match


def _is_header_value(match: re.Match[str]) -> bool:
    value = match["secret"]
    if secret_shapes.is_placeholder(value):
        return False
    return bool(_IS_CREDENTIAL.search(value) or (match["scheme"] and _CAMEL.search(value)))


def _is_member(match: re.Match[str], name: str, before: str) -> bool:
    """Return whether a member such as ``NAME=value`` or ``<name>value</name>`` has a secret."""
    value = match["secret"]
    following = match.string[match.end("secret") : match.end("secret") + 2]
    is_element = match["separator"][0] == ">"
    if is_element and following != "</":
        return False
    is_quoted = match["quoted"] is not None
    if is_quoted and _PASSWORD_NAME.fullmatch(name) and _WORD.fullmatch(value):
        # A single word can be a password, but is more often what a form, a message or a sample calls one.
        is_harmless = secret_shapes.is_sample_password(value) or secret_shapes.is_placeholder(value)
        return not is_harmless and not _NAMES_ITSELF.search(value)
    if _HEADER_OPTION.search(before) and _IS_CREDENTIAL.search(value) and not secret_shapes.is_placeholder(value):
        return True
    may_be_code = not (is_quoted or is_element or _is_configuration(match, name, following))
    return _is_secret_named(name, value, is_code=may_be_code and _IDENTIFIER.fullmatch(value) is not None)


def _is_configuration(match: re.Match[str], name: str, following: str) -> bool:
    """Return whether a bare value stands where no program has a variable: ``NAME=value``, a query, a line of YAML."""
    return name.isupper() or following[:1] == "&" or (match["separator"] == ":" and following[:1] in "\r\n")


def _is_secret_named(name: str, value: str, *, is_code: bool) -> bool:
    """Return whether ``value`` is a secret, given its name.

    Tokens are generated, so they must look random; passwords are invented, so they only need variety.
    A possible name in a program must look more random than other text, and so must the value of a
    generic key: of a cache, of a row, of a map.
    """
    is_assignment = is_code and "=" in value.rstrip("=")
    is_harmless = is_assignment or secret_shapes.is_placeholder(value) or secret_shapes.is_path(value)
    if is_harmless or secret_shapes.MARKER.search(value):
        return False
    if not secret_shapes.is_secret_name(name):
        if is_code or not secret_shapes.is_key_name(name) or secret_shapes.may_be_checksum(value):
            return False
        return secret_shapes.looks_random(value, strictly=True)
    if secret_shapes.looks_random(value, strictly=is_code):
        return True
    if is_code:
        return False
    return secret_shapes.is_unbroken(value) or ("pass" in name.lower() and secret_shapes.is_varied(value))


def _is_password_in_prose(match: re.Match[str]) -> bool:
    """Return whether prose states a password: quoted, or mixed as passwords are and the names of algorithms are not."""
    value = match["secret"]
    if secret_shapes.is_placeholder(value) or secret_shapes.is_sample_password(value):
        return False
    if secret_shapes.is_path(value) or secret_shapes.MARKER.search(value):
        return False
    if match["quoted"] is not None:
        return True
    return len(value) >= 8 and "-" not in value and secret_shapes.is_varied(value)


def _is_in_prose(match: re.Match[str], word: re.Match[str], before: str) -> bool:
    """Return whether prose names a secret: "the token is …", "use the API key …"."""
    value, between = match["secret"], match["said"]
    is_plain = _PLAINLY.fullmatch(between) is not None
    if word[0][0] == "_" or secret_shapes.is_placeholder(value) or secret_shapes.is_path(value):
        return False
    is_unbroken = is_plain and between[:1] == " " and secret_shapes.is_unbroken(value)
    if not is_unbroken and not secret_shapes.looks_random(value, strictly=True):
        return False
    if word[0].lower() == "key" and not _PHRASE.search(before):
        # "key" alone has many meanings: "the cache key …", "monkey …".
        return is_plain and not (before[-1:].isalnum() or secret_shapes.may_be_checksum(value))
    return is_plain or not secret_shapes.may_be_checksum(value)


_KEY_BREAK = r"(?>[\s\"'`\\,;:>|#*/+=-]|[nr](?=\\)|(?<=\\)[nr]|\b[0-9]{1,6}\b){1,40}"
"""Between two lines of a key: what quotes them, marks them in a diff, or numbers them."""

_PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z0-9 _-]{0,100}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:(?:[^-]++|-(?!----))*+-{5,6}END [A-Z0-9 _-]{0,100}-----"  # complete, with any marker before its lines ...
    rf"|(?:{_KEY_BREAK}(?:[A-Z][A-Za-z-]{{2,20}}: [^\n\\]{{0,100}}|[A-Za-z0-9+/]{{16,}}))++)"  # ... or cut off
)
_KEY_END = re.compile(r"-----END [A-Z0-9 _-]{0,100}PRIVATE KEY(?: BLOCK)?-----")
_KEY_BACKWARDS = re.compile(
    rf"(?:{_KEY_BREAK}[A-Za-z0-9+/]{{1,15}}(?![A-Za-z0-9+/]))?+"
    rf"(?:{_KEY_BREAK}(?>[A-Za-z0-9+/]{{16,}}))+(?![\w.~])"
)
_PUTTY_KEY = re.compile(
    rf"Private-Lines:(?:{_KEY_BREAK}[A-Za-z0-9+/]{{16,}}={{0,2}})++"
    rf"(?:{_KEY_BREAK}[A-Za-z0-9+/]{{1,15}}(?![\w+/-])={{0,2}})?+"
)
_WEB_KEY = re.compile(r"\{(?=[^{}]{0,8192}\"kty\\{0,2}\")(?P<rows>[^{}]{0,8192})\}")
_WEB_KEY_ROW = re.compile(r"\"(?:d|k|p|q|dp|dq|qi)\\{0,2}\"\s{0,5}:\s{0,5}\\{0,2}\"(?P<secret>[\w-]{16,}=*)")
"""RFC 7518 §6: the members of a JSON Web Key that are private."""

_KEY_REACH = 1 << 14
_KEY_MATERIAL = re.compile(r"[A-Za-z0-9+/]{16}")
_URL = re.compile(r"://(?P<secret>[^\s/?#@:\"'`<>]{0,200}:(?P<password>[^\s/?#\"'`<>]{1,200}))@(?=[\w\[])")
_COOKIES = re.compile(
    r"(?:[Cc]ookie|COOKIE)[sS]?2?[\"'`]?(?:\s{0,2}[:=,]\s{0,2}|\s)[\"'`]?(?P<rows>[\w.-]{1,64}=[^\n\"'`]{8,8192})"
)
_COOKIE = re.compile(r"(?:^|[;\s])(?P<name>[\w.-]{1,64})=(?P<secret>[^;,\s]{8,4096})")
_SESSION = re.compile(r"(?i:sess|sid$|auth|token|jwt|remember|log-?in|ticket|identity)|[Ss]id\b")
_CURL_USER = re.compile(
    r"curl\b(?:[^\n]|\\\n){0,300}?[ \t](?:-u|--user)(?:=|[ \t]{0,5})[\"']?"
    r"(?P<secret>[^\s\"':]{0,80}:(?P<password>[^\s\"']{3,200}))"
)
_ONE_LETTER = re.compile(
    r"(?:sshpass\b[^\n]{0,80}?[ \t]-p[ \t]{0,5}"
    r"|\b(?:mysql|mariadb)(?:-?[a-z]{3,8})?[ \t](?:[^\n]{0,200}?[ \t])??-p(?=[^\s]{0,200}[^a-z\s]))[\"']?"
    r"(?P<secret>(?P<password>[^\s\"'-][^\s\"']{2,200}))"
)
"""Programs that take a password by one letter; ``mysql`` without a space, like any option that is a word."""

_NETRC = re.compile(
    r"(?:\bmachine[ \t]{1,8}[^\s]{1,200}|\bdefault)\s{1,8}(?:(?:login|account)[ \t]{1,8}[^\s]{1,200}\s{1,8}){0,2}"
    r"password[ \t]{1,8}[\"']?(?P<secret>(?P<password>[^\s\"']{3,200}))"
)
"""An entry of ``.netrc``, in one line or several."""

_LOGIN = re.compile(
    r"(?:\"auth\\{0,2}\"\s{0,5}:\s{0,5}\\{0,2}\"|\b_auth\s{0,5}=\s{0,5}\"?)(?P<secret>[A-Za-z0-9+/]{8,2000}={0,2})"
)
"""Pattern of the login in Docker's ``config.json`` and npm's ``.npmrc``: name and password in base64."""

_MANIFEST = re.compile(r"kind[\"']?:[ \t]*[\"']?Secret\b")
_MANIFEST_REACH = 20_000
_NEXT_DOCUMENT = re.compile(r"\n(?=---|\{)")
"""Between two documents: a line of dashes, or the brace that opens one of JSON."""
_DATA = re.compile(
    r"^(?P<indent> {0,8})(?:data|stringData):[ \t]*\n(?P<rows>(?:(?P=indent)[ \t]+[^\n]*(?:\n|$))+)", re.M
)
_DATA_ROW = re.compile(r"^[ \t]+[\"']?[\w.-]+[\"']?:[ \t]+[\"']?(?P<secret>[^\s\"'|>{][^\s\"']{3,})", re.M)
_JSON_DATA = re.compile(r"\"(?:data|stringData)\":\s*\{(?P<rows>(?:[^{}]|\{[^{}]*\})*+)\}")
_JSON_DATA_BEGINS = re.compile(r"\"(?:data|stringData)\":\s*\{")
_OPENED = re.compile(r"\{[^{}]{0,8192}\Z")
_JSON_ROW = re.compile(r"\"[\w.-]+\":\s*\"(?P<secret>[^\"\s]{4,})\"")


def may_hold_blocks(text: str) -> bool:
    """Return whether ``find_blocks`` would examine ``text`` more closely."""
    return any(sign in text for signs, _ in _FINDERS for sign in signs)


def find_blocks(text: str) -> Iterator[secret_shapes.SecretSpan]:
    """Yield the secrets in ``text`` that their surroundings give away."""
    for signs, find in _FINDERS:
        if any(sign in text for sign in signs):
            yield from find(text)


def unfinished_block(text: str) -> int:
    """Return the possible start of a block that only the text after ``text`` identifies; its length without one."""
    starts = [len(text)]
    if key := _KEY_BACKWARDS.match(text[-_KEY_REACH:][::-1]):
        starts.append(len(text) - key.end())
    opened = _OPENED.search(text, max(0, len(text) - _KEY_REACH))
    if opened and (row := _WEB_KEY_ROW.search(opened[0])):
        starts.append(opened.start() + row.start())

    # The data of a Kubernetes secret may come before the line that identifies it as one.
    document_start = max(0, len(text) - _MANIFEST_REACH)
    for document in _NEXT_DOCUMENT.finditer(text, document_start):
        document_start = document.start()
    json_data = [match.start() for match in _JSON_DATA_BEGINS.finditer(text, document_start)]
    if _MANIFEST.search(text, document_start):  # complete data of a known secret was searched already
        starts += [start for start in json_data if not _JSON_DATA.match(text, start)]
    else:
        starts += json_data
        if data := _DATA.search(text, document_start):
            starts.append(data.start())
    return min(starts)


def open_manifest(text: str) -> int | None:
    """Return where the document of a Kubernetes secret begins that ``text`` ends in; None where it ends in none."""
    first = max(0, len(text) - _MANIFEST_REACH)
    kinds = list(_MANIFEST.finditer(text, first))
    if not kinds or _NEXT_DOCUMENT.search(text, kinds[-1].end()):
        return None
    return kinds[0].start()


def _keys(text: str) -> Iterator[secret_shapes.SecretSpan]:
    """Yield private keys, also those of which the end or the beginning is missing."""
    for match in _PRIVATE_KEY.finditer(text):
        if _KEY_MATERIAL.search(match[0]):
            yield secret_shapes.SecretSpan(match.start(), match.end(), "private-key")
    passed = 0
    for end in _KEY_END.finditer(text):
        before = text[max(passed, end.start() - _KEY_REACH) : end.start()]
        if key := _KEY_BACKWARDS.match(before[::-1]):
            yield secret_shapes.SecretSpan(end.start() - key.end(), end.end(), "private-key")
        passed = end.end()


def _putty_keys(text: str) -> Iterator[secret_shapes.SecretSpan]:
    for key in _PUTTY_KEY.finditer(text):
        yield secret_shapes.SecretSpan(*key.span(), "private-key")


def _web_keys(text: str) -> Iterator[secret_shapes.SecretSpan]:
    for key in _WEB_KEY.finditer(text):
        for row in _WEB_KEY_ROW.finditer(text, *key.span("rows")):
            yield secret_shapes.SecretSpan(*row.span("secret"), "private-key")


def _logins(text: str) -> Iterator[secret_shapes.SecretSpan]:
    for match in _LOGIN.finditer(text):
        try:
            name, colon, password = binascii.a2b_base64(match["secret"]).decode().partition(":")
        except ValueError:
            continue
        if colon and password and f"{name}{password}".isprintable():
            yield secret_shapes.SecretSpan(*match.span("secret"), "login")


def _with_password(pattern: re.Pattern[str], kind: str, text: str) -> Iterator[secret_shapes.SecretSpan]:
    for match in pattern.finditer(text):
        password = match["password"]
        if not secret_shapes.is_placeholder(password) and not secret_shapes.is_sample_password(password):
            yield secret_shapes.SecretSpan(*match.span("secret"), kind)


def _cookies(text: str) -> Iterator[secret_shapes.SecretSpan]:
    """Yield session cookies: a request with one acts for the logged-in user."""
    for cookies in _COOKIES.finditer(text):
        rows_start = cookies.start("rows")
        for cookie in _COOKIE.finditer(cookies["rows"]):
            value = cookie["secret"]
            if not _SESSION.search(cookie["name"]) or secret_shapes.is_placeholder(value):
                continue
            if secret_shapes.is_varied(value) or secret_shapes.is_unbroken(value):
                start, end = cookie.span("secret")
                yield secret_shapes.SecretSpan(rows_start + start, rows_start + end, "cookie")


def _manifests(text: str) -> Iterator[secret_shapes.SecretSpan]:
    reached = 0
    for kind in _MANIFEST.finditer(text):
        if kind.start() < reached:
            continue
        first, last = max(reached, kind.start() - _MANIFEST_REACH), kind.end() + _MANIFEST_REACH
        start = max([first, *(match.start() for match in _NEXT_DOCUMENT.finditer(text, first, kind.start()))])
        after = _NEXT_DOCUMENT.search(text, kind.end(), last)
        reached = after.start() if after else last
        for data, row in ((_DATA, _DATA_ROW), (_JSON_DATA, _JSON_ROW)):
            for block in data.finditer(text, start, reached):
                for match in row.finditer(text, *block.span("rows")):
                    if not secret_shapes.is_placeholder(match["secret"]):
                        yield secret_shapes.SecretSpan(*match.span("secret"), "kubernetes-secret")


_FINDERS: tuple[tuple[tuple[str, ...], Callable[[str], Iterator[secret_shapes.SecretSpan]]], ...] = (
    (("PRIVATE KEY",), _keys),
    (("Private-Lines",), _putty_keys),
    (('"kty',), _web_keys),
    (("://",), partial(_with_password, _URL, "url-credentials")),
    (("ookie", "COOKIE"), _cookies),
    (("curl",), partial(_with_password, _CURL_USER, "curl-user")),
    (("sshpass", "mysql", "mariadb"), partial(_with_password, _ONE_LETTER, "password")),
    (("machine", "default"), partial(_with_password, _NETRC, "password")),
    (('"auth', "_auth"), _logins),
    (("Secret",), _manifests),
)
"""Finders in order, with the strings that a text must contain; of two matches at one place the first counts."""
