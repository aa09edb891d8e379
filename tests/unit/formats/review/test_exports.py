"""A review as other programs take it."""

import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from sparring.errors import UsageError
from sparring.formats.review.exports import github, gitlab, sarif
from sparring.schema.changes import ChangeKind, ExcludedFile, ExclusionReason, FileChange, Hunk, ReviewedFile
from sparring.schema.review import Anchoring, CodePlace, FindingState, ReviewFinding, ReviewStatus
from sparring.schema.runs import Run
from support.golden import Golden
from support.review_runs import PAY, SEND, finding, reported, review

SCHEMA = Path(__file__).parents[3] / "data" / "sarif-2.1.0-rtm.5.json"


def log(whole: Run) -> dict[str, Any]:
    """The run in a log that is what the standard's schema says."""
    found = json.loads(sarif(whole))
    import_module("jsonschema").Draft4Validator(json.loads(SCHEMA.read_text(encoding="utf-8"))).validate(found)
    (only,) = found["runs"]
    return only


def confirmed(line: int, quote: str, **changes: Any) -> ReviewFinding:
    return finding(FindingState.CONFIRMED, reported(line, quote, **changes))


@pytest.mark.parametrize("status", list(ReviewStatus))
def test_only_a_whole_review_ended_well_in_sarif(status: ReviewStatus) -> None:
    is_whole = status not in {ReviewStatus.INCOMPLETE, ReviewStatus.FAILED}
    (invocation,) = log(review(status, answered=((1, 2, 3),)))["invocations"]
    assert invocation["executionSuccessful"] is is_whole
    (unheard,) = log(review(status))["invocations"]
    told = unheard["toolExecutionNotifications"]
    assert (unheard["executionSuccessful"], {each["level"] for each in told}) == (False, {"error"})
    assert any("gemini has not reviewed it" in each["message"]["text"] for each in told)


def test_links_in_words_of_reviewers_are_plain_text_in_sarif() -> None:
    one = confirmed(42, SEND, fix="Read [this](http://bad.example).", title="\x1b[31mred\u202e")
    message = log(review(findings=(one,)))["results"][0]["message"]["text"]
    assert not [each for each in ("](", "\x1b", "\u202e") if each in message]


def removed(first: int, text: str) -> ReviewFinding:
    place = CodePlace(file=PAY.path, first=first, last=first, text=text, is_removed=True)
    return finding(FindingState.CONFIRMED, reported(first, text), place=place)


def on_github(whole: Run) -> tuple[list[dict[str, Any]], str]:
    payload = json.loads(github(whole))
    assert payload["event"] == "COMMENT"
    return payload["comments"], payload["body"]


LOCK = removed(40, "    with lock(order):\n        return send(amount, key=order.id)")
THREE = confirmed(40, "    for attempt in range(3):\n        try:\n            return")
KEPT, ADDED = confirmed(46, "def refund(order):"), confirmed(42, SEND)
PATHS = ("a b/ü#1?.py", "c:d.py", "100%.py", "-")
RENAMED = confirmed(2, "B = 2", file="shop/keys.py")
PARTLY_SEEN = review(
    findings=(KEPT, removed(40, "    with lock(order):"), ADDED),
    change={"left_out": (ExcludedFile(path=PAY.path, reason=ExclusionReason.SEEN),)},
)
EXPORTS: dict[str, tuple[Callable[[Run], str], Run]] = {
    # What may be true, and what was dismissed as such.
    "review.sarif": (sarif, review()),
    # A path is an address below the root.
    "paths.sarif": (sarif, review(findings=tuple(confirmed(3, "x", file=path, end_line=5) for path in PATHS))),
    # What is no line of the change stands in the summary.
    "github.json": (github, review()),
    "github-of-whole-files.json": (github, review(change={"kind": ChangeKind.FILES})),
    # Lines of the new file or of the old; GitLab knows one that stays by both numbers.
    "github-of-old-and-new-lines.json": (github, review(findings=(LOCK, THREE))),
    "gitlab.json": (gitlab, review(findings=(ADDED, LOCK, KEPT, RENAMED))),
    # Where hunks of a file are missing no old number is made up.
    "gitlab-of-what-was-seen-in-part.json": (gitlab, PARTLY_SEEN),
    "github-of-what-was-seen-in-part.json": (github, PARTLY_SEEN),
}


@pytest.mark.parametrize("name", EXPORTS)
def test_an_export_is_as_in_its_golden_file(name: str, golden: Golden) -> None:
    export, whole = EXPORTS[name]
    golden.holds(f"exports/{name}", export(whole))


def test_only_three_lines_around_a_change_can_be_commented_on() -> None:
    lines = (*(" x",) * 8, "+new", *(" y",) * 8)
    far = ReviewedFile(path="far.py", change=FileChange.MODIFIED, hunks=(Hunk(first=1, lines=lines),))
    every = tuple(confirmed(line, "x", file="far.py") for line in range(1, 18))
    comments, _ = on_github(review(findings=every, change={"files": (far,), "parts": ((0,),)}))
    assert sorted(each["line"] for each in comments) == list(range(6, 13))


def test_for_gitlab_two_commits_have_to_be_compared() -> None:
    with pytest.raises(UsageError, match="need two commits"):
        gitlab(review(change={"head": None}))
    assert "commit_id" not in json.loads(github(review(change={"head": None})))


def test_words_of_reviewers_notify_no_one_and_trigger_no_command() -> None:
    words = "@everyone fixes #12 and !3\n/merge\n```suggestion\nrm\n```\n![x](http://bad.example) <b>"
    one = reported(42, SEND, **dict.fromkeys(("title", "trigger", "consequence", "fix"), words))
    struck = finding(FindingState.CONFIRMED, one, is_outside=True, anchoring=Anchoring.OUTSIDE)
    comments, summary = on_github(review(findings=(finding(FindingState.CONFIRMED, one), struck)))
    for body in (comments[0]["body"], summary):
        assert not [each for each in ("@everyone", "#12", "!3") if each in body]
        assert not [line for line in body.splitlines() if line.startswith(("/", "```"))]
        assert "![x](" not in body.replace("\\", "[")
