"""Models that have signed a commit: ``Co-Authored-By: Claude Opus 4.1 <noreply@anthropic.com>`` and its like.

``trailers.toml`` lists their forms. A person with the name of a model signs with a family name, which none of
the patterns has.
"""

import re
import tomllib
from functools import cache
from importlib import resources

from msgspec import Struct

from sparring.schema.authors import Author, AuthorSource

_TRAILER = re.compile(r"[ \t]*(?:co-authored|assisted|generated|written)-by:[ \t]*(?P<who>[^\n]{1,200})", re.IGNORECASE)
_SIGNATURE = re.compile(r"(?P<name>[^<]*?)[ \t]*(?:<(?P<address>[^>]*)>.*)?")
_AGENT_AND_MODEL = re.compile(r"(?P<name>[^:()]+):(?P<model>\S+).*|(?P<tool>[^()]+)\((?P<inner>[^()]+)\)")
"""As in ``Assisted-by: Claude:claude-opus-4-1`` and ``aider (gpt-4o)``."""

_AGENTS = ("claude", "codex", "copilot", "cursor", "gemini", "jules", "opencode")
_NO_MODELS = frozenset((*_AGENTS, "agent", "assist", "chatgpt", "cli", "code", "github", "google", "openai"))
_MOST = 100


class _Agent(Struct, frozen=True):
    family: str
    name: re.Pattern[str]
    address: re.Pattern[str]


@cache
def _signers() -> tuple[_Agent, ...]:
    text = resources.files("sparring.text").joinpath("trailers.toml").read_text(encoding="utf-8")
    never = r"(?!)"
    return tuple(
        _Agent(each["family"], re.compile(each["name"]), re.compile(each.get("address", never)))
        for each in tomllib.loads(text)["signer"]
    )


def known_families() -> frozenset[str]:
    """Return the families that are known to sign commits."""
    return frozenset(each.family for each in _signers())


def authors_in(messages: str) -> tuple[Author, ...]:
    """Return the model families that sign in the trailers of commit ``messages``, each with its model once."""
    authors = dict[Author, None]()
    for line in messages.split("\n"):
        trailer = _TRAILER.match(line)
        author = _author(trailer["who"]) if trailer else None
        if author:
            authors[author] = None
    return tuple(authors)[:_MOST]


def _author(signature: str) -> Author | None:
    """Return the model that has signed, as ``NAME <ADDRESS>``; None for a person."""
    match = _SIGNATURE.fullmatch(signature.strip().lower())
    name, address = (match["name"], match["address"] or "") if match else ("", "")
    model, names = "", [name]
    agent_and_model = _AGENT_AND_MODEL.fullmatch(name)
    if agent_and_model:
        model = agent_and_model["model"] or ""
        names.insert(0, agent_and_model["name"] or agent_and_model["inner"])
    for signer in _signers():
        if signer.address.fullmatch(address) or any(signer.name.fullmatch(each.strip()) for each in names):
            return Author(family=signer.family, model=model or _model(names[0]), source=AuthorSource.TRAILER)
    return None


def _model(name: str) -> str:
    """Return the words of ``name`` that are not those of a program or a company."""
    words = [word for word in re.split(r"[ ()]+", name.replace("[bot]", "")) if word]
    return " ".join(word for word in words if not {*word.split("-")} <= _NO_MODELS)
