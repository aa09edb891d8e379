"""A review as other programs take it."""

import json
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from sparring.errors import UsageError
from sparring.formats.review.exports import github, gitlab, sarif
from sparring.schema.changes import ChangeKind, FileChange, Hunk, LeftOut, NotShown, ReviewedFile
from sparring.schema.review import Anchoring, CodePlace, FindingState, ReviewFinding, ReviewStatus
from sparring.schema.runs import Run
from support.review_runs import FINDINGS, PAY, SEND, finding, reported, review

SCHEMA = Path(__file__).parents[3] / "data" / "sarif-2.1.0-rtm.5.json"


def log(whole: Run) -> dict[str, Any]:
    """The run in a log that is what the standard's schema says."""
    found = json.loads(sarif(whole))
    import_module("jsonschema").Draft4Validator(json.loads(SCHEMA.read_text(encoding="utf-8"))).validate(found)
    (only,) = found["runs"]
    return only


def test_sarif_holds_what_may_be_true_and_says_what_was_dismissed() -> None:
    results = log(review())["results"]
    told = [(each["ruleId"], each["level"], each["properties"]["state"], "suppressions" in each) for each in results]
    assert told == [
        ("bug", "error", "confirmed", False),
        ("concurrency", "error", "confirmed", False),
        ("api", "note", "contested", False),
        ("bug", "warning", "confirmed", False),
        ("style", "note", "contested", True),
    ]
    assert results[4]["suppressions"][0]["justification"] == "We like it so."
    assert [each["partialFingerprints"]["sparringFinding/v1"] for each in results] == [each.id for each in FINDINGS[:5]]


@pytest.mark.parametrize("path", ["a b/ü#1?.py", "c:d.py", "100%.py", "-"])
def test_a_path_in_sarif_is_an_address_below_the_root(path: str) -> None:
    found = log(review(findings=(finding(FindingState.CONFIRMED, reported(3, "x", file=path, end_line=5)),)))
    (result,) = found["results"]
    where = result["locations"][0]["physicalLocation"]
    assert where["region"] == {"startLine": 3, "endLine": 5, "snippet": {"text": "x"}}
    uri = where["artifactLocation"]["uri"]
    assert where["artifactLocation"]["uriBaseId"] in found["originalUriBaseIds"]
    assert uri.isascii()
    assert not set(uri) & set(" #?:")
    assert unquote(uri) == path


@pytest.mark.parametrize("status", list(ReviewStatus))
def test_only_a_whole_review_ended_well_in_sarif(status: ReviewStatus) -> None:
    (invocation,) = log(review(status))["invocations"]
    is_whole = status not in {ReviewStatus.INCOMPLETE, ReviewStatus.FAILED}
    assert invocation["executionSuccessful"] is is_whole
    told = invocation["toolExecutionNotifications"]
    assert {each["level"] for each in told} == {"warning" if is_whole else "error"}
    assert any("gemini has not reviewed it" in each["message"]["text"] for each in told)


def test_a_link_in_what_reviewers_say_is_none_in_sarif() -> None:
    one = reported(42, SEND, fix="Read [this](http://bad.example).", title="\x1b[31mred\u202e")
    message = log(review(findings=(finding(FindingState.CONFIRMED, one),)))["results"][0]["message"]["text"]
    assert "](" not in message
    assert "\x1b" not in message
    assert "\u202e" not in message


def removed(first: int, text: str) -> ReviewFinding:
    place = CodePlace(file=PAY.path, first=first, last=first, text=text, is_removed=True)
    return finding(FindingState.CONFIRMED, reported(first, text), place=place)


def on_github(whole: Run) -> tuple[list[dict[str, Any]], str]:
    payload = json.loads(github(whole))
    assert payload["event"] == "COMMENT"
    return payload["comments"], payload["body"]


def place(comment: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in comment.items() if name not in {"path", "body"}}


def test_comments_for_github_name_lines_of_the_new_file_or_of_the_old() -> None:
    lock = removed(40, "    with lock(order):\n        return send(amount, key=order.id)")
    three = finding(
        FindingState.CONFIRMED, reported(40, "    for attempt in range(3):\n        try:\n            return")
    )
    comments, _ = on_github(review(findings=(lock, three)))
    assert [place(each) for each in comments] == [
        {"start_line": 40, "start_side": "LEFT", "line": 41, "side": "LEFT"},
        {"start_line": 40, "start_side": "RIGHT", "line": 42, "side": "RIGHT"},
    ]
    assert {each["path"] for each in comments} == {PAY.path}


def test_what_is_no_line_of_the_change_stands_in_the_summary() -> None:
    comments, summary = on_github(review())
    assert [each["line"] for each in comments] == [42, 40, 43]
    assert "A refund has no key either" in summary
    assert "Nested too deeply" not in summary
    assert "gemini has not reviewed it" in summary
    assert "It waits for nothing" not in summary
    comments, summary = on_github(review(change={"kind": ChangeKind.FILES}))
    assert not comments
    assert "A charge is sent again" in summary


FAR = ReviewedFile(
    path="far.py", change=FileChange.MODIFIED, hunks=(Hunk(first=1, lines=(*(" x",) * 8, "+new", *(" y",) * 8)),)
)


@pytest.mark.parametrize(("line", "is_shown"), [(5, False), (6, True), (9, True), (12, True), (13, False)])
def test_only_three_lines_around_a_change_can_be_commented_on(line: int, *, is_shown: bool) -> None:
    one = finding(FindingState.CONFIRMED, reported(line, "x", file="far.py"))
    whole = review(findings=(one,), change={"files": (FAR,), "parts": ((0,),)})
    comments, _ = on_github(whole)
    assert bool(comments) is is_shown


def positions(whole: Run) -> list[dict[str, Any]]:
    shas = {"position_type": "text", "base_sha": "1" * 40, "start_sha": "1" * 40, "head_sha": "2" * 40}
    found = [each["position"] for each in json.loads(gitlab(whole))["discussions"]]
    assert all(shas.items() <= each.items() for each in found)
    return [{name: value for name, value in each.items() if name not in shas} for each in found]


def test_gitlab_knows_an_added_line_a_removed_one_and_one_that_stays_by_their_own_numbers() -> None:
    findings = (
        finding(FindingState.CONFIRMED, reported(42, SEND)),
        removed(40, "        return send(amount, key=order.id)"),
        finding(FindingState.CONFIRMED, reported(46, "def refund(order):")),
        finding(FindingState.CONFIRMED, reported(2, "B = 2", file="shop/keys.py")),
    )
    same = {"old_path": PAY.path, "new_path": PAY.path}
    assert positions(review(findings=findings)) == [
        same | {"new_line": 42},
        same | {"old_line": 41},
        same | {"old_line": 43, "new_line": 46},
        {"old_path": "shop/locks.py", "new_path": "shop/keys.py", "old_line": 1, "new_line": 2},
    ]


def test_where_hunks_of_a_file_are_missing_no_old_number_is_made_up() -> None:
    kept, gone = (
        finding(FindingState.CONFIRMED, reported(46, "def refund(order):")),
        removed(40, "    with lock(order):"),
    )
    added = finding(FindingState.CONFIRMED, reported(42, SEND))
    whole = review(findings=(kept, gone, added), change={"left_out": (LeftOut(path=PAY.path, why=NotShown.SEEN),)})
    assert positions(whole) == [{"old_path": PAY.path, "new_path": PAY.path, "new_line": 42}]
    assert [each["line"] for each in on_github(whole)[0]] == [46, 42]


def test_for_gitlab_two_commits_have_to_be_compared() -> None:
    with pytest.raises(UsageError, match="need two commits"):
        gitlab(review(change={"head": None}))
    assert "commit_id" not in json.loads(github(review(change={"head": None})))


def test_reviewers_words_notify_nobody_and_command_nothing() -> None:
    words = "@everyone fixes #12 and !3\n/merge\n```suggestion\nrm\n```\n![x](http://bad.example) <b>"
    one = reported(42, SEND, **dict.fromkeys(("title", "trigger", "consequence", "fix"), words))
    struck = finding(FindingState.CONFIRMED, one, is_outside=True, anchoring=Anchoring.OUTSIDE)
    comments, summary = on_github(review(findings=(finding(FindingState.CONFIRMED, one), struck)))
    for body in (comments[0]["body"], summary):
        assert "@everyone" not in body
        assert "#12" not in body
        assert "!3" not in body
        assert not [line for line in body.splitlines() if line.startswith(("/", "```"))]
        assert "![x](" not in body.replace("\\", "[")
