"""What a report says otherwise where something of a run is another way: the lines that differ, as they were read."""

from collections.abc import Iterator
from difflib import unified_diff

import pytest

from sparring.formats.chaired_debate.report import summary
from sparring.formats.reports import conclusion, report
from sparring.schema.base import Participant, Role
from sparring.schema.chaired_debate import (
    ChairedDebateOutcome,
    ChairedDebateStatus,
    CheckedSource,
    DebateDecision,
    EndReason,
)
from sparring.schema.claims import ClaimCheck, Label
from sparring.schema.debate import Conduct, Convergence, DebateStatus, VerdictLedger, VerdictPart
from sparring.schema.fact_check import Decision, FactCheckOutcome, Movement, PartStatus, StopReason
from sparring.schema.judgement import Firmness, JudgeAbstention, TieBreak, TieBreakStep
from sparring.schema.jury import JuryStatus, Phrase, Statement, TextName
from sparring.schema.lookups import CitationLedger, SourceStatus
from sparring.schema.runs import Run
from support.debate_runs import (
    FIRST,
    NOT_FOUND,
    SECOND,
    UNCHECKED,
    VERIFIED,
    ballot,
    checked_verdict,
    cited,
    judgement,
)
from support.debating import entry
from support.decisions import decision
from support.golden import Golden
from support.stored_runs import ended, stored

Changes = dict[str, object]

P, C = Role.PROPOSER, Role.CHALLENGER
TIE_BREAK = TieBreak(step=TieBreakStep.CITATIONS, winner=P, reason="The proposer's hold.")
EMPTY = "failed: quota: empty"
MISSING = CitationLedger(entries=(entry("src/x.py:99", NOT_FOUND, "the file has 40 lines"),))
MANY_URLS = (entry(f"https://x.org/{number}", UNCHECKED, "not fetched.") for number in range(11))
MANY_CLAIMS = tuple(f"Claim {number}." for number in range(13))
PANEL = (Participant(tool="codex"), Participant(tool="opencode"), *(Participant(tool="offline"),) * 2)
NOTHING = "[WARN] Nothing in this debate was verified by code."
DEBATE: dict[str, Changes] = {
    "the winner changes with the order": {
        "judgement": judgement(ballot(), ballot(C, SECOND), firmness=Firmness.ORDER_SENSITIVE, tie_break=TIE_BREAK)
    },
    "a judge is heard in one order only": {
        "judgement": judgement(
            ballot(struck=("Nobody said this.",)),
            firmness=Firmness.ONE_ORDER,
            abstentions=(JudgeAbstention(judge=1, tool="gemini", order=SECOND, cause=EMPTY),),
        )
    },
    "most of a panel agree": {
        "request": {"panel": PANEL},
        "judgement": judgement(
            *(ballot(order=order, judge=number, tool="codex") for number in (1, 2) for order in (FIRST, SECOND)),
            *(ballot(C, order, judge=3, tool="opencode") for order in (FIRST, SECOND)),
            firmness=Firmness.MAJORITY,
            abstentions=tuple(
                JudgeAbstention(judge=4, tool="offline", order=order, cause=EMPTY) for order in (FIRST, SECOND)
            ),
            dissent=(3,),
        ),
    },
    **{f"the verdict is {firm}": {"judgement": judgement(ballot(), firmness=firm)} for firm in Firmness},
    "the verdict hedges": {"judgement": judgement(ballot(hedges=("both",)))},
    "the verdict names what is not there": {
        "judgement": judgement(ballot(unsaid=("Nobody said this.",))),
        "verdict_ledgers": tuple(VerdictLedger(part=part, ledger=MISSING) for part in VerdictPart),
    },
    "the verdict says when not to act on it": {
        "verdict": checked_verdict(recommendation="Flush.", unless="The disk is slow.")
    },
    "the verdict recommends in several lines": {"verdict": checked_verdict(recommendation="Do this:\n1. Retry.")},
    "the verdict is from before there were scores": {
        "verdict": checked_verdict().model_copy(update={"scores": None, "arguments": ()}),
        "judgement": None,
    },
    "round three broke off": {"incomplete_round": 3},
    "nobody spoke against it": {"status": DebateStatus.UNCONTESTED, "verdict": None, "judgement": None},
    "nothing was verified": {
        "ledgers": cited(entry("a.py", NOT_FOUND, "no such file"), entry("2 ms", UNCHECKED, "not measured"))
    },
    "code has not looked": {"ledgers": (), "conduct": Conduct()},
    "the challenger was not heard": {"ledgers": cited(), "conduct": Conduct()},
    "much is unchecked": {"ledgers": cited(*MANY_URLS, entry("2 ms", UNCHECKED, "not measured"))},
    "much cites nothing": {"ledgers": cited(claims=MANY_CLAIMS)},
    "one claim cites nothing": {"ledgers": cited(claims=("So.",))},
    "several citations are of one place": {
        "ledgers": cited(entry("a.py", VERIFIED), entry("b.py", VERIFIED), entry("a.py", VERIFIED))
    },
    "how it ended goes before how it was arranged": {
        "notices": (NOTHING,),
        "request": {"notices": ("[WARN] The judge is ann.",)},
    },
    "nobody gave way": {"conduct": Conduct(convergence=Convergence.NONE)},
    "the challenger gave way": {"conduct": Conduct(convergence=Convergence.SUPPORTED)},
    "a judge names a concession": {
        "judgement": judgement(ballot(concessions=({"side": "challenger", "round": 1, "quote": "That is slow."},)))
    },
}


def chaired() -> ChairedDebateOutcome:
    outcome = ended("chaired-debate")
    assert isinstance(outcome, ChairedDebateOutcome)
    return outcome


ALTERED = {"status": SourceStatus.UNRELIABLE, "reason": "altered", "found": "fell by *7* percent"}
FOUND = CheckedSource(seq=1, finding=chaired().sources[0].finding.model_copy(update=ALTERED))
OPENED, *SAID = chaired().log
CHAIRED: dict[str, Changes] = {
    "a page has other words": {"sources": (FOUND,)},
    "it is a draw": {"decision": DebateDecision.DRAW},
    "a debater could not be had": {"status": ChairedDebateStatus.INCOMPLETE},
    "nothing was verified": {
        "sources": tuple(each for each in chaired().sources if each.finding.status is not SourceStatus.VERIFIED)
    },
    "nothing was looked up": {"sources": ()},
    **{f"it ended by {ended}": {"ended": ended} for ended in EndReason},
    "a range of rounds was asked for": {"request": {"min_rounds": 0, "max_rounds": 2}},
    "a number of rounds was asked for": {"request": {"min_rounds": 2, "max_rounds": 2}},
    "it is kept elsewhere as well": {"request": {"output_dir": "debates/first_*one*"}},
    "nothing is named": {"log": (), "sources": (), "summary": "", "decisive": (), "reasoning": ""},
    "a position is long": {"log": (OPENED.model_copy(update={"content": "word " * 1_000}), *SAID), "summary": ""},
    "it rests on nothing that carries it": {"weak_grounds": ("seq 4 is a conjecture",)},
}


def checked() -> FactCheckOutcome:
    outcome = ended("fact-check")
    assert isinstance(outcome, FactCheckOutcome)
    return outcome


REFUTED, _, LOST = checked().agents
BLIND, *_ = REFUTED.positions
NEI = BLIND.model_copy(update={"round": 2, "verdict": Label.NEI, "movement": Movement.CHANGED, "parts": ()})
LESS = BLIND.parts[0].model_copy(update={"status": PartStatus.MISSING, "quote": None, "found": None})
MISSED = NEI.model_copy(update={"parts": (LESS,)})
FACT_CHECK: dict[str, Changes] = {
    "more than half of the votes agree": {"decision": Decision.MAJORITY, "stop_reason": StopReason.STABLE},
    "the most votes agree": {"decision": Decision.PLURALITY, "stop_reason": StopReason.NOT_ESCALATED},
    "two labels have the most votes": {"label": Label.NEI, "decision": Decision.SPLIT},
    "the label that won comes first": {
        "label": Label.NEI,
        "agents": (LOST, REFUTED, REFUTED.model_copy(update={"debated": Label.NEI})),
    },
    "a verdict was taken back": {
        "agents": (REFUTED.model_copy(update={"positions": (BLIND, NEI), "debated": Label.NEI}), LOST)
    },
    "what one misses another has covered": {
        "label": Label.NEI,
        "agents": (REFUTED.model_copy(update={"positions": (BLIND, MISSED), "debated": Label.NEI}), LOST),
    },
    "code finds no mismatch": {"check": ClaimCheck(label=Label.SUPPORTED, findings=checked().check.findings[:1])},
    "code finds nothing to compare": {"check": ClaimCheck(label=Label.NEI)},
}
NOWHERE = Phrase(text="the *first* wave", source=TextName.TRUTH)
SILENT: Changes = {"verdict": None, "statements": (), "minority_view": None}
JURY: dict[str, Changes] = {
    "the judge gave no verdict": {"status": JuryStatus.UNJUDGED, **SILENT},
    "nobody gave anything": {"status": JuryStatus.FAILED, **SILENT},
    "nobody could read the checklist": {"checklist": ()},
    "a phrase is in neither text": {
        "statements": (Statement(role=Role.SKEPTIC, round=2, text="Said.", phrases=(NOWHERE, NOWHERE)),)
    },
}
VARIED = {"debate": DEBATE, "chaired-debate": CHAIRED, "fact-check": FACT_CHECK, "jury": JURY}


def shown(run: Run) -> str:
    also = f"\n{summary(run)}\n{decision(run)}" if run.header.kind == "chaired-debate" else ""
    return f"{'plain' if conclusion(run).is_plain else 'not plain'}\n{report(run)}{also}"


def differences(usual: list[str], other: Run) -> Iterator[str]:
    for line in unified_diff(usual, shown(other).split("\n"), n=0, lineterm=""):
        if not line.startswith(("---", "+++", "@@")):
            yield f"  {line}".rstrip()


@pytest.mark.parametrize("name", VARIED)
def test_what_is_another_way_is_said_otherwise(name: str, golden: Golden) -> None:
    usual = shown(stored(name)).split("\n")
    lines = [
        line
        for what, changes in VARIED[name].items()
        for line in (f"== {what}", *differences(usual, stored(name, **changes)))
    ]
    golden.holds(f"reports/variations/{name}.txt", "\n".join(lines) + "\n")
