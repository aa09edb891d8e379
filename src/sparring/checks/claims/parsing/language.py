"""Recognise the language of a text by its function words.

Word rules apply only to a recognised language that has a lexicon here. Everything else is ``OTHER``: there, code
compares only digits, dates in digits and verbatim sentences.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from enum import StrEnum
from functools import cache
from importlib import resources

_LETTERS = re.compile(
    "(?P<vi>[ăđơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ])|(?P<de>[äöüß])|(?P<pl>[ąćęłńśźż])|(?P<cs>[ěščřžůďťň])"
    "|(?P<sv>[åäö])|(?P<da>[æø])|(?P<es>[ñ¿¡])|(?P<tr>[şğıİ])|(?P<ro>[șț])|(?P<hu>[őű])|(?P<pt>[ãõ])",
    re.IGNORECASE,
)
_OTHER_SCRIPT = re.compile("[\u0370-\u1cff\u2d80-\u2dff\u3040-\ud7ff]")
_FEWEST_LETTERS = 2
"""Letters specific to a language that count as one function word; a single name may contain one."""


_ONLY_ENGLISH = frozenset(("the", "and", "with", "that", "this", "are", "were", "which", "has", "have", "from", "they"))
"""Words of English alone; two of them are enough without a comparison of languages."""


class Language(StrEnum):
    """A language whose words code compares; OTHER for every language that was not recognised."""

    ENGLISH = "en"
    VIETNAMESE = "vi"
    OTHER = "other"


def recognise(text: str, words: AbstractSet[str]) -> Language:
    """Return the language of ``text``, whose ``words`` are in lower case.

    The language with most function words wins. A tie, which short texts of related languages have, goes to English if
    English is among them and the text is plain ASCII; any other tie is ``OTHER``.
    """
    if len(_ONLY_ENGLISH & words) > 1 and text.isascii():
        return Language.ENGLISH
    if not text.isascii() and len(_OTHER_SCRIPT.findall(text)) > len(text) // 8:
        return Language.OTHER
    known = _known()
    counts: dict[str, int] = {}
    for word in known.keys() & words:
        for name in known[word]:
            counts[name] = counts.get(name, 0) + 1
    if not text.isascii():
        letters = Counter(match.lastgroup for match in _LETTERS.finditer(text))
        for name, count in letters.items():
            if name and count >= _FEWEST_LETTERS:
                counts[name] = counts.get(name, 0) + count // _FEWEST_LETTERS
    if not counts:
        return Language.OTHER
    most = max(counts.values())
    best = [name for name, count in counts.items() if count == most]
    if len(best) == 1:
        return _LANGUAGES.get(best[0], Language.OTHER)
    return Language.ENGLISH if "en" in best and text.isascii() else Language.OTHER


_LANGUAGES = {language.value: language for language in Language}


@cache
def _known() -> Mapping[str, tuple[str, ...]]:
    """Return the languages of each function word."""
    file = resources.files("sparring.checks.claims") / "words" / "languages.toml"
    languages: dict[str, tuple[str, ...]] = {}
    for name, words in tomllib.loads(file.read_text(encoding="utf-8")).items():
        for word in words.split():
            languages[word] = (*languages.get(word, ()), name)
    return languages
