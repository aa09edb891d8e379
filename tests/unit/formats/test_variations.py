"""What a report says otherwise where something of a run is another way: the lines that differ, as they were read."""

from collections.abc import Iterator
from difflib import unified_diff
from typing import Any

import pytest

from sparring.formats.views import RunView, report
from sparring.schema.base import Participant, Role
from sparring.schema.chaired_debate import ChairedDebateStatus, CheckedSource, DebateDecision, EndReason
from sparring.schema.claims import ClaimCheck, Label, Relation
from sparring.schema.consultation import Exhibit
from sparring.schema.debate import Conduct, Convergence, DebateStatus, VerdictLedger, VerdictPart
from sparring.schema.fact_check import CheckedPart, Decision, Movement, PartStatus, StopReason
from sparring.schema.judgement import Firmness, JudgeAbstention, Order, TieBreak, TieBreakStep
from sparring.schema.jury import JuryStatus, Phrase, Statement, TextName
from sparring.schema.lookups import CitationKind, CitationLedger, SourceStatus
from sparring.schema.runs import Run
from support.debate_runs import EXISTS, NOT_FOUND, SECOND, UNCHECKED, ballot, checked_verdict, cited, judgement
from support.debating import entry
from support.decisions import decision
from support.golden import Golden
from support.runs import answer, synthesis
from support.stored_runs import ended, stored, turns

Changes = dict[str, object]

P, C = Role.PROPOSER, Role.CHALLENGER
TIE_BREAK = TieBreak(step=TieBreakStep.CITATIONS, winner=P, reason="The proposer's hold.")
EMPTY = "failed: quota: empty"
MISSING = CitationLedger(entries=(entry("src/x.py:99", NOT_FOUND, "the file has 40 lines"),))
NO_SUCH_NAME = entry("`x`y`", NOT_FOUND, "no such name.", CitationKind.SYMBOL)
MANY_URLS = (entry(f"https://x.org/{number}", UNCHECKED, "not fetched.") for number in range(11))
MANY_CLAIMS = tuple(f"Claim {number}." for number in range(13))
PANEL = (Participant(tool="codex"), Participant(tool="opencode"), *(Participant(tool="offline"),) * 2)
NOTHING = "[WARN] Nothing in this debate was verified by code."
WITH_WINNER = tuple(firm for firm in Firmness if firm is not Firmness.UNDECIDED)
UNDECIDED: Changes = {"status": DebateStatus.UNDECIDED, "verdict": None, "verdict_ledgers": ()}
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
            *(ballot(order=order, judge=number, tool="codex") for number in (1, 2) for order in Order),
            *(ballot(C, order, judge=3, tool="opencode") for order in Order),
            firmness=Firmness.MAJORITY,
            abstentions=tuple(JudgeAbstention(judge=4, tool="offline", order=each, cause=EMPTY) for each in Order),
            dissent=(3,),
        ),
    },
    **{f"the verdict is {firm}": {"judgement": judgement(ballot(), firmness=firm)} for firm in WITH_WINNER},
    "the judge's pick changed with the order, and nothing separates the sides": {
        **UNDECIDED,
        "judgement": judgement(ballot(), ballot(C, SECOND), winner=None, firmness=Firmness.UNDECIDED),
        "notices": ("[WARN] Undecided: as the rules have it.",),
    },
    "only a ballot without an argument was received, after a round that broke off": {
        **UNDECIDED,
        "judgement": judgement(
            ballot(verdict=checked_verdict(arguments=(), unresolved_questions=(), unless="")),
            winner=None,
            firmness=Firmness.UNDECIDED,
            abstentions=(JudgeAbstention(judge=1, tool="gemini", order=SECOND, cause=EMPTY),),
        ),
        "incomplete_round": 3,
    },
    "the verdict names what is not there, and hedges": {
        "judgement": judgement(ballot(unsaid=("Nobody said this.",), hedges=("both",))),
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
    "much cites nothing": {"request": {"repo_access": "read"}, "ledgers": cited(claims=MANY_CLAIMS)},
    "much exists and no more": {
        "ledgers": cited(*(entry(f"a.py:{line}", EXISTS, "nothing is quoted from it") for line in range(1, 4)))
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
    "what is cited again counts once, and what is not there is named": {
        "ledgers": cited(*map(entry, ("a.py", "b.py", "a.py")), NO_SUCH_NAME, left_out=3)
    },
    "much is not there": {"ledgers": cited(*(entry(letter, NOT_FOUND, "gone") for letter in "abcdefg"))},
    # Whatever became a ballot is told in words, and any other reply is shown.
    "some replies of judges became no ballot": {
        "request": {"panel": PANEL[:1]},
        "turns": (
            *turns("debate", 8),
            synthesis(answer(tool="gemini"), letters="ba"),
            synthesis(answer("Both have merit.", tool="gemini")),
            synthesis(answer(tool="gemini"), attempt=2),
            synthesis(answer("Neither has.", tool="codex"), judge=2, letters="ba"),
        ),
    },
    "a tool sits on both sides": {
        "request": dict.fromkeys(("proposer", "challenger", "judge"), PANEL[-1]),
        "turns": [
            turn.model_copy(update={"tool": "offline", "reply": turn.reply.model_copy(update={"tool": "offline"})})
            for turn in turns("debate")
        ],
    },
    "everybody was shown something of the project": {
        "request": {
            "exhibits": tuple(
                Exhibit(number=number, path=f"shop/part{number}.py", first=3, last=4, text="a = `1`\n```\x1b[31m")
                for number in range(1, 8)
            )
        }
    },
}


def ending(name: str) -> Any:
    """How the run of that name ended, of which parts are taken."""
    return ended(name)


CHAIRED_END, FACT_CHECK_END = ending("chaired-debate"), ending("fact-check")
ALTERED = {"status": SourceStatus.UNRELIABLE, "reason": "altered", "page_words": "fell by *7* percent"}
FOUND = CheckedSource(seq=1, finding=CHAIRED_END.sources[0].finding.model_copy(update=ALTERED))
OPENED, *SAID = CHAIRED_END.log
CHAIRED: dict[str, Changes] = {
    "a page has other words": {"sources": (FOUND,)},
    "it is a draw": {"decision": DebateDecision.DRAW},
    "a debater failed": {"status": ChairedDebateStatus.INCOMPLETE},
    "nothing was verified": {
        "sources": tuple(each for each in CHAIRED_END.sources if each.finding.status is not SourceStatus.VERIFIED)
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
REFUTED, _, LOST = FACT_CHECK_END.agents
BLIND, KEYED = REFUTED.positions
NEI = BLIND.model_copy(update={"round": 2, "verdict": Label.NEI, "movement": Movement.CHANGED, "parts": ()})
LESS = BLIND.parts[0].model_copy(update={"status": PartStatus.MISSING, "quote": None, "quote_finding": None})
MISSED = NEI.model_copy(update={"parts": (LESS,)})
NO_WORDS: Changes = {"key_quote": None, "key_quote_finding": None, "faults": (), "reasoning_vi": ""}
UNQUOTED = (BLIND.model_copy(update={"parts": (LESS,), "reasoning_vi": ""}), KEYED.model_copy(update=NO_WORDS))


def without_label(changes: dict[str, Any]) -> Any:
    """An agent with one part, which is missing, and ``changes`` of it."""
    usual = {"part": "It was closed.", "status": PartStatus.MISSING, "claimed": PartStatus.MISSING}
    part = CheckedPart.model_validate(usual | changes)
    return REFUTED.model_copy(
        update={"positions": (BLIND.model_copy(update={"parts": (part,)}),), "debated": Label.NEI}
    )


FACT_CHECK: dict[str, Changes] = {
    "what has no quote stands without one": {"agents": (REFUTED.model_copy(update={"positions": UNQUOTED}), LOST)},
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
    **{
        f"it rests on a part that {why}": {"label": Label.NEI, "agents": (without_label(part), LOST)}
        for why, part in {
            "no agent mentions": {"part": "reopened, June, 2021", "is_added": True},
            "no agent mentions, and the evidence does not either": {"part": "a ferry", "is_added": True},
            "nothing was quoted for": {"part": "inspection of the piers"},
            "a quote of the same was given against": {
                "claimed": PartStatus.CONFLICT,
                "quote": "was closed in March 2019",
                "relation": Relation.CARRIES,
            },
            "a quote does not carry": {"quote": "later than was planned", "relation": Relation.OPEN},
        }.items()
    },
    "code finds no mismatch": {"check": ClaimCheck(label=Label.SUPPORTED, findings=FACT_CHECK_END.check.findings[:1])},
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
    also = f"\n{RunView(run).files()['summary.md']}\n{decision(run)}" if run.header.kind == "chaired-debate" else ""
    return f"{'plain' if RunView(run).conclusion.is_plain else 'not plain'}\n{report(run)}{also}"


def differences(usual: list[str], other: Run) -> Iterator[str]:
    changed = unified_diff(usual, shown(other).split("\n"), n=0, lineterm="")
    return (f"  {line}".rstrip() for line in changed if not line.startswith(("---", "+++", "@@")))


@pytest.mark.parametrize("name", VARIED)
def test_each_variation_of_a_run_has_its_own_lines(name: str, golden: Golden) -> None:
    usual = shown(stored(name)).split("\n")
    lines = [
        line
        for what, changes in VARIED[name].items()
        for line in (f"== {what}", *differences(usual, stored(name, **changes)))
    ]
    golden.holds(f"reports/variations/{name}.txt", "\n".join(lines) + "\n")
