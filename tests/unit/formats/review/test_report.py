"""A review as people read it."""

import pytest

from sparring.cli.runs import exit_code
from sparring.errors import ExitCode
from sparring.formats.reports import details, in_short, last, report, result, verdict_first
from sparring.formats.review.report import PRESENTATION
from sparring.reports.conclusion import height
from sparring.reports.markdown import joined
from sparring.schema.changes import LeftOut, NotShown
from sparring.schema.consultation import FailureCode
from sparring.schema.review import (
    Anchoring,
    CodePlace,
    DefectSeverity,
    Examination,
    FindingState,
    ReviewFinding,
    ReviewStatus,
)
from sparring.schema.transcript import Transcript, TurnKind
from sparring.server.answers import shown
from sparring.server.deliberations import Standing
from support.golden import Golden
from support.reading import INERT, block_types, inline_types, read
from support.review_runs import FINDINGS, PAY, SEND, examined, finding, reported, request, review, said
from support.runs import answer, failure, run


def test_a_review_is_as_it_was_read_and_approved(golden: Golden) -> None:
    whole = review()
    golden.holds("reports/review-report.md", report(whole))
    golden.holds("reports/review-decision.md", details(whole))
    golden.holds("reports/last-review.json", result(whole).model_dump_json(indent=2) + "\n")


@pytest.mark.parametrize(
    ("status", "findings", "answered", "headline"),
    [
        (ReviewStatus.BLOCKING, FINDINGS, ((1, 2, 3),), "# Review: blocked: 2 to fix, 1 contested"),
        (ReviewStatus.CLEAN, (), ((1, 2, 3),), "# Review: clean"),
        (ReviewStatus.INCOMPLETE, (), ((1,),), "# Review incomplete: nothing found so far"),
        (ReviewStatus.FAILED, (), ((),), "# Review failed: nobody answered"),
    ],
)
def test_the_first_line_says_how_it_ended(
    status: ReviewStatus, findings: tuple[ReviewFinding, ...], answered: tuple[tuple[int, ...], ...], headline: str
) -> None:
    whole = review(status, findings, answered)
    assert verdict_first(whole).splitlines()[0] == headline
    assert PRESENTATION.conclusion(whole).is_plain is (status in {ReviewStatus.BLOCKING, ReviewStatus.CLEAN})
    assert (last(whole) is None) is (status is ReviewStatus.FAILED)


def test_what_nobody_looked_at_and_who_was_silent_stand_in_the_first_lines() -> None:
    gap = LeftOut(path="src/big.py", why=NotShown.NO_ROOM)
    turns = (said(1, answer("{}")), said(2, answer("I see nothing.", tool="codex")), said(3, failure(tool="gemini")))
    told = verdict_first(review(ReviewStatus.INCOMPLETE, (), ((1,),), turns, change={"left_out": (gap,)}))
    assert "Why: fewer than two families answered; some of the change was shown to nobody" in told
    assert "[WARN] codex has not reviewed it: " in told
    assert "[WARN] gemini has not reviewed it: timeout" in told
    assert "[WARN] Shown to nobody: src/big.py (no room within the limit)." in told
    assert "clean" not in told.lower()


def test_of_several_parts_it_is_said_which_one_somebody_missed() -> None:
    turns = tuple(
        said(
            number,
            failure(FailureCode.QUOTA, tool=tool) if (part, number) == (2, 2) else answer("{}", tool=tool),
            part=part,
        )
        for part in (1, 2)
        for number, tool in enumerate(("claude", "codex"), start=1)
    )
    reviewers = request().reviewers[:2]
    whole = review(
        ReviewStatus.INCOMPLETE, (), ((1, 2), (1,)), turns, reviewers=reviewers, change={"parts": ((0,), (1,))}
    )
    told = verdict_first(whole)
    assert "Why: fewer than two families answered for part 2 of 2" in told
    assert "| 1 of 2 parts; quota" in report(whole)


def test_first_lines_are_twenty_however_much_there_is_and_keep_the_most_severe_and_the_warnings() -> None:
    many = tuple(
        finding(FindingState.CONFIRMED, reported(42, f"{SEND}{number}", title=f"{number} is {'long ' * 40}"))
        for number in range(60)
    )
    gaps = tuple(LeftOut(path=f"{number}/{'x' * 100}", why=why) for number, why in enumerate(NotShown))
    told = verdict_first(review(ReviewStatus.INCOMPLETE, many, ((1,),), change={"left_out": gaps}))
    assert sum(height(line.rstrip()) for line in told.strip().splitlines()) <= 20
    assert "critical shop/pay ment.py:42: 0 is long" in told
    assert "… and 5" in told.split("Why:")[0]
    assert "[WARN] codex has not reviewed it" in told
    whole = review(ReviewStatus.INCOMPLETE, many, ((1,),))
    assert len(in_short(whole)) < 5_000
    assert len(details(whole, limit=3_000)) < 3_000


HOSTILE = "# **Fixed**\n\x1b[31m```\n````text\n<img src=x> ![a](http://bad.example) | b |\n> 1. *x*\n/merge @all\u202e"


def test_neither_code_nor_words_leave_their_place_or_act() -> None:
    words = dict.fromkeys(("title", "trigger", "consequence", "fix"), HOSTILE)
    one = reported(42, HOSTILE, **words)
    refuting = examined(Examination.REFUTED, quote=HOSTILE)
    whole = review(
        ReviewStatus.FINDINGS,
        (
            finding(FindingState.REFUTED, one, examined=refuting),
            finding(FindingState.STRUCK, one, anchoring=Anchoring.NO_FILE),
            finding(FindingState.CONTESTED, one, dismissed=HOSTILE, examined=examined(Examination.UNSURE, place=None)),
        ),
        turns=(said(1, answer(HOSTILE)), said(2, answer(HOSTILE, tool="codex"))),
        about=HOSTILE.replace("\x1b", ""),
        change={"title": HOSTILE, "left_out": (LeftOut(path=HOSTILE, why=NotShown.NO_ROOM),)},
    )
    for text in (report(whole), details(whole)):
        assert not {"\x1b", "\u202e"} & set(text)
        parsed = read(text)
        assert not [line for line in parsed.headings if line.startswith("# **") or line == "# Fixed"]
        assert {"html_block", "ordered_list_open", "code_block"}.isdisjoint(block_types(parsed.outside))
        assert inline_types(parsed.outside) <= INERT
    fences = [block.content for block in read(report(whole)).outside if block.type == "fence"]
    assert [text for text in fences if "/merge" not in text and "send" not in text] == []


def test_the_code_that_a_change_removes_is_marked_so() -> None:
    place = CodePlace(file=PAY.path, first=40, last=40, text="    with lock(order):", is_removed=True)
    told = report(
        review(findings=(finding(FindingState.CONFIRMED, reported(40, "    with lock(order):"), place=place),))
    )
    assert "### critical: shop/pay ment.py:40 (removed): A charge" in told


def test_a_reviewer_who_was_lines_off_and_one_who_called_it_something_else_are_told() -> None:
    two = finding(
        FindingState.CONFIRMED,
        reported(42, SEND),
        reported(45, SEND, defect="data_loss", severity=DefectSeverity.MAJOR, title="Money is lost"),
        by=(1, 2),
    )
    moved = two.reporters[1].model_copy(update={"anchoring": Anchoring.MOVED, "moved_by": -3})
    told = report(review(findings=(two.model_copy(update={"reporters": (two.reporters[0], moved)}),)))
    assert "**codex (its default model)**: major, confidence 0.90; data loss; it named line 45, 3 lines off" in told
    assert "> Money is lost\n>\n> Trigger:" in told


def told(kind: TurnKind, words: str) -> str:
    turn = said(1, answer(words), kind=kind)
    tell = PRESENTATION.told
    assert tell
    return tell(request(), Transcript(turns=(turn,)))


def test_whoever_watches_is_told_what_an_answer_comes_to() -> None:
    one = '{"findings": [{"severity": "major", "file": "a.py", "line": 3, "title": "*It* loops"}, 7]}'
    assert told(TurnKind.FINDINGS, one) == "2 findings:\n- major a.py:3: \\*It\\* loops\n- …"
    assert told(TurnKind.FINDINGS, '```json\n{"findings": []}\n```') == "no findings."
    assert told(TurnKind.FINDINGS, "All is well.") == "No usable answer."
    assert told(TurnKind.FINDINGS, '{"findings": "none"}') == "No usable answer."
    assert (
        told(TurnKind.EXAMINATION, '{"verdict": "refuted", "reason": "A lock is held."}') == "refuted: A lock is held."
    )
    assert told(TurnKind.JOINING, '{"same": []}') == ""


def test_an_unfinished_review_says_what_it_looks_at_and_whose_findings_are_missing() -> None:
    whole = run(request(change={"left_out": (LeftOut(path="b", why=NotShown.SECRET),)}), (said(2, answer("{}")),))
    assert PRESENTATION.remaining(whole)[:2] == ("findings of claude", "findings of gemini")
    case = PRESENTATION.case
    assert case
    assert "Shown to nobody: b (its name is made for secrets)" in joined(case(whole.header.request))


async def test_what_blocks_has_not_failed_for_an_agent_nor_for_a_shell() -> None:
    auth = said(3, failure(FailureCode.AUTH, tool="gemini"))
    blocking = review(ReviewStatus.BLOCKING, turns=(said(1, answer("{}")), auth))
    assert (await shown(Standing(blocking))).status == "finished"
    assert exit_code(blocking) is ExitCode.FAILED
    assert exit_code(review(ReviewStatus.FAILED, (), ((),), turns=(auth,))) is ExitCode.TOOL_MISSING
