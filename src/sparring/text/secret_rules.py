"""What secrets look like, one row per kind, and the judgement whether a value is a secret or only stands in for one.

Rows are tried from top to bottom. To stay linear on hostile text, a pattern begins with its literal, looks back over
that literal for a boundary, and has no repetition that can start inside its own match and fail at the end.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Rule:
    """One kind of secret.

    Attributes:
        hints: At least one of these must occur, else the pattern is not tried; empty means always.
        pattern: What to find. With a group ``secret`` only that part goes and the rest stays readable.
        accepts: Whether a match is a secret and not a placeholder or code.
    """

    kind: str
    hints: tuple[str, ...]
    pattern: str
    accepts: Callable[[re.Match[str]], bool] = lambda _: True


def _token(kind: str, prefix: str, rest: str) -> Rule:
    """A token that its literal ``prefix`` gives away, wherever no word runs into it."""
    literal = re.escape(prefix)
    return Rule(kind, (prefix,), rf"{literal}(?<![A-Za-z0-9]{literal}){rest}")


_PLACEHOLDER = re.compile(
    r"""
      ^<.*>$ | ^\$\w+$ | \$[{(] | \{[^}]*\} | ^%\w+%$ | %[sdr(] | \.\.\. | …
    | [xX*•]{4} | ^(.)\1{3}
    | your | example | placeholder | change-?me | redacted | dummy
    | environ | getenv | (?: env | secrets | settings | config | self ) \.
    """,
    re.VERBOSE | re.IGNORECASE,
)
_SAMPLE_PASSWORD = re.compile(r"(?i:pass(?:word|wd|phrase)?|pw|pwd|secret|token|user(?:name)?)")
_IDENTIFIER = re.compile(r"[A-Za-z_][\w.]*")
_PATH = re.compile(r"(?:~|\.{0,2}|[A-Za-z]:)[/\\]")
_SEPARATORS = re.compile(r"[^A-Za-z0-9]+")
_SWITCH = re.compile(r"(?<=[a-z])[A-Z]|(?<=[0-9])[A-Za-z]|(?<=[A-Za-z])[0-9]")
_DIGITS = re.compile(r"[0-9]+")
_KEY_MATERIAL = re.compile(r"[A-Za-z0-9+/]{16}")
_SECRET_NAME = re.compile(
    r"(?i:passw(?:or)?d|passphrase|secret|token|credential"
    r"|(?:api|access|account|auth|client|encryption|master|private|service|shared|signing|storage|subscription)"
    r"[_-]?key)|_(?:AUTH|KEYS?|PASS|PAT|PWD|pwd)(?![A-Za-z])"
)
_HARMLESS_ENDING = re.compile(
    r"(?i:ids?|names?|url|uri|path|file|dir|type|count|size|limit|length|expir\w*|ttl|endpoint|sock|prefix)$"
)
_NAME_REACH = 80
"""How far before the separator a name is looked for."""

_NO_NAME = re.compile(r"[^\w.-]+")
_ANNOTATED_NAME = re.compile(r"([\w.-]+)[ \t]*:[ \t]*[A-Za-z][\w.\[\]| ]*$")


def is_secret_name(name: str) -> bool:
    """Whether a variable of this name would hold a secret."""
    return _SECRET_NAME.search(name) is not None and _HARMLESS_ENDING.search(name) is None


def is_path(value: str) -> bool:
    """Whether ``value`` is a file path; base64 may begin with a slash too, but then the rest looks random."""
    return _PATH.match(value) is not None and not any(looks_random(part) for part in re.split(r"[/\\]", value))


def looks_random(value: str, *, strictly: bool = False) -> bool:
    """Whether ``value`` mixes cases and digits as generated secrets do and names do not.

    Looked at without separators, it must change between cases and digits often (random hex or base64: at 0.3 to 0.5
    of its places) or hold digits in many places. Measured, this misses under 1 % of random hex and base64 of 24
    characters, 7 % of base32 of 32 (no lower case, few digits), and an eighth of anything of 12. Entropy was refused:
    at these lengths it does not tell the two apart.
    """
    letters_and_digits = _SEPARATORS.sub("", value)
    size, digit_groups = len(letters_and_digits), len(_DIGITS.findall(letters_and_digits))
    if size < (10 if digit_groups else 20):
        return False
    share = 0.24 if strictly or not digit_groups else 0.15
    return digit_groups >= (4 if strictly else 3) or len(_SWITCH.findall(letters_and_digits)) > size * share


def _is_key_block(match: re.Match[str]) -> bool:
    return _KEY_MATERIAL.search(match[0]) is not None


def _is_url_password(match: re.Match[str]) -> bool:
    password = match["secret"].partition(":")[2]
    return not _PLACEHOLDER.search(password) and not _SAMPLE_PASSWORD.fullmatch(password)


def _is_header_value(match: re.Match[str]) -> bool:
    value = match["secret"]
    return not _PLACEHOLDER.search(value) and re.search(r"[0-9]|[a-z][A-Z]|=$", value) is not None


def _is_random_value(match: re.Match[str]) -> bool:
    return not _PLACEHOLDER.search(match["secret"]) and looks_random(match["secret"])


def _is_secret_argument(match: re.Match[str]) -> bool:
    return _is_secret_named(match["name"], match["secret"], is_code=False)


def _is_secret_member(match: re.Match[str]) -> bool:
    name, value = _name_before(match), match["secret"]
    is_element = match[0][0] == ">"
    if is_element and not match.string.startswith("</", match.end()):
        return False
    is_quoted = match["quoted"] is not None
    is_code = not (is_quoted or is_element or _is_configuration(match, name)) and _IDENTIFIER.fullmatch(value)
    return _is_secret_named(name, value, is_code=bool(is_code))


def _is_configuration(match: re.Match[str], name: str) -> bool:
    """Whether a bare value stands where no program has a variable: ``NAME=value``, a query, a line of YAML."""
    following = match.string[match.end() : match.end() + 1]
    return name.isupper() or following == "&" or (match[0][0] == ":" and following in "\r\n")


def _name_before(separator: re.Match[str]) -> str:
    before = separator.string[max(0, separator.start() - _NAME_REACH) : separator.start()].rstrip(" \t:=\\\"'`])")
    if separator[0][0] == "=" and (annotated := _ANNOTATED_NAME.search(before)):
        return annotated[1]
    return _NO_NAME.split(before)[-1]


def _is_secret_named(name: str, value: str, *, is_code: bool) -> bool:
    """Whether ``value`` is a secret, given its name.

    Tokens are generated, so they must look random; passwords are made up, so they need no more than variety.
    What could be a name in a program must look more random than what could not.
    """
    if not is_secret_name(name) or _PLACEHOLDER.search(value) or is_path(value):
        return False
    if looks_random(value, strictly=is_code):
        return True
    return "pass" in name.lower() and not is_code and _is_varied(value)


def _is_varied(value: str) -> bool:
    return re.search("[A-Za-z]", value) is not None and re.search("[0-9!@#$%^&*?+=~]", value) is not None


_WORD = "[A-Za-z0-9_-]"
_BARE = r"[^\s\"'`\\,;&<>()\[\]{}]"

RULES: tuple[Rule, ...] = (
    Rule(
        "private-key",
        ("PRIVATE KEY",),
        r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:(?:[^-]++|-(?!----))*+-----END [A-Z0-9 ]{0,30}-----"  # complete, whatever quotes its lines ...
        r"|[A-Za-z0-9+/=\s\\]++)",  # ... or cut off: as far as it is base64
        _is_key_block,
    ),
    # Providers of models
    _token("anthropic", "sk-ant-", rf"{_WORD}{{20,}}"),
    _token("openai", "sk-", rf"(?=[A-Za-z_-]{{0,30}}[0-9]){_WORD}{{20,}}"),  # also OpenRouter, DeepSeek, LiteLLM
    _token("google", "AIza", rf"{_WORD}{{35,}}"),
    _token("google", "ya29.", rf"{_WORD}{{20,}}"),
    _token("google", "GOCSPX-", rf"{_WORD}{{20,}}"),
    _token("groq", "gsk_", "[A-Za-z0-9]{32,}"),
    _token("hugging-face", "hf_", "[A-Za-z0-9]{30,}"),
    _token("nvidia", "nvapi-", rf"{_WORD}{{40,}}"),
    _token("perplexity", "pplx-", "[A-Za-z0-9]{32,}"),
    _token("replicate", "r8_", "[A-Za-z0-9]{30,}"),
    _token("xai", "xai-", "[A-Za-z0-9]{32,}"),
    # Clouds
    _token("aws", "AKIA", "[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _token("aws", "ASIA", "[A-Z0-9]{16}(?![A-Za-z0-9])"),
    Rule("azure", ("Q~",), r"(?<![\w.~-])[\w.~-]{3}[0-9]Q~[\w.~-]{31,34}(?![\w~-])"),
    _token("databricks", "dapi", "[0-9a-f]{32}"),
    Rule("digitalocean", ("_v1_",), r"do(?<![A-Za-z0-9]do)[opr]_v1_[0-9a-f]{64}"),
    # Code hosts and package registries
    *(_token("github", f"gh{letter}_", "[A-Za-z0-9]{36,}") for letter in "pousr"),
    _token("github", "github_pat_", "[A-Za-z0-9_]{22,}"),
    *(_token("gitlab", prefix, rf"{_WORD}{{20,}}") for prefix in ("glpat-", "gldt-", "glrt-", "glptt-")),
    _token("npm", "npm_", "[A-Za-z0-9]{36,}"),
    _token("pypi", "pypi-", rf"{_WORD}{{50,}}"),
    # Other services
    _token("linear", "lin_api_", "[A-Za-z0-9]{32,}"),
    _token("notion", "ntn_", "[A-Za-z0-9]{40,}"),
    _token("sendgrid", "SG.", rf"{_WORD}{{16,}}\.{_WORD}{{16,}}"),
    _token("shopify", "shp", "(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    _token("slack", "xox", "[abeoprs]-[A-Za-z0-9-]{10,}"),
    _token("slack", "xapp-", "[A-Za-z0-9-]{30,}"),
    Rule("slack", ("hooks.slack.com/",), r"hooks\.slack\.com/services/(?P<secret>[A-Za-z0-9/]{20,})"),
    _token("square", "sq0atp-", rf"{_WORD}{{22,}}"),
    _token("square", "sq0csp-", rf"{_WORD}{{22,}}"),
    _token("square", "EAAA", rf"{_WORD}{{60}}(?![A-Za-z0-9_+/=-])"),
    Rule("stripe", ("k_live_", "k_test_"), "[rs]k_(?<![A-Za-z0-9].k_)(?:live|test)_[A-Za-z0-9]{16,}"),
    _token("stripe", "whsec_", "[A-Za-z0-9+/=]{20,}"),
    Rule("telegram", (":AA",), rf"(?<![0-9])[0-9]{{8,10}}:AA{_WORD}{{32,}}"),
    _token("twilio", "SK", "[0-9a-f]{32}(?![A-Za-z0-9])"),
    _token("vault", "hvs.", rf"{_WORD}{{20,}}"),
    # Shapes that belong to nobody
    Rule("jwt", ("eyJ",), rf"eyJ(?<!{_WORD}eyJ){_WORD}{{8,}}\.{_WORD}{{8,}}\.{_WORD}*(?:\.{_WORD}+){{0,2}}"),
    Rule(
        "url-credentials",
        ("://",),
        r"://(?P<secret>[^\s/?#@:\"'`<>]{0,200}:[^\s/?#\"'`<>]{1,200})@(?=[\w\[])",
        _is_url_password,
    ),
    Rule(
        "authorization",
        ("uthorization", "UTHORIZATION"),
        r"[Aa](?:uthorization|UTHORIZATION)\\?[\"'`]?\s{0,4}[:=,]\s{0,4}\\?[\"'`]?"
        r"(?:[A-Za-z][A-Za-z0-9-]{0,20} {1,4})?(?P<secret>[\w.~+/=-]{8,}+)(?!\()",
        _is_header_value,
    ),
    Rule("bearer", ("earer ", "EARER "), r"[Bb](?:earer|EARER) {1,4}(?P<secret>[\w.~+/=-]{12,})", _is_random_value),
    Rule(
        "secret",  # --api-key VALUE
        ("--",),
        r"--(?<![\w-]--)(?P<name>[a-z][a-z-]{1,40}) {1,4}[\"'`]?(?P<secret>[^\s\"'`\\]{8,})",
        _is_secret_argument,
    ),
    Rule(
        "secret",  # NAME=value, "name": "value", <name>value</name>; the name is sought backwards, which is much faster
        (),
        r"[=:>][=>]?\s{0,8}(?:[brfu]?\\?[\"'`](?P<quoted>))?"
        rf"(?P<secret>(?(quoted)[^\s\"'`\\]{{8,}}+(?=\\?[\"'`])|{_BARE}{{8,}}+(?:&(?![\w.-]{{1,40}}=){_BARE}*+)*+(?![(\[])))",
        _is_secret_member,
    ),
)
"""Every rule, specific before general: the first that fits names the kind."""
