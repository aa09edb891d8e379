"""Strategies for foreign text: in a format, mutilated, or hardly any."""

import json
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, cast

from hypothesis import strategies as st

from sparring.providers.api.calls import APIS
from support.desk import TOOLS

GOLDEN = Path(__file__).parents[1] / "golden"
CORPUS = Path(__file__).with_name("corpus")
LONGEST_SEED = 20_000

ANYWHERE = (
    *("\n", "\r\n", "\r", "\0", "\x85", "\u2028", "\ufeff", "\ud800", "\u202e", "\u0130", "\U0001f600"),
    *("\t", " ", '"', "'", "\\", "[" * 3000, '{"a":' * 3000, "(" * 500, "9" * 5000, "1e999", "-0", "NaN"),
    *("Infinity", "null", "\\ud800", "\\u0000"),
)
STRANGE: tuple[Any, ...] = (
    *(None, True, -1, 0, 2**63, 10**400, 1e308, float("nan"), "", "x", "\0", "\ud83d", "a" * 3000),
    *([], [[]], [None], {}, {"": {}}, [1] * 50, {"type": "result"}, "2026-13-45T99:99:99Z"),
)
"""Values of every type, to stand where another is expected."""


GOLDEN_SEEDS = {
    **{f"{program}-output": f"outputs/{program}/**/*.json" for program in TOOLS},
    **{f"{kind}-api": "api/streams/*.sse" for kind in APIS},
    "journal": "journal/**/*.jsonl",
    "record": "records/*.json",
    "reply": "replies/*.json",
}


def texts_for(parser: str, formats: str) -> st.SearchStrategy[bytes]:
    """Texts made of pieces of ``formats`` (``tokens.toml``), and what is left of the seeds of that parser."""
    made = st.lists(st.sampled_from((*_tokens(formats), *ANYWHERE)) | st.text(max_size=8), max_size=24).map("".join)
    texts = made.map(lambda text: text.encode("utf-8", "surrogatepass")) | st.binary(max_size=200)
    seeds = seeds_of(parser)
    return texts | _mutilated(seeds) | _altered(seeds) if seeds else texts


def _tokens(formats: str) -> Iterator[str]:
    table = tomllib.loads(Path(__file__).with_name("tokens.toml").read_text(encoding="utf-8"))
    return (token for each in formats.split() for token in table[each])


@cache
def seeds_of(parser: str) -> tuple[bytes, ...]:
    """Return well-formed input for the parser of that name, or input that broke it once: golden files and corpus."""
    files = sorted(GOLDEN.glob(GOLDEN_SEEDS[parser])) if parser in GOLDEN_SEEDS else []
    kept = sorted((CORPUS / parser).glob("*")) if (CORPUS / parser).is_dir() else []
    contents = (_said(file.read_bytes()) for file in (*files, *kept))
    return tuple(content for content in contents if 0 < len(content) <= LONGEST_SEED)


def _said(content: bytes) -> bytes:
    """Return a program's output, if ``content`` is a recording of it."""
    try:
        recording: Any = json.loads(content)
    except (ValueError, RecursionError):
        return content
    if isinstance(recording, dict) and isinstance(said := cast("dict[str, Any]", recording).get("stdout"), str):
        return said.encode("utf-8", "surrogatepass")
    return content


def _mutilated(seeds: Sequence[bytes]) -> st.SearchStrategy[bytes]:
    """A seed cut off, with a piece taken out, doubled, or replaced by bytes."""

    def cut(seed: bytes, at: float, length: float, between: bytes) -> bytes:
        start = int(at * len(seed))
        return seed[:start] + between + seed[start + int(length * 80) :]

    share, strange = st.floats(0, 1), [each.encode("utf-8", "surrogatepass") for each in ANYWHERE]
    return st.builds(cut, st.sampled_from(seeds), share, share, st.binary(max_size=6) | st.sampled_from(strange))


@st.composite
def _altered(draw: st.DrawFn, seeds: Sequence[bytes]) -> bytes:
    """A seed in which one value of its JSON, line by line or as a whole, is another one, missing, or twice there."""
    seed = draw(st.sampled_from(seeds)).decode("utf-8", "replace")
    begun, sign, _ = seed.partition("\n")
    lines = seed.split("\n") if sign and _json_in(begun) else [seed]
    at = draw(st.integers(0, len(lines) - 1))
    prefix, text = ("data: ", lines[at][6:]) if lines[at].startswith("data: ") else ("", lines[at])
    for document in _json_in(text):
        if places := list(_places(document)):
            holder, key = places[draw(st.integers(0, len(places) - 1))]
            if isinstance(holder, dict) and draw(st.booleans()):
                del holder[key]
            else:
                holder[key] = draw(st.sampled_from(STRANGE))
        lines[at] = prefix + json.dumps(document)
    return "\n".join(lines).encode("utf-8", "surrogatepass")


def _json_in(text: str) -> list[Any]:
    try:
        return [json.loads(text.removeprefix("data: "))]
    except (ValueError, RecursionError):
        return []


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    items: Iterable[tuple[Any, Any]] = ()
    if isinstance(value, dict):
        items = cast("dict[Any, Any]", value).items()
    elif isinstance(value, list):
        items = enumerate(cast("list[Any]", value))
    for key, inner in items:
        yield value, key
        yield from _places(inner)
