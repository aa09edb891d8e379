"""What a program reads: the prompt, with what keeps the program from taking words in it for more than text."""

import re

from sparring.schema.consultation import Question
from sparring.schema.providers import CliProvider

_GUARD = "\u200b"
"""A zero-width space: the model reads the same words, and the program no longer sees a path or a name."""


def prompt_text(spec: CliProvider, question: Question) -> str:
    """The text that is put on the program's standard input for ``question``."""
    return spec.preamble + _guarded(question.prompt, spec.guarded)


def _guarded(prompt: str, characters: str) -> str:
    return re.sub(rf"([{re.escape(characters)}])(?=\S)", rf"\1{_GUARD}", prompt) if characters else prompt
