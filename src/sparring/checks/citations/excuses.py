"""Recognise excuses: a text denies the very thing that it cites, or proposes it.

An excuse holds for its own clause. "Validation is missing in `a.py:9`" denies no file, and "New users call `f()`"
proposes nothing. Words inside of paths and code are no excuse.
"""

import re

_DENIED_BEFORE = re.compile(
    r"\b(?:there(?: is|['’]s| are| was| were) no|(?:is|are|was|were|has|have) no"
    r"|(?:does|do|did)(?: not|n't|n’t) have(?: an?)?"
    r"|no such(?: \w+)?(?: as)?|nothing (?:called|named)|lacks?(?: an?)?"
    r"|(?:the|an?|this|that|your|its|their|his|her|of) (?:missing|non-?existent|fabricated|invented))"
    r"(?: \w+){0,2} ?[`\"“(*]*\Z",
    re.IGNORECASE,
)
_NOT = r"(?: not|n't|n’t)"
_ENDED = (
    r"(?=[^\w\s]|\s*\Z|\s(?:and|but|or|so|at all|any ?more|here|there|yet|today|either"
    r"|(?:in|from) (?:the|this|your) (?:project|repository|repo|tree|code))\b)"
)
"""After "is missing": a subject that is missing something else exists."""

_DENIED_BEHIND = re.compile(
    rf"[`\"”)*]*(?:,? ?\(?(?:which|that)(?: (?:you|they|it|he|she|the \w+) \w+)?)? ?"
    rf"(?:(?:(?:does|do|did){_NOT} (?:\w+ )?(?:exist|occur)|(?:can|could){_NOT} be found|cannot be found"
    rf"|(?:is|was|are|were){_NOT} (?:there|found|present|in the (?:project|repository|repo|tree|code))"
    rf"|never existed|exists nowhere)(?!\w)"
    rf"|(?:is|was|are|were)(?: simply| just)? (?:missing|fabricated|invented|non-?existent|nowhere){_ENDED})",
    re.IGNORECASE,
)
_DENIAL_REACH = 60

_CLAUSE_END = re.compile(
    r"[.!?][)\"”*_]*(?=\s)|[:;,(){}\[\]]|\s[–—-]\s|—"
    r"|\s(?=(?:because|since|when|while|if|unless|although|though|whereas|but|so|which|who|whenever|where|until)\s)"
)
_CLAUSE_REACH = 400
_NOT_WORDS = re.compile(r"`[^`]*`|\S*[\w)][/\\._](?=\w)\S*")
_PLACE_OF_CITATION = "\0"
_PROPOSED = re.compile(
    r"\b(?:add|adding|create|creating|introduce|introducing|rename|move|would|could|should|such as|for example|"
    r"propose|proposed|proposing|suggest\w*|recommend\w*|instead|replace|replacing|let's|let us|switch to)\b|\be\.g\."
    rf"|\bnew(?: \w+)?[ `\"“(*]*{_PLACE_OF_CITATION}",
    re.IGNORECASE,
)


def is_denied(line: str, start: int, end: int) -> bool:
    """Report whether the line denies that the very thing at ``line[start:end]`` exists."""
    before = line[max(start - _DENIAL_REACH, 0) : start]
    return bool(_DENIED_BEFORE.search(before) or _DENIED_BEHIND.match(line, end))


def is_proposed(line: str, start: int, end: int) -> bool:
    """Report whether the clause around ``line[start:end]`` proposes something."""
    before = line[max(start - _CLAUSE_REACH, 0) : start].rstrip('`"“(*_[')
    behind = line[end : end + _CLAUSE_REACH].lstrip('`"”)*_]')
    # Paths and code have dots and words of their own: they end no clause and propose nothing.
    before = _NOT_WORDS.sub(_blank, before) + " "
    behind = _NOT_WORDS.sub(_blank, behind)
    clause_start = 0
    for boundary in _CLAUSE_END.finditer(before):
        clause_start = boundary.end()
    closing = _CLAUSE_END.search(behind)
    clause_end = closing.start() if closing else len(behind)
    clause = f"{before[clause_start:]}{_PLACE_OF_CITATION} {behind[:clause_end]}"
    return bool(_PROPOSED.search(clause))


def _blank(match: re.Match[str]) -> str:
    return "_" * len(match[0])
