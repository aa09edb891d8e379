"""``sparring gate``: what a host that asks is answered, and that nothing lets pass without a word."""

import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from sparring.testing.model_endpoint import Hang, ModelEndpoint, Say
from support.gating import FOUND, change, git, report, said, set_rules, set_up_reviewers
from support.processes import processes_given
from support.workbench import PATIENCE_S, Result, Workbench

pytestmark = pytest.mark.process


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    """A changed project, git, and two reviewers that find fault with it."""
    bench = Workbench.below(tmp_path, PATH=os.environ["PATH"])
    set_up_reviewers(bench)
    change(bench)
    return bench


def gate(bench: Workbench, host: str = "claude", event: str = "stop", **more: object) -> Result:
    return bench.run("gate", "run", host, event, stdin=said(**more))


def reviews(bench: Workbench) -> Path:
    """Where reviews are kept that Claude Code has asked for."""
    return bench.project / ".claude" / "review"


def passed(done: Result) -> str:
    """What is said beside letting pass."""
    assert done.code == 0, done.err
    answer = json.loads(done.out)
    assert answer.keys() <= {"systemMessage"}
    return answer.get("systemMessage", "")


def test_a_change_is_blocked_once_and_reviewed_again_when_it_is_fixed(bench: Workbench) -> None:
    held = json.loads(gate(bench).out)
    assert held["decision"] == "block"
    for part in ("shop.py:2", "Every total is zero", "Multiply by the quantity."):
        assert part in held["reason"]
    assert "nothing has changed since they were shown" in passed(gate(bench, stop_hook_active=True))
    set_up_reviewers(bench, [report()])
    change(bench, "total = total + price * quantity")
    assert "Reviewed (clean)" in passed(gate(bench, stop_hook_active=True))
    assert passed(gate(bench)) == ""
    (bench.project / "shop.py").write_text("total = 0\n", encoding="utf-8")
    assert passed(gate(bench)) == "", "nothing has changed"
    assert len(list(reviews(bench).glob("runs/*"))) == 2


def only_a_secret_file_has_changed(bench: Workbench) -> None:
    (bench.project / "shop.py").write_text("total = 0\n", encoding="utf-8")
    (bench.project / ".env").write_text("TOKEN=1\n", encoding="utf-8")


BROKEN: Mapping[str, tuple[Callable[[Workbench], object], str]] = {
    "nobody may see it": (only_a_secret_file_has_changed, ".env (secret)"),
    "no repository": (lambda bench: shutil.rmtree(bench.project / ".git"), "git repository"),
    "no findings": (lambda bench: set_up_reviewers(bench, [{"response": "Looks good."}]), "The review is not complete"),
    "a bad rule": (lambda bench: set_rules(bench, "rounds = 0"), "gate.rounds"),
    "no TOML": (lambda bench: set_rules(bench, "= 1"), "is not TOML"),
    "no tool": (lambda bench: (bench.providers / "bob.toml").unlink(), "bob"),
    "no key": (lambda bench: (bench.root / "config" / "state.key").mkdir(), "is not a regular file"),
}


@pytest.mark.parametrize(("broken", "words"), BROKEN.values(), ids=BROKEN)
def test_an_unreviewed_change_passes_with_a_notice(
    bench: Workbench, broken: Callable[[Workbench], object], words: str
) -> None:
    broken(bench)
    assert words in passed(gate(bench))


def test_a_review_without_usable_reviewers_is_no_verdict(bench: Workbench) -> None:
    limit = {"failure": {"code": "rate_limit", "detail": "Too many requests."}}
    set_up_reviewers(bench, [limit])
    for _ in range(2):
        assert "No reviewer could review this" in passed(gate(bench))
    bench.add_tool("ann", [report(FOUND)])
    assert "The review is not complete" in passed(gate(bench))
    set_up_reviewers(bench)
    assert json.loads(gate(bench, session_id="another").out)["decision"] == "block"


def test_only_reviewers_without_an_answer_are_asked_again(bench: Workbench) -> None:
    bench.add_tool("bob", [{"failure": {"code": "timeout", "detail": "No answer."}}])
    assert "The review is not complete" in passed(gate(bench))
    set_up_reviewers(bench)
    bench.add_tool("ann", [{"failure": {"code": "auth", "detail": "It was asked again."}}])
    assert json.loads(gate(bench).out)["decision"] == "block"


def test_a_reply_that_is_never_readable_is_requested_twice_and_always_reported(bench: Workbench) -> None:
    set_up_reviewers(bench, [report({**FOUND, "severity": "blocker"})])
    for _ in range(3):
        assert "The review is not complete" in passed(gate(bench))
    assert len(list(reviews(bench).glob("runs/review-*"))) == 2


def test_a_verdict_counts_for_the_reviewers_and_the_place_that_it_was_given_for(bench: Workbench) -> None:
    text = "def is_public(page):\n    return page.public\n\n\ndef is_admin(user):\n    return user.is_root\n"
    file = bench.project / "auth.py"
    file.write_text(text, encoding="utf-8")
    git(bench, "add", "-A")
    git(bench, "commit", "-qm", "auth")
    set_up_reviewers(bench, [report()])
    file.write_text(text.replace("return page.public", "return True"), encoding="utf-8")
    assert "Reviewed (clean)" in passed(gate(bench))
    assert passed(gate(bench)) == ""
    file.write_text(text.replace("return user.is_root", "return True"), encoding="utf-8")
    assert "Reviewed (clean)" in passed(gate(bench)), "the same line in another function is another change"
    bench.add_tool("cy", [report()])
    config = bench.root / "config" / "config.toml"
    config.write_text(config.read_text(encoding="utf-8").replace('"bob"', '"cy"'), encoding="utf-8")
    assert "Reviewed (clean)" in passed(gate(bench)), "others have reviewed it"
    assert len(list(reviews(bench).glob("runs/*"))) == 3


COMMENTED = f"total = 0\n# Sum up.\n{FOUND['quote']}\n"


def test_a_comment_above_an_old_fault_does_not_block(bench: Workbench) -> None:
    git(bench, "commit", "-qam", "An old fault")
    (bench.project / "shop.py").write_text(COMMENTED, encoding="utf-8")
    set_up_reviewers(bench, [report({**FOUND, "line": 3, "end_line": 3})])
    assert "Reviewed (findings: 1 confirmed)" in passed(gate(bench))


def test_a_comment_above_a_fault_that_was_shown_does_not_make_it_new(bench: Workbench) -> None:
    assert json.loads(gate(bench).out)["decision"] == "block"
    (bench.project / "shop.py").write_text(COMMENTED, encoding="utf-8")
    set_up_reviewers(bench, [report({**FOUND, "line": 3, "end_line": 3})])
    assert "nothing has changed since they were shown: shop.py:3" in passed(gate(bench, stop_hook_active=True))


CONFIRMS = {"verdict": "confirmed", "file": "shop.py", "line": 2, "quote": FOUND["quote"], "reason": "Always."}


@pytest.mark.parametrize("signal_", [signal.SIGKILL, signal.SIGTERM])
def test_an_interrupted_gate_continues_its_review(bench: Workbench, signal_: signal.Signals) -> None:
    findings = Say(str(report(FOUND)["response"])), Say(str(report()["response"]))
    with ModelEndpoint(findings[0]) as ann, ModelEndpoint(Hang()) as bob:
        bob.first.append(findings[1])
        for name, endpoint in (("ann", ann), ("bob", bob)):
            bench.add_api(name, endpoint.url, 'model = "m"')
        with bench.start("gate", "run", "claude", "stop", stdin=subprocess.PIPE) as process:
            assert process.stdin
            process.stdin.write(said())
            process.stdin.close()
            process.stdin = None
            bob.wait_for(2)
            process.send_signal(signal_)
            process.communicate(timeout=PATIENCE_S)
        bob.behaviour = Say(json.dumps(CONFIRMS))
        assert json.loads(gate(bench).out)["decision"] == "block"
        assert (len(ann.requests), len(bob.requests)) == (1, 3), "only what had no answer is asked again"
        assert json.loads(gate(bench, session_id="another").out)["decision"] == "block"
        assert (len(ann.requests), len(bob.requests)) == (1, 3)
    assert len(list(reviews(bench).glob("runs/*"))) == 1


def test_the_users_own_checks_run_and_are_reported_everywhere(bench: Workbench) -> None:
    bench.extra["SERVICE_KEY"] = "never-to-be-seen-4711"
    token = f"ghp_{'0123456789abcdefABCDEF' * 2}"[:40]
    check = f'echo "key: $SERVICE_KEY."; printf gh; echo {token[2:]}; echo "1 failed" >&2; exit 3'
    set_up_reviewers(bench, [report()])
    set_rules(bench, f"checks = {json.dumps([check, 'true'])}")
    held = json.loads(gate(bench).out)
    assert held["decision"] == "block"
    for part in ("exit code 3", "1 failed", "key: ."):
        assert part in held["reason"]
    assert token not in held["reason"]
    (memory,) = reviews(bench).glob("gate-*.json")
    verdict = json.loads(memory.read_text(encoding="utf-8"))["verdicts"][0]
    assert [each["exit_code"] for each in verdict["checks"]] == [3, 0]
    log = json.loads(bench.run("runs", "export", "last", "--format", "sarif").out)["runs"][0]
    first, second = log["invocations"][1:]
    assert (first["exitCode"], first["executionSuccessful"], second["executionSuccessful"]) == (3, False, True)
    assert "1 failed" in first["properties"]["lastLines"]
    assert "exit code 3" in bench.run("runs", "show", "last").out
    assert "nothing has changed since they were shown" in passed(gate(bench, stop_hook_active=True))
    set_rules(bench, 'checks = ["true"]')
    assert "Reviewed (clean)" in passed(gate(bench, session_id="another"))
    assert len(list(reviews(bench).glob("runs/*"))) == 1, "a check that is run again asks no reviewer"


def test_a_check_that_does_not_end_is_ended_with_all_that_it_has_started(bench: Workbench) -> None:
    bench.extra["STARTED_BY"] = str(bench.root)
    set_up_reviewers(bench, [report()])
    set_rules(bench, "max_time = 12", 'checks = ["sleep 3600 & sleep 3600"]')
    assert "no end in time" in passed(gate(bench))
    assert processes_given(f"STARTED_BY={bench.root}") == []


def test_a_project_has_no_say_in_what_is_run(bench: Workbench) -> None:
    marker = bench.root / "was run"
    for name in ("config.toml", ".sparring/config.toml", ".claude/config.toml", "pyproject.toml"):
        (bench.project / name).parent.mkdir(exist_ok=True)
        (bench.project / name).write_text(f'[gate]\nchecks = ["touch {marker}"]\n', encoding="utf-8")
    gate(bench)
    assert not marker.exists()


def test_inside_a_host_its_family_is_the_author(bench: Workbench) -> None:
    for name, family in (("ann", "anthropic"), ("bob", "openai"), ("cy", "google")):
        bench.add_tool(name, [report()], family=family)
    assert "The review is not complete" in passed(gate(bench))
    last = bench.run("runs", "show", "last", "--json").json
    assert [(each["family"], each["source"]) for each in last["authors"]] == [("claude", "host")]
    assert [each["independence"] for each in last["reviewers"]] == ["same", "independent"]
    rules = bench.root / "config" / "config.toml"
    rules.write_text('[gate]\nreviewers = ["ann:another", "bob"]\n', encoding="utf-8")
    assert "which is weaker" in passed(gate(bench))
    rules.write_text('[gate]\nreviewers = ["bob", "cy"]\n', encoding="utf-8")
    assert "Reviewed (clean)." in passed(gate(bench))
    rules.write_text('[gate]\nreviewers = ["ann", "bob"]\n', encoding="utf-8")
    assert "Reviewed (clean)." in passed(gate(bench, "gemini"))


def test_a_dismissed_finding_does_not_block(bench: Workbench) -> None:
    (found,) = re.findall(r"ID ([0-9a-f]{8})", json.loads(gate(bench).out)["reason"])
    dismissal = {"id": found, "why": "It is a gift.", "at": "2026-01-01T00:00:00Z"}
    dismissed = json.dumps({"dismissed": [dismissal], "schema_version": 1}).encode()
    (reviews(bench) / "dismissed.json").write_bytes(dismissed)
    assert json.loads(gate(bench, session_id="another").out)["decision"] == "block", "it came with the project"
    (reviews(bench) / "dismissed.json").write_bytes(bench.key.sealed("review/dismissed.json", dismissed))
    assert passed(gate(bench, session_id="a third")) == ""


def test_unreadable_input_of_a_host_is_reported(bench: Workbench) -> None:
    for stdin in (b"", b"[]", b'{"session_id":', b"\xff"):
        assert "other than a JSON object" in passed(bench.run("gate", "run", "claude", "stop", stdin=stdin))


def test_a_repository_does_not_set_its_own_gate(bench: Workbench) -> None:
    config = bench.project / "config"
    (bench.root / "config").rename(config)
    bench.extra["SPARRING_CONFIG_DIR"] = str(config)
    (config / "config.toml").write_text('[gate]\nreviewers = "ann,bob"\npaths = {"*" = "off"}\n', encoding="utf-8")
    assert passed(gate(bench)) != "", "the repository has switched it off"


def test_files_that_are_off_are_not_reviewed_and_do_not_block(bench: Workbench) -> None:
    set_rules(bench, 'paths = {"*.py" = "off"}')
    assert passed(gate(bench)) == ""
    assert not list((reviews(bench)).glob("runs/*"))
    set_rules(bench, 'paths = {"shop*" = "critical"}')
    assert "Reviewed (findings: 1 confirmed)" in passed(gate(bench))


def test_files_that_are_not_off_are_reviewed_from_any_folder(bench: Workbench) -> None:
    set_rules(bench, 'paths = {"docs/*" = "off"}')
    for name in ("docs/page.md", "sub/shop.py", ".env", *(f"new/{number}.py" for number in range(100))):
        (bench.project / name).parent.mkdir(exist_ok=True)
        (bench.project / name).write_text("An entry\n", encoding="utf-8")
    git(bench, "add", "sub")
    git(bench, "commit", "-q", "-m", "Another of that name", "--", "sub")
    held = json.loads(bench.run("gate", "run", "claude", "stop", stdin=said(), cwd=Path("sub")).out)
    assert "shop.py:2" in held["reason"]
    last = bench.run("runs", "show", "last", "--json").json
    assert [each["path"] for each in last["left_out"]] == [".env"]
    assert "docs/page.md" not in str(last["files"])


def test_a_consulted_agent_is_not_blocked_by_the_gate(bench: Workbench) -> None:
    bench.extra["SPARRING_DEPTH"] = "1"
    assert passed(gate(bench)) == ""


def test_two_hooks_at_once_are_one_review(bench: Workbench) -> None:
    with bench.start("gate", "run", "claude", "stop", stdin=subprocess.PIPE) as other:
        assert other.stdin
        other.stdin.write(said(session_id="one"))
        other.stdin.close()
        other.stdin = None
        answers = [gate(bench, session_id="two").out, other.communicate(timeout=PATIENCE_S)[0]]
    assert [json.loads(each)["decision"] for each in answers] == ["block", "block"]
    assert len(list((reviews(bench) / "runs").iterdir())) == 1


def test_a_plan_is_reviewed_before_it_is_accepted(bench: Workbench) -> None:
    plan = "# Plan\n\nDrop all tables, then make a copy.\n"
    found = {**FOUND, "file": "plan.md", "line": 3, "end_line": 3, "quote": "Drop all tables, then make a copy."}
    set_up_reviewers(bench, [report(found)])
    set_rules(bench, 'paths = {"*.md" = "off"}')
    held = json.loads(gate(bench, event="plan", tool_input={"plan": plan}).out)["hookSpecificOutput"]
    assert held["permissionDecision"] == "deny"
    assert "plan.md:3" in held["permissionDecisionReason"]
    assert not (reviews(bench) / "plan.md").exists()
    assert "; passed, since" in passed(gate(bench, event="plan", tool_input={"plan": plan}))
    assert "did not send the plan" in passed(gate(bench, event="plan", tool_input={}))


def test_a_missing_or_outdated_program_does_not_block(bench: Workbench) -> None:
    assert bench.run("gate", "install", "claude", "--project").code == 0
    settings = json.loads((bench.project / ".claude" / "settings.json").read_text(encoding="utf-8"))
    commands = [hook["command"] for groups in settings["hooks"].values() for group in groups for hook in group["hooks"]]
    assert [command.split()[:4] for command in commands] == [["sparring", "gate", "run", "claude"]] * 2
    old = bench.root / "old" / "sparring"
    old.parent.mkdir()
    old.write_text("#!/bin/sh\nexit 2\n", encoding="utf-8")
    old.chmod(0o755)
    for path in ("/nowhere", str(old.parent)):
        done = subprocess.run(["/bin/sh", "-c", commands[0]], env={"PATH": path}, capture_output=True, check=False)
        assert done.returncode == 1, "a host takes 2 for a refusal"
