"""A review as people read it."""

from difflib import unified_diff
from typing import Any

from sparring.formats.review.report import PRESENTATION
from sparring.formats.views import RunView, report
from sparring.reports.conclusion import height
from sparring.schema.authors import Author, AuthorSource
from sparring.schema.changes import ExcludedFile, ExclusionReason
from sparring.schema.checks import CheckResult
from sparring.schema.consultation import FailureCode
from sparring.schema.review import Anchoring, CodePlace, DefectSeverity, Examination, FindingState, ReviewStatus
from sparring.schema.runs import Run
from sparring.schema.transcript import Transcript, TurnKind
from support.decisions import details
from support.golden import Golden
from support.reading import INERT, block_types, inline_types, read
from support.review_runs import FINDINGS, PAY, SEND, examined, finding, reported, request, review, said
from support.runs import answer, failure, run


def test_the_report_of_a_review_is_as_in_its_golden_file(golden: Golden) -> None:
    whole = review()
    golden.holds("reports/review-report.md", report(whole))
    golden.holds("reports/review-decision.md", details(whole))
    golden.holds("reports/last-review.json", RunView(whole).result().model_dump_json(indent=2) + "\n")


def test_an_unfinished_review_lists_files_left_out_and_missing_reviewers(golden: Golden) -> None:
    unseen = {"dist/app.min.js": ExclusionReason.GENERATED, "b": ExclusionReason.SECRET}
    left_out = (GAP, *(ExcludedFile(path=path, reason=why) for path, why in unseen.items()))
    held = review(reviewers=request().reviewers[:2], change={"parts": ((0,), (1,)), "left_out": left_out})
    golden.holds("reports/review-interrupted.md", report(run(held.header.request, IN_PARTS[:1])))
    golden.holds("reports/review-with-one-answer.md", report(run(request(), SILENT[1:2])))


GAP = ExcludedFile(path="src/big.py", reason=ExclusionReason.NO_ROOM)
THREE = request().reviewers
TWO_PARTS: dict[str, Any] = {"reviewers": THREE[:2], "change": {"parts": ((0,), (1,))}}
SILENT = (said(1, answer("{}")), said(2, answer("I see nothing.", tool="codex")), said(3, failure(tool="gemini")))
IN_PARTS = (
    *(said(number, answer("{}", tool=tool)) for number, tool in ((1, "claude"), (2, "codex"))),
    said(1, answer("{}"), part=2),
    said(2, failure(FailureCode.QUOTA, tool="codex"), part=2),
)
REMOVED = CodePlace(file=PAY.path, first=40, last=40, text="    with lock(order):", is_removed=True)
TWO = finding(
    FindingState.CONFIRMED,
    reported(42, SEND),
    reported(45, SEND, defect="data_loss", severity=DefectSeverity.MAJOR, title="Money is lost"),
    by=(1, 2),
)
MOVED = TWO.reporters[1].model_copy(update={"anchoring": Anchoring.MOVED, "moved_by": -3})
OF_HOST = Author(family="anthropic", source=AuthorSource.HOST)
SIGNED = Author(family="anthropic", model="sonnet 4", source=AuthorSource.TRAILER)
SUBMODULE = ExcludedFile(path="sub", reason=ExclusionReason.SUBMODULE, facts=("commit of a submodule: 1111 → 2222",))
CHECKS = (
    CheckResult(command="make test", exit_code=2, lines=("1 failed", "```")),
    CheckResult(command="make lint", exit_code=0),
    CheckResult(command="sleep 9", lines=("Stopped: it took too long.",)),
)
VARIED: dict[str, Run] = {
    "it blocks": review(ReviewStatus.BLOCKING),
    "what is found is outside the change": review(
        ReviewStatus.FINDINGS, tuple(each for each in FINDINGS if each.is_outside), ((1, 2, 3),)
    ),
    "the author's family does not count": review(
        ReviewStatus.INCOMPLETE,
        (),
        ((1, 2),),
        authors=(OF_HOST,),
        reviewers=(THREE[0].model_copy(update={"model": None}), THREE[1]),
    ),
    "another model of the author's family counts": review(
        ReviewStatus.CLEAN, (), ((1, 2),), authors=(SIGNED,), reviewers=THREE[:2]
    ),
    "checks were run": review(ReviewStatus.CLEAN, (), ((1, 2, 3),), checks=CHECKS),
    "nothing of it could be shown": review(
        ReviewStatus.INCOMPLETE, (), (), (), change={"files": (), "parts": (), "left_out": (GAP, SUBMODULE)}
    ),
    "it is clean": review(ReviewStatus.CLEAN, (), ((1, 2, 3),)),
    "it is incomplete": review(ReviewStatus.INCOMPLETE, (), ((1,),)),
    "nobody answered": review(ReviewStatus.FAILED, (), ((),)),
    "some of it was shown to nobody, and who was silent is told": review(
        ReviewStatus.INCOMPLETE, (), ((1,),), SILENT, change={"left_out": (GAP,)}
    ),
    "of two parts somebody missed one": review(ReviewStatus.INCOMPLETE, (), ((1, 2), (1,)), IN_PARTS, **TWO_PARTS),
    "two are of one tool": review(reviewers=(THREE[0], THREE[0], THREE[2])),
    "the code was removed": review(
        findings=(finding(FindingState.CONFIRMED, reported(40, "    with lock(order):"), place=REMOVED),)
    ),
    "a reviewer was lines off and called it something else": review(
        findings=(TWO.model_copy(update={"reporters": (TWO.reporters[0], MOVED)}),)
    ),
}


def test_each_variation_of_a_review_has_its_own_lines(golden: Golden) -> None:
    usual, lines = report(review()).split("\n"), list[str]()
    for what, whole in VARIED.items():
        plain = "plain" if RunView(whole).conclusion.is_plain else "not plain"
        lines.append(f"== {what}: {plain}, {'kept' if RunView(whole).last() else 'not kept'}")
        other = unified_diff(usual, report(whole).split("\n"), n=0, lineterm="")
        lines += [f"  {line[1:]}".rstrip() for line in other if line.startswith("+") and line != "+++ "]
    golden.holds("reports/variations/review.txt", "\n".join(lines) + "\n")


def test_first_lines_are_at_most_twenty_with_the_most_severe_and_the_warnings() -> None:
    many = tuple(
        finding(FindingState.CONFIRMED, reported(42, f"{SEND}{number}", title=f"{number} is {'long ' * 40}"))
        for number in range(60)
    )
    gaps = tuple(ExcludedFile(path=f"{number}/{'x' * 100}", reason=why) for number, why in enumerate(ExclusionReason))
    told = RunView(review(ReviewStatus.INCOMPLETE, many, ((1,),), change={"left_out": gaps})).verdict()
    assert sum(height(line.rstrip()) for line in told.strip().splitlines()) <= 20
    assert "critical shop/pay ment.py:42: 0 is long" in told
    assert "… and 5" in told.split("Why:")[0]
    assert "[WARN] codex has not reviewed it" in told
    whole = review(ReviewStatus.INCOMPLETE, many, ((1,),))
    assert len(RunView(whole).summary()) < 5_000
    assert len(details(whole, limit=3_000)) < 3_000


HOSTILE = "# **Fixed**\n\x1b[31m```\n````text\n<img src=x> ![a](http://bad.example) | b |\n> 1. *x*\n/merge @all\u202e"


def test_neither_code_nor_words_leave_their_place_or_act() -> None:
    one = reported(42, HOSTILE, **dict.fromkeys(("title", "trigger", "consequence", "fix"), HOSTILE))
    unsure = examined(Examination.UNSURE, place=None)
    findings = (
        finding(FindingState.REFUTED, one, examined=examined(Examination.REFUTED, quote=HOSTILE)),
        finding(FindingState.STRUCK, one, anchoring=Anchoring.NO_FILE),
        finding(FindingState.CONTESTED, one, dismissed=HOSTILE, examined=unsure),
    )
    whole = review(
        findings=findings,
        turns=(said(1, answer(HOSTILE)), said(2, answer(HOSTILE, tool="codex"))),
        about=HOSTILE.replace("\x1b", ""),
        change={"title": HOSTILE, "left_out": (ExcludedFile(path=HOSTILE, reason=ExclusionReason.NO_ROOM),)},
    )
    for text in (report(whole), details(whole)):
        parsed = read(text)
        assert not {"\x1b", "\u202e"} & set(text)
        assert not [line for line in parsed.headings if line.startswith("# **") or line == "# Fixed"]
        assert {"html_block", "ordered_list_open", "code_block"}.isdisjoint(block_types(parsed.outside))
        assert inline_types(parsed.outside) <= INERT
    fences = [block.content for block in read(report(whole)).outside if block.type == "fence"]
    assert [text for text in fences if "/merge" not in text and "send" not in text] == []


def told(kind: TurnKind, words: str) -> str:
    turn = said(1, answer(words), kind=kind)
    tell = PRESENTATION.live
    assert tell
    return tell(request(), Transcript(turns=(turn,)))


def test_watchers_see_the_findings_of_an_answer() -> None:
    one = '{"findings": [{"severity": "major", "file": "a.py", "line": 3, "quote": "x", "title": "*It* loops"}, 7]}'
    unread = "- Finding 2 is not an object."
    assert told(TurnKind.FINDINGS, one) == f"1 finding:\n- major a.py:3: \\*It\\* loops\n{unread}"
    assert told(TurnKind.FINDINGS, '```json\n{"findings": []}\n```') == "no findings."
    for unusable in ("All is well.", '{"findings": "none"}'):
        assert told(TurnKind.FINDINGS, unusable) == "No usable answer."
    refuted = told(TurnKind.EXAMINATION, '{"verdict": "refuted", "reason": "A lock is held."}')
    assert (refuted, told(TurnKind.JOINING, '{"same": []}')) == ("refuted: A lock is held.", "")
