"""What a program reads: the prompt, with what keeps the program from taking words in it for more than text."""

import re

from sparring.schema.consultation import Question
from sparring.schema.providers import ProgramProvider

_GUARD = "\u200b"
"""A zero-width space: the model reads the same words, and the program no longer sees a path or a name."""

_UPWARDS = re.compile(r"(/\\*\.\\*\.)")
"""A step upwards in a path, which leads out of a folder; a backslash before a dot is dropped."""


def prompt_text(spec: ProgramProvider, question: Question) -> str:
    """The text that the program is given for ``question``."""
    return spec.preamble + _guarded(question.prompt, spec.guarded)


def _guarded(prompt: str, words: str) -> str:
    return re.sub(words, lambda match: _guarded_word(match[0]), prompt) if words else prompt


def _guarded_word(word: str) -> str:
    return word[:1] + _GUARD + _UPWARDS.sub(rf"\1{_GUARD}", word[1:])
