"""Whether a debater gives up the core proposition, which the specification forbids (seed 003, Your Position).

Only what says so outright is flagged: nuance is allowed, and what the other side is quoted with is not one's own.
"""

import re

from sparring.schema.chaired_debate import Speaker
from sparring.text.prose import Prose, quotations

_PROPOSITION = r"(?:motion|debate|topic|(?:core\s+|central\s+|main\s+)?proposition|resolution|case|whole\s+argument)"
_HOW = r"(?:\s+(?:now|must|have\s+to|hereby|therefore|fully))?"
_SURRENDER = (
    rf"\bI{_HOW}\s+(?:concede|give\s+up|withdraw|surrender)\s+(?:the|this|my)\s+{_PROPOSITION}\b",
    r"\byou(?:\s+have|['’]ve)\s+(?:fully\s+)?convinced\s+me(?!\s+(?:of|that)\b)",
    r"\bI\s+(?:am|have\s+been)\s+(?:convinced|persuaded)\s+by\s+(?:the\s+other\s+side|(?:the|my)\s+opponent)\b",
    rf"\bI\s+was\s+wrong\s+about\s+the\s+{_PROPOSITION}\b",
    r"\bI\s+(?:have\s+)?changed?\s+my\s+(?:position|side|mind\s+on\s+the\s+motion)\b",
)
_RIGHT = r"\s+(?:(?:side|position|case)\s+)?(?:is\s+(?:(?:in\s+fact|clearly)\s+)?(?:right|correct)|has\s+won|wins)\b"
_OTHER_SIDE = {
    Speaker.PROMOTER: r"(?:negative|unfavou?rable|detractor|opposition)",
    Speaker.DETRACTOR: r"(?:affirmative|favou?rable|promoter|proposition)",
}
_CONCESSION = {
    speaker: re.compile("|".join((*_SURRENDER, rf"(?<!if\s)(?<!that\s)\bthe\s+{other}{_RIGHT}")), re.IGNORECASE)
    for speaker, other in _OTHER_SIDE.items()
}


def concedes(content: str, speaker: Speaker) -> bool:
    """Whether ``content`` says outright that the other side is right about the proposition as a whole."""
    prose = Prose(content)
    quoted = list(quotations(prose))
    return any(
        not any(start <= match.start() < end for start, end in quoted)
        for match in _CONCESSION[speaker].finditer(prose.plain)
    )
