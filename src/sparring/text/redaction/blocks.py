"""Find secrets by what stands around them: key blocks, addresses with passwords, ``curl -u``, Kubernetes secrets."""

import re
from collections.abc import Iterator

from sparring.text.redaction.judging import is_placeholder, is_sample_password
from sparring.text.redaction.spans import Span

_PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z0-9 _-]{0,100}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:(?:[^-]++|-(?!----))*+-----END [A-Z0-9 _-]{0,100}-----"  # complete, whatever quotes its lines ...
    r"|[A-Za-z0-9+/=\s\\]++)"  # ... or cut off: as far as it is base64
)
_KEY_MATERIAL = re.compile(r"[A-Za-z0-9+/]{16}")
_URL = re.compile(r"://(?P<secret>[^\s/?#@:\"'`<>]{0,200}:(?P<password>[^\s/?#\"'`<>]{1,200}))@(?=[\w\[])")
_CURL_USER = re.compile(
    r"curl\b(?:[^\n]|\\\n){0,300}?[ \t](?:-u|--user)(?:=|[ \t]{0,5})[\"']?"
    r"(?P<secret>[^\s\"':]{0,80}:(?P<password>[^\s\"']{3,200}))"
)
_MANIFEST = re.compile(r"kind[\"']?:[ \t]*[\"']?Secret\b")
_MANIFEST_REACH = 20_000
_DATA = re.compile(
    r"^(?P<indent> {0,8})(?:data|stringData):[ \t]*\n(?P<rows>(?:(?P=indent)[ \t]+[^\n]*(?:\n|$))+)", re.M
)
_DATA_ROW = re.compile(r"^[ \t]+[\"']?[\w.-]+[\"']?:[ \t]+[\"']?(?P<secret>[^\s\"'|>{][^\s\"']{3,})", re.M)
_JSON_DATA = re.compile(r"\"(?:data|stringData)\":\s*\{(?P<rows>(?:[^{}]|\{[^{}]*\})*+)\}")
_JSON_ROW = re.compile(r"\"[\w.-]+\":\s*\"(?P<secret>[^\"\s]{4,})\"")


def find_blocks(text: str) -> Iterator[Span]:
    """The secrets in ``text`` that their surroundings give away."""
    if "PRIVATE KEY" in text:
        for match in _PRIVATE_KEY.finditer(text):
            if _KEY_MATERIAL.search(match[0]):
                yield Span(match.start(), match.end(), "private-key")
    if "://" in text:
        yield from _with_password(text, _URL, "url-credentials")
    if "curl" in text:
        yield from _with_password(text, _CURL_USER, "curl-user")
    if "Secret" in text:
        yield from _manifests(text)


def _with_password(text: str, pattern: re.Pattern[str], kind: str) -> Iterator[Span]:
    for match in pattern.finditer(text):
        if not is_placeholder(match["password"]) and not is_sample_password(match["password"]):
            yield Span(*match.span("secret"), kind)


def _manifests(text: str) -> Iterator[Span]:
    reached = 0
    for kind in _MANIFEST.finditer(text):
        if kind.start() < reached:
            continue
        # A document reaches from one line of dashes to the next.
        first, last = max(reached, kind.start() - _MANIFEST_REACH), kind.end() + _MANIFEST_REACH
        start, end = text.rfind("\n---", first, kind.start()), text.find("\n---", kind.end(), last)
        start, reached = max(first, start), last if end < 0 else end
        for data, row in ((_DATA, _DATA_ROW), (_JSON_DATA, _JSON_ROW)):
            for block in data.finditer(text, start, reached):
                for match in row.finditer(text, *block.span("rows")):
                    if not is_placeholder(match["secret"]):
                        yield Span(*match.span("secret"), "kubernetes-secret")
