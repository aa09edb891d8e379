"""By what words somebody applauds the other side. It counts only where a speech begins, so few sentences are tried."""

from sparring.checks.conduct.cues import cue
from sparring.checks.conduct.vocabulary import SELF, SPEAKER

_PRAISED = (
    r"(?:great|excellent|fantastic|brilliant|superb|wonderful|outstanding|insightful|thoughtful|compelling|impressive|"
    r"terrific|amazing|awesome|masterful|exceptional|incisive|thorough|strong|solid|nice|good|sharp|"
    r"(?:well|carefully|beautifully|clearly)[ -](?:argued|reasoned|written|researched|structured|crafted|"
    r"thought[ -]out))"
)
_WORK = (
    r"(?:points?|question|analysis|arguments?|opening|case|response|work|observations?|catch|defen[cs]e|summary|job|"
    r"start|insights?|breakdown|position|proposal|overview|write-?up|reasoning|critique|challenges?|answer|thinking|"
    r"presentation|rebuttal|follow-up|evidence|piece|statement)"
)

PRAISE = (
    cue(
        "",
        rf"\A\W*(?:(?:that|this|it)(?:'s| is| was) |what )?(?:an? )?(?:(?:very|really|truly|such|quite|genuinely|"
        rf"absolutely) ){{0,2}}(?:an? )?{_PRAISED}(?:,? (?:and )?{_PRAISED})?(?: [\w-]+)? {_WORK}\b"
        r"(?! (?:of failure|against|would)\b)",
    ),
    cue(
        "",
        rf"\A\W*(?:I must say,? )?(?:the|your|{SPEAKER}'s|that) (?:[\w'-]+ )?{_WORK}(?: (?:by|of|from) {SPEAKER})? "
        r"(?:is|was|are)"
        rf"(?: (?:very|really|truly|quite|both|\w{{1,20}}ly)){{0,2}} {_PRAISED}\b",
    ),
    cue(
        "",
        rf"\b(?:you|{SPEAKER}) (?:(?:have|has|do|does) )?(?:raise|made|make|present|give|offer|provide|build|lay out|"
        r"bring|put forward)(?:s|d|n)?(?: up)? (?:(?:an?|some|several|many|a number of|two|three) )?"
        rf"(?:(?:very|quite|\w{{1,20}}ly) )?{_PRAISED}"
        rf"(?:,? (?:and )?{_PRAISED})? (?:[\w-]+ )?{_WORK}\b",
    ),
    cue(
        "",
        rf"\b(?:you(?: are|'re)|{SPEAKER}(?: is|'s)) (?:spot[ -]on|dead right|(?:absolutely|completely|totally|"
        r"entirely|"
        r"perfectly|exactly|quite|so|100%) (?:right|correct))\b",
    ),
    cue(
        "",
        r"\A\W*(?:absolutely|exactly|perfectly|completely|spot) (?:right|correct|on)\b",
    ),
    cue(
        "",
        rf"{SELF} (?:appreciate|applaud|admire|commend|salute|love|respect|enjoyed|am impressed|impressed) (?:by )?"
        r"(?:the|your|how|that|this|such)\b",
    ),
    cue(
        "",
        r"\A\W*(?:many )?(?:thank you|thanks|kudos|hats off|bravo|congratulations|well (?:said|argued|done|put))\b",
    ),
)
"""Applauding the other side. It counts only where a speech begins."""
