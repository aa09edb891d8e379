"""Messages for people at a command line, reworded for an agent, which has tools and no shell."""

import re
from collections.abc import Collection
from functools import cache

from sparring.errors import SparringError

_SENTENCE_END = re.compile(r"(?<=[.;]) ")
_COMMAND = re.compile(r"[`']sparring [^`']{1,200}[`']")
_FLAG = re.compile(r"(?<![\w-])--(?:set )?([a-z][a-z_-]{1,40})")
"""A flag, or a setting: ``--set NAME=VALUE``."""
_ASIDE = re.compile(r" ?\([^()]{0,200}--[a-z][^()]{0,200}\)")
_FOR_THE_USER = "on the command line"


def error_for_agents(error: SparringError) -> str:
    """Return the message of an error, with the hints that an agent can follow."""
    hint = for_agents(error.hint, _offered())
    return f"{str(error).removesuffix(error.hint).rstrip()} {hint}".rstrip() if error.hint else str(error)


def warning_for_agents(notice: str) -> str:
    """A notice without what an agent cannot do."""
    return for_agents(notice, _offered())


def for_agents(text: str, offered: Collection[str]) -> str:
    """Return ``text`` with flags as parameters, without sentences on commands and on options that are not ``offered``.

    A sentence that names the command line stays: an agent can pass it on to its user.
    """
    sentences = (_for_agents(sentence, offered) for sentence in _SENTENCE_END.split(text))
    return " ".join(filter(None, sentences))


def _for_agents(sentence: str, offered: Collection[str]) -> str:
    if _FOR_THE_USER in sentence:
        return sentence
    if _COMMAND.search(sentence):
        return ""
    if not _are_offered(sentence, offered):
        sentence = _ASIDE.sub("", sentence)
    if not _are_offered(sentence, offered):
        return ""
    return _FLAG.sub(lambda match: match[1].replace("-", "_"), sentence)


def _are_offered(sentence: str, offered: Collection[str]) -> bool:
    return all(flag.replace("-", "_") in offered for flag in _FLAG.findall(sentence))


@cache
def _offered() -> frozenset[str]:
    """The parameters of all tools."""
    from sparring.formats.registry import FORMATS  # noqa: PLC0415 -- not before a call needs it (see session)
    from sparring.participants.options import Option  # noqa: PLC0415

    fields = (FORMATS[name].options.model_fields for name in FORMATS)
    options = ((name, Option.of(field)) for each in fields for name, field in each.items())
    return frozenset(option.called or name for name, option in options if option.mcp is not None)
