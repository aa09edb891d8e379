"""Generated rows for the bench of the claims check: denials, removed conditions, keys with values in every format."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from sparring.schema.claims import Label

_DATA = Path(__file__).resolve().parents[2] / "tests" / "data"


class Pair(Struct, frozen=True):
    """A claim, its evidence, the label that is right, and what kind of pair it is."""

    claim: str
    evidence: str
    label: Label
    kind: str


def _table(name: str) -> dict[str, Any]:
    return tomllib.loads((_DATA / name).read_text(encoding="utf-8"))


def denials() -> Iterator[Pair]:
    """Yield sentences that are affirmed and denied, both ways round, and numbers that differ, in many languages."""
    table = _table("claim_sentences.toml")
    for name, (affirmed, denied) in table["denials"].items():
        yield Pair(affirmed, denied, Label.REFUTED, f"denied {name}")
        yield Pair(denied, affirmed, Label.REFUTED, f"affirmed {name}")
    for name, (claim, evidence) in table["numbers"].items():
        yield Pair(claim, evidence, Label.REFUTED, f"number {name}")


def framed() -> Iterator[Pair]:
    """Yield sentences in frames that do not assert them."""
    table = _table("claim_sentences.toml")["frames"]
    for sentence in table["sentences"]:
        for frame in table["frames"]:
            lower = sentence[0].lower() + sentence[1:]
            yield Pair(sentence, frame.format(lower, sentence, sentence.rstrip(".")), Label.NEI, frame)


def keyed() -> Iterator[Pair]:
    """Yield claims about keys and values in every format that is parsed."""
    for name, each in _table("claim_keys.toml").items():
        for key, label in (("supported", Label.SUPPORTED), ("refuted", Label.REFUTED), ("open", Label.NEI)):
            yield from (Pair(claim, each["text"], label, name) for claim in each.get(key, ()))
    for claim, text, label in next(iter(_table("texts/claims-keys.toml").values())):
        yield Pair(claim, text, Label(label), "short")


# -- conditions and hedges, taken off real sentences

_FRONT = re.compile(
    r"(?P<word>When|Whenever|Once|While|Until|Unless|If|As long as|As soon as|Before|After|In case|Provided that"
    r"|Depending on|In cluster mode|On Windows|On Linux|With|Without|For|During|Where|Except for|By default"
    r"|In some cases|Under certain conditions|Currently|For now|In the future)\b"
    r"[^,.;:]{3,120}, (?P<rest>[a-z`].{15,300}\.)"
)
_BACK = re.compile(
    r"(?P<rest>[A-Z`].{15,250}?) (?P<word>when|whenever|once|while|until|unless|if|as long as|as soon as|only if"
    r"|only when|except|provided that|depending on|before|after|in case|for now|on Windows|where possible)\b"
    r"[^.;:]{3,120}\."
)
_HEDGE = re.compile(
    r"\b(?P<word>usually|often|typically|generally|normally|sometimes|nearly|almost|probably|likely|possibly|rarely"
    r"|currently|mostly|mainly|partly|occasionally|ideally|theoretically|some|most|many|few|certain|may|might|can|could"
    r"|should|only) "
)


def weakened(rows: Sequence[Mapping[str, Any]], most: int) -> Iterator[Pair]:
    """Yield main clauses of real sentences as claims, with the whole text as evidence: none of them is shown."""
    seen: set[str] = set()
    for row in rows:
        for text in row["evidence"]:
            for sentence in re.split(r"(?<=[.!?])\s+", text):
                for claim, kind in _without(sentence):
                    if claim not in seen and claim.lower() != sentence.lower() and len(seen) < most:
                        seen.add(claim)
                        yield Pair(claim, text, Label.NEI, kind)


def _without(sentence: str) -> Iterator[tuple[str, str]]:
    if match := _FRONT.fullmatch(sentence):
        rest = match["rest"]
        yield rest[0].upper() + rest[1:], f"{match['word'].lower()} ... ,"
    if match := _BACK.fullmatch(sentence):
        yield f"{match['rest'].rstrip(' ,')}.", f"... {match['word']}"
    if match := _HEDGE.search(sentence):
        yield sentence[: match.start()] + sentence[match.end() :], match["word"]
