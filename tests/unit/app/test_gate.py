"""What a gate decides: from what a host asks, what a review found and what was answered before; nothing is started."""

import re
import tomllib
from pathlib import Path

import pytest

from sparring.app.gate import HostCall, decided, digest_of, rules_of, threshold, verdict_of
from sparring.errors import ConfigurationError
from sparring.schema.changes import ChangeKind, FileChange, Hunk, LeftOut, NotShown, ReviewedChange, ReviewedFile
from sparring.schema.gate import GateAnswer, GateEvent, GateMemory, GateRules, GateVerdict
from sparring.schema.review import (
    Anchoring,
    CodePlace,
    DefectClass,
    DefectSeverity,
    FindingState,
    ReportedFinding,
    Reporter,
    ReviewFinding,
    ReviewOutcome,
    ReviewStatus,
)

RULES = GateRules()
FILE = Path("config.toml")


def finding(
    state: FindingState = FindingState.CONFIRMED,
    severity: str = "major",
    file: str = "src/a.py",
    *,
    number: int = 1,
    dismissed: str = "",
) -> ReviewFinding:
    said = ReportedFinding.model_validate(
        {"file": file, "line": 3, "end_line": 3, "quote": "x = 1", "class": "bug", "severity": severity}
        | {"title": "It\nloses data", "trigger": "always", "consequence": "loss", "fix": "Keep\nit", "confidence": 1.0}
    )
    return ReviewFinding(
        id=f"{number:08x}",
        state=state,
        defect=DefectClass.BUG,
        severity=DefectSeverity(severity),
        title=said.title,
        place=CodePlace(file=file, first=3, last=3, text="x = 1"),
        reporters=(Reporter(reviewer=1, said=said, anchoring=Anchoring.EXACT),),
        families=("anthropic", "openai"),
        dismissed=dismissed,
    )


def verdict(
    *findings: ReviewFinding, digest: str = "one", status: ReviewStatus = ReviewStatus.FINDINGS, notices: str = ""
) -> GateVerdict:
    outcome = ReviewOutcome(status=status, findings=findings, notices=(notices,) if notices else ())
    return verdict_of(digest, "review-20260101T000000Z-abcd", outcome)


class Conversation:
    """A session that asks again and again, and what is remembered meanwhile."""

    def __init__(self, rules: GateRules = RULES) -> None:
        self.rules = rules
        self.memory = GateMemory()

    def ask(
        self, found: GateVerdict | None, session: str = "s", *, again: bool = False, dismissed: str = ""
    ) -> GateAnswer | None:
        asked = HostCall(GateEvent.STOP, session, is_again=again)
        result = decided(asked, found, self.memory, self.rules, [dismissed])
        if result is None:
            return None
        self.memory = GateMemory.model_validate_json(result.memory.model_dump_json())
        return result.answer


def test_a_confirmed_finding_holds_back_with_all_that_it_takes_to_mend_it() -> None:
    answer = Conversation().ask(verdict(finding()))
    assert answer is not None
    assert answer.blocks
    for part in ("src/a.py:3", "major", "It loses data", "Keep it", "00000001", "sparring review dismiss ID --why"):
        assert part in answer.text


@pytest.mark.parametrize(
    "found",
    [
        finding(FindingState.CONTESTED, "critical"),
        finding(FindingState.REFUTED, "critical"),
        finding(FindingState.STRUCK, "critical"),
        finding(severity="minor"),
        finding(dismissed="It is meant so."),
    ],
    ids=["contested", "refuted", "struck", "minor", "dismissed"],
)
def test_nothing_else_does_and_the_verdict_is_said(found: ReviewFinding) -> None:
    answer = Conversation().ask(verdict(found))
    assert answer is not None
    assert not answer.blocks
    assert "Reviewed (findings" in answer.text


@pytest.mark.parametrize(
    ("status", "said"),
    [(ReviewStatus.INCOMPLETE, "The review is not whole"), (ReviewStatus.FAILED, "Nobody could review this")],
)
def test_a_review_that_says_nothing_passes_aloud_with_its_cause_each_time(status: ReviewStatus, said: str) -> None:
    session, found = Conversation(), verdict(status=status, notices="codex has failed: timeout.")
    for again in (found, found):
        answer = session.ask(again)
        assert answer is not None
        assert not answer.blocks
        assert said in answer.text
        assert "codex has failed: timeout." in answer.text


def test_what_was_seen_is_not_reviewed_and_not_spoken_of_again() -> None:
    session = Conversation()
    assert session.ask(None) is None
    session.ask(verdict())
    assert session.ask(session.memory.verdicts[0]) == GateAnswer()


def test_a_session_is_not_held_back_twice_for_the_same() -> None:
    session = Conversation()
    session.ask(verdict(finding()))
    answer = session.ask(verdict(finding()), again=True)
    assert answer is not None
    assert not answer.blocks
    assert "nothing has changed since they were shown: src/a.py:3" in answer.text


def test_no_session_is_held_back_more_often_than_it_may_be_and_then_nobody_is_asked() -> None:
    session = Conversation()
    answers = [session.ask(verdict(finding(), digest=str(number)), again=number > 0) for number in range(5)]
    assert [answer.blocks for answer in answers if answer] == [True, True, False, False, False]
    assert all("as often as it may be (2)" in answer.text for answer in answers[2:] if answer)
    unseen = session.ask(None, again=True)
    assert unseen is not None
    assert "nothing was reviewed" in unseen.text
    assert session.ask(None, session="another") is None


def test_another_session_is_told_what_was_found_without_a_review() -> None:
    session = Conversation()
    session.ask(verdict(finding()))
    answer = session.ask(session.memory.verdicts[0], session="another")
    assert answer is not None
    assert answer.blocks


def test_an_agent_that_is_at_work_for_a_hook_we_know_nothing_of_is_not_held_back() -> None:
    for found in (None, verdict(finding())):
        answer = Conversation().ask(found, again=True)
        assert answer is not None
        assert not answer.blocks
        assert "not by this gate" in answer.text


def test_what_is_dismissed_meanwhile_holds_nobody_back() -> None:
    session = Conversation()
    session.ask(verdict(finding(number=7)))
    answer = session.ask(session.memory.verdicts[0], session="another", dismissed="00000007")
    assert answer == GateAnswer()


def test_what_is_remembered_and_what_is_told_is_bounded() -> None:
    many = [finding(number=number, file=f"src/{'long' * 30}{number}.py") for number in range(1, 400)]
    answer = Conversation().ask(verdict(*many))
    assert answer is not None
    assert len(answer.text) < 12_000
    assert "387 more" in answer.text
    session = Conversation(GateRules(rounds=7))
    for number in range(60):
        session.ask(verdict(finding(), digest=str(number)), session=str(number))
    assert (len(session.memory.verdicts), len(session.memory.sessions)) == (50, 50)


def test_the_first_pattern_that_fits_says_what_blocks_in_a_file() -> None:
    rules = rules_of({"severity": "minor", "paths": {"docs/*": "off", "*.md": "critical"}}, FILE)
    found = [threshold(rules, path) for path in ("docs/deep/a.md", "README.md", "src/a.py")]
    assert found == [None, DefectSeverity.CRITICAL, DefectSeverity.MINOR]
    held = [
        Conversation(rules).ask(verdict(finding(severity="major", file=path)))
        for path in ("docs/a.md", "README.md", "a.py")
    ]
    assert [answer.blocks for answer in held if answer] == [False, False, True]


def change(*files: tuple[str, str], left_out: tuple[LeftOut, ...] = ()) -> ReviewedChange:
    shown = tuple(
        ReviewedFile(path=path, change=FileChange.MODIFIED, hunks=(Hunk(first=1, lines=(" kept", f"+{line}")),))
        for path, line in files
    )
    return ReviewedChange(kind=ChangeKind.DIFF, title="the uncommitted changes", files=shown, left_out=left_out)


def test_a_digest_is_the_same_as_long_as_what_counts_in_it_is() -> None:
    plain = digest_of(change(("a.py", "x")))
    binary = LeftOut(path="a.bin", why=NotShown.BINARY)
    assert digest_of(change(("a.py", "x"), left_out=(binary,))) == plain
    assert digest_of(change(("a.py", "z"))) != plain
    secret = LeftOut(path=".env", why=NotShown.SECRET)
    assert digest_of(change(("a.py", "x"), left_out=(secret,))) != plain


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"rounds": 0}, "gate.rounds"),
        ({"max_time": 10_000}, "gate.max_time"),
        ({"max_cost": float("inf")}, "gate.max_cost"),
        ({"severity": "bad"}, "gate.severity"),
        ({"paths": {"*": "never"}}, r"gate.paths"),
        ({"round": 1}, "gate.round"),
    ],
)
def test_a_rule_that_cannot_be_is_refused_by_its_name(table: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigurationError, match=rf"config\.toml: {said}"):
        rules_of(table, FILE)


def test_reviewers_may_be_spelled_as_they_are_typed() -> None:
    assert rules_of({"reviewers": "claude, codex:gpt"}, FILE) == rules_of({"reviewers": ["claude", "codex:gpt"]}, FILE)


def test_the_page_shows_the_rules_that_count_where_nothing_is_said() -> None:
    page = (Path(__file__).parents[3] / "docs" / "gates.md").read_text(encoding="utf-8")
    shown = re.search(r"```toml\n(.*?)```", page, re.DOTALL)
    assert shown
    rules = rules_of(tomllib.loads(shown[1])["gate"], FILE)
    assert rules.model_copy(update={"reviewers": (), "paths": {}}) == RULES
    assert [threshold(rules, path) for path in ("docs/a/b.md", "src/billing/a.py")] == [None, DefectSeverity.MINOR]
