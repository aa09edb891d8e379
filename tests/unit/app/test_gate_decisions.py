"""What a gate decides: from what a host asks, what a review found and what was answered before; nothing is started."""

import re
import tomllib
from pathlib import Path

import pytest

from sparring.app.gate_decisions import HostCall, decided, rules_of, threshold, verdict_of
from sparring.errors import ConfigurationError
from sparring.schema.authors import Independence
from sparring.schema.checks import CheckResult
from sparring.schema.gate import GateAnswer, GateEvent, GateMemory, GateRules, GateVerdict
from sparring.schema.review import (
    DefectSeverity,
    FindingState,
    ReviewFinding,
    ReviewOutcome,
    ReviewStatus,
)
from support import review_runs

RULES = GateRules()
FILE = Path("config.toml")


def finding(state: str = "confirmed", severity: str = "major", file: str = "a.py", **more: object) -> ReviewFinding:
    words = {"title": "It\nloses data", "fix": "Keep\nit"}
    said = review_runs.reported(3, "x = 1", file=file, severity=DefectSeverity(severity), **words)
    return review_runs.finding(FindingState(state), said, by=(1,), **{"id": "00000001", **more})


def verdict(
    *findings: ReviewFinding, digest: str = "one", status: ReviewStatus = ReviewStatus.FINDINGS, notices: str = ""
) -> GateVerdict:
    record_reply = {"anthropic": Independence.INDEPENDENT, "openai": Independence.INDEPENDENT}
    counted = (record_reply if status is not ReviewStatus.INCOMPLETE else {},)
    told = (notices,) if notices else ()
    outcome = ReviewOutcome(status=status, findings=findings, counted=counted, notices=told)
    return verdict_of(digest, "review-20260101T000000Z-abcd", outcome)


class Conversation:
    """A session that asks again and again, and what is remembered meanwhile."""

    def __init__(self, rules: GateRules = RULES) -> None:
        self.rules = rules
        self.memory = GateMemory()

    def ask(self, found: GateVerdict | None, session: str = "s", *, again: bool = False) -> GateAnswer | None:
        asked = HostCall(GateEvent.STOP, session, is_again=again)
        result = decided(asked, found, self.memory, self.rules)
        if result is None:
            return None
        self.memory = GateMemory.model_validate_json(result.memory.model_dump_json())
        return result.answer

    def told(self, found: GateVerdict | None, *, again: bool = False) -> tuple[bool, str]:
        """Return whether the session is held back, and what it is told, where nobody needs to look first."""
        answer = self.ask(found, again=again)
        assert answer is not None
        return answer.blocks, answer.text


def test_doubtful_minor_and_dismissed_findings_do_not_block_and_the_verdict_is_stated() -> None:
    doubtful = [finding(state, "critical") for state in ("contested", "refuted", "struck")]
    others = (finding(severity="minor"), finding(dismissed="It is meant so."), finding(is_outside=True))
    for found in (*doubtful, *others):
        blocks, text = Conversation().told(verdict(found))
        assert (blocks, "Reviewed (findings" in text) == (False, True)


@pytest.mark.parametrize(
    ("status", "said"),
    [(ReviewStatus.INCOMPLETE, "The review is not complete"), (ReviewStatus.FAILED, "No reviewer could review this")],
)
def test_a_review_without_a_verdict_passes_with_its_cause_each_time(status: ReviewStatus, said: str) -> None:
    session, found = Conversation(), verdict(status=status, notices="codex has failed: timeout.")
    for again in (found, found):
        blocks, text = session.told(again)
        assert (blocks, said in text, "codex has failed: timeout." in text) == (False, True, True)
    assert session.memory.verdicts == (), "what nobody could review is no verdict"


def test_a_session_is_not_blocked_twice_for_one_finding() -> None:
    session = Conversation()
    assert 'sparring review dismiss ID "' in session.told(verdict(finding()))[1]
    blocks, text = session.told(verdict(finding()), again=True)
    assert not blocks
    assert "nothing has changed since they were shown: a.py:3" in text


def test_a_session_is_not_blocked_by_a_known_finding_after_another_change() -> None:
    session = Conversation()
    assert session.told(verdict(finding()))[0]
    blocks, text = session.told(verdict(finding(), digest="with a comment above"), again=True)
    assert (blocks, "nothing has changed since they were shown" in text) == (False, True)
    assert session.told(verdict(finding(), finding(id="00000002"), digest="another"), again=True)[0]


def failed(command: str = "make test", exit_code: int | None = 2) -> CheckResult:
    return CheckResult(command=command, exit_code=exit_code, lines=("1 failed",))


def test_a_check_that_fails_holds_a_session_back_with_its_last_lines() -> None:
    session = Conversation()
    found = verdict().model_copy(update={"checks": (failed(),)})
    blocks, text = session.told(found)
    assert blocks
    for part in ("1 failed check is to be fixed first", "make test: exit code 2", "    1 failed"):
        assert part in text
    assert "nothing has changed since they were shown: make test" in session.told(found, again=True)[1]
    assert session.told(found.model_copy(update={"digest": "another"}), again=True)[0]


def test_a_check_that_does_not_end_is_reported_each_time_and_does_not_block() -> None:
    session, found = Conversation(), verdict().model_copy(update={"checks": (failed(exit_code=None),)})
    for _ in range(2):
        assert session.told(found)[0] is False
        assert "make test: no end in time" in session.told(found)[1]


def test_a_session_is_blocked_at_most_the_allowed_number_of_times() -> None:
    session = Conversation()
    found = [verdict(finding(id=f"{number:08x}"), digest=str(number)) for number in range(5)]
    answers = [session.told(each, again=number > 0) for number, each in enumerate(found)]
    assert [blocks for blocks, _ in answers] == [True, True, False, False, False]
    assert all("as often as allowed (2)" in text for _, text in answers[2:])
    assert "nothing was reviewed" in session.told(None, again=True)[1]
    assert session.ask(None, session="another") is None


def test_an_agent_that_continues_for_a_foreign_hook_is_not_blocked() -> None:
    for found in (None, verdict(finding())):
        blocks, text = Conversation().told(found, again=True)
        assert (blocks, "not by this gate" in text) == (False, True)


def test_memory_and_messages_of_the_gate_are_bounded() -> None:
    many = [finding(id=f"{number:08x}", file=f"src/{'long' * 30}{number}.py") for number in range(1, 400)]
    _, text = Conversation().told(verdict(*many))
    assert len(text) < 12_000
    assert "387 more" in text
    session = Conversation(GateRules(rounds=7))
    for number in range(60):
        session.ask(verdict(finding(), digest=str(number)), session=str(number))
    assert (len(session.memory.verdicts), len(session.memory.sessions)) == (50, 50)


def test_the_first_matching_pattern_sets_the_threshold_of_a_file() -> None:
    rules = rules_of({"severity": "minor", "paths": {"docs/*": "off", "*.md": "critical"}}, FILE)
    found = [threshold(rules, path) for path in ("docs/deep/a.md", "README.md", "src/a.py")]
    assert found == [None, DefectSeverity.CRITICAL, DefectSeverity.MINOR]
    held = [Conversation(rules).told(verdict(finding(file=path))) for path in ("docs/a.md", "README.md", "a.py")]
    assert [blocks for blocks, _ in held] == [False, False, True]


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"rounds": 0}, "gate.rounds"),
        ({"max_time": 10_000}, "gate.max_time"),
        ({"max_cost": float("inf")}, "gate.max_cost"),
        ({"severity": "bad"}, "gate.severity"),
        ({"paths": {"*": "never"}}, r"gate.paths"),
        ({"round": 1}, "gate.round"),
        ({"checks": [""]}, "gate.checks"),
        ({"checks": "make test"}, "gate.checks"),
    ],
)
def test_a_rule_that_cannot_be_is_refused_by_its_name(table: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigurationError, match=rf"config\.toml: {said}"):
        rules_of(table, FILE)


def test_reviewers_may_be_spelled_as_they_are_typed() -> None:
    assert rules_of({"reviewers": "claude, codex:gpt"}, FILE) == rules_of({"reviewers": ["claude", "codex:gpt"]}, FILE)


def test_the_page_shows_the_default_rules() -> None:
    page = (Path(__file__).parents[3] / "docs" / "gates.md").read_text(encoding="utf-8")
    shown = re.search(r"```toml\n(.*?)```", page, re.DOTALL)
    assert shown
    rules = rules_of(tomllib.loads(shown[1])["gate"], FILE)
    assert rules.checks == ("make test",)
    assert rules.model_copy(update={"reviewers": (), "paths": {}, "checks": ()}) == RULES
    assert [threshold(rules, path) for path in ("docs/a/b.md", "src/billing/a.py")] == [None, DefectSeverity.MINOR]
