"""How answers without a model are worded: the phrases of one book, and JSON that nothing quoted in it can break."""

import json
import re
from collections.abc import Mapping, Sequence

from sparring.prompts import PromptLibrary

_DOUBLE_QUOTES = re.compile('["“”„«»\\n]')
_MOST_LISTED = 3

_OTHER_LANGUAGE = "vi"
"""What is spoken besides English."""


class Phrases:
    """The sentences of ``prompts/offline/findings-{language}.md``; English for a language that has no such book."""

    def __init__(self, prompts: PromptLibrary, language: str) -> None:
        self._prompts = prompts
        spoken = _OTHER_LANGUAGE if language.partition("-")[0] == _OTHER_LANGUAGE else "en"
        self._book = f"offline/findings-{spoken}"

    def say(self, phrase: str, **values: str) -> str:
        """The words of ``phrase``."""
        return self._prompts.render(f"{self._book}#{phrase}", values).strip()


def notice(prompts: PromptLibrary, tool: str) -> str:
    """That no model wrote the answer: the first line of each."""
    return prompts.render("offline/phrases#notice", {"tool": tool}).strip()


def json_block(value: Mapping[str, object]) -> str:
    """``value`` as one JSON object in a fence."""
    # An encoder's escapes keep a quoted fence from closing ours.
    text = json.dumps(value, indent=2, ensure_ascii=False).replace("`", "\\u0060")
    return f"```json\n{text}\n```"


def listed(items: Sequence[str]) -> str:
    """The first of ``items`` between quotation marks, with commas."""
    return ", ".join(f"“{item}”" for item in items[:_MOST_LISTED])


def quoted(words: str) -> str:
    """``words`` between double quotes: if there are such marks within, the longest stretch without one."""
    return f'"{max(_DOUBLE_QUOTES.split(words), key=len).strip()}"'
