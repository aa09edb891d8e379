"""The judgement whether a name belongs to a secret, and whether a value is one or only stands in for one."""

import re

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
    r"(?i:ids?|names?|url|uri|path|file|dir|type|count|size|limit|length|expir\w*|ttl|endpoint|sock|prefix)$"
)
_UNBROKEN = re.compile(r"(?=[0-9]*[A-Za-z])(?=[A-Za-z]*[0-9])[A-Za-z0-9]{14,}|[0-9]{15,}")
_CHECKSUM = re.compile(r"[0-9a-f-]+|[0-9A-F-]+")


def is_secret_name(name: str) -> bool:
    """Whether a variable of this name would hold a secret."""
    return _SECRET_NAME.search(name) is not None and _HARMLESS_ENDING.search(name) is None


def is_key_name(name: str) -> bool:
    """Whether a variable of this name may hold a secret, as it may hold the key of a cache, a row or a map."""
    return _KEY_NAME.search(name) is not None and "public" not in name.lower()


def is_path(value: str) -> bool:
    """Whether ``value`` is a file path; base64 may begin with a slash too, but then the rest looks random."""
    return _PATH.match(value) is not None and not any(looks_random(part) for part in re.split(r"[/\\]", value))


def is_placeholder(value: str) -> bool:
    """Whether ``value`` stands in for a secret: a template, a variable, an example."""
    return _PLACEHOLDER.search(value) is not None


def is_sample_password(value: str) -> bool:
    """Whether ``value`` is what people write who mean no particular password."""
    return _SAMPLE_PASSWORD.fullmatch(value) is not None


def may_be_checksum(value: str) -> bool:
    """Whether ``value`` is hexadecimal, or a UUID: a secret, a commit, a checksum or an id."""
    return _CHECKSUM.fullmatch(value) is not None


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


def is_unbroken(value: str) -> bool:
    """Whether ``value`` is one long word of letters and digits, or a long number, as names and amounts are not."""
    return _UNBROKEN.fullmatch(value) is not None


def is_varied(value: str) -> bool:
    """Whether ``value`` has what passwords are told to have: letters, and something that is none."""
    return re.search("[A-Za-z]", value) is not None and re.search("[0-9!@#$%^&*?+=~]", value) is not None
