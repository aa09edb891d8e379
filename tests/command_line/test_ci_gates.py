"""What other projects use of ours before a commit and on GitHub, as far as it runs here: in a real repository."""

import json
import re
import shlex
from collections.abc import Mapping
from pathlib import Path

import pytest

from support.gating import FOUND, REVIEWERS, change, git, report
from support.github_action import ACTION, put_program_on_path, review, run
from support.workbench import Workbench

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[2]
HOOKS = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    """A changed project, git, our program on PATH, and two reviewers that find fault."""
    bench = Workbench.below(tmp_path)
    put_program_on_path(bench)
    let_them_say(bench, report(FOUND))
    defaults = f'[defaults]\nwith = "{",".join(REVIEWERS)}"\n'
    (bench.root / "config" / "config.toml").write_text(defaults, encoding="utf-8")
    change(bench)
    return bench


def let_them_say(bench: Workbench, reply: Mapping[str, object]) -> None:
    for name in REVIEWERS:
        bench.add_tool(name, [reply])


def told(bench: Workbench, name: str) -> str:
    return (bench.root / name).read_text(encoding="utf-8")


def commit(bench: Workbench) -> str:
    """The commit before, after what has changed is in one."""
    base = git(bench, "rev-parse", "HEAD")
    git(bench, "commit", "-aqm", "Sell")
    return base


@pytest.mark.parametrize(("least", "code"), [("major", 1), ("critical", 0)])
def test_the_action_hands_over_findings_and_fails_for_severe_ones(bench: Workbench, least: str, code: int) -> None:
    done = review(bench, commit(bench), FAIL_ON=least, REVIEWERS=",".join(REVIEWERS))
    assert done.returncode == code, done.stderr
    assert told(bench, "output") == f"sarif={bench.root / 'sparring.sarif'}\n"
    assert '"startLine": 2' in told(bench, "sparring.sarif")
    assert "Every total is zero" in told(bench, "summary")


DISMISSED = "reviews/dismissed.json"


def dismiss(bench: Workbench) -> None:
    """Put all that reviewers find into the file of dismissals that the action reads."""
    found = bench.run("review", "--json").json["findings"]
    dismissed = [{"id": each["id"], "why": "It is a gift.", "at": "2026-01-01T00:00:00Z"} for each in found]
    (bench.project / DISMISSED).parent.mkdir(exist_ok=True)
    (bench.project / DISMISSED).write_text(json.dumps({"schema_version": 1, "dismissed": dismissed}), encoding="utf-8")
    git(bench, "add", "-f", DISMISSED)


@pytest.mark.parametrize(("of_base", "code"), [(True, 0), (False, 1)], ids=["the base", "the change"])
def test_the_action_takes_dismissals_from_the_base_and_not_from_the_change(
    bench: Workbench, *, of_base: bool, code: int
) -> None:
    dismiss(bench)
    if of_base:
        git(bench, "commit", "-qm", "Dismiss", "--", DISMISSED)
    done = review(bench, commit(bench), DISMISSED=DISMISSED)
    assert done.returncode == code, done.stderr
    assert ("It is a gift." in told(bench, "sparring.json")) == of_base


MARKER = "import pathlib; pathlib.Path(r'{marker}').touch()\n"
SHADOWS = ("pip", "sparring", "multiprocessing", "json", "sitecustomize", "usercustomize", "typer")


def test_no_file_of_a_pull_request_has_a_say_in_the_action(bench: Workbench) -> None:
    marker = bench.root / "run"
    for name in SHADOWS:
        for file in (bench.project / f"{name}.py", bench.project / name / "__init__.py"):
            file.parent.mkdir(exist_ok=True)
            file.write_text(MARKER.format(marker=marker), encoding="utf-8")
    dismiss(bench)
    state = bench.project / ".sparring" / "review"
    state.mkdir(parents=True, exist_ok=True)
    (state / "dismissed.json").write_bytes((bench.project / DISMISSED).read_bytes())
    (bench.project / ".sparring" / "providers").mkdir()
    (bench.project / ".sparring" / "providers" / "ann.toml").write_text('kind = "cli"\n', encoding="utf-8")
    (bench.project / "config.toml").write_text('[defaults]\nfail_on = "critical"\n', encoding="utf-8")
    git(bench, "add", "-f", "-A")
    done = review(bench, commit(bench), DISMISSED=DISMISSED)
    assert done.returncode == 1, done.stderr
    assert "Every total is zero" in told(bench, "summary")
    assert not marker.exists()


def test_the_action_passes_a_change_that_needs_no_reviewer(bench: Workbench) -> None:
    (bench.project / ".gitattributes").write_text("package-lock.json linguist-generated\n", encoding="utf-8")
    git(bench, "add", ".gitattributes")
    commit(bench)
    (bench.project / "package-lock.json").write_text("{}\n", encoding="utf-8")
    git(bench, "add", "-A")
    git(bench, "commit", "-qm", "Lock")
    assert review(bench, "HEAD~1").returncode == 0
    assert "Nothing in this change is for reviewers." in told(bench, "summary")


def test_the_action_passes_nothing_that_was_not_reviewed(bench: Workbench) -> None:
    base = commit(bench)
    bench.add_tool("bob", [{"failure": {"code": "timeout", "detail": "No answer."}}, report(FOUND)])
    for code, commits in ((4, base), (128, "0" * 40)):
        done = review(bench, commits)
        assert done.returncode == code, done.stderr


def test_the_action_installs_the_repository_that_it_stands_in_and_pins_what_it_uses() -> None:
    text = ACTION.read_text(encoding="utf-8")
    assert '"$ACTION/../../.."' in text
    assert re.findall(r"python [^\n]*-m", text) == ["python -I -m"], "the working tree is the change's"
    assert (ACTION.parent / "../../..").resolve() == ROOT
    used = re.findall(r"uses: *(.+)", text)
    assert [each for each in used if not re.fullmatch(r"[a-z/-]+@[0-9a-f]{40}  # v[0-9.]+", each)] == []
    assert "secrets." not in text


def hook(id_: str) -> list[str]:
    """The command of a hook."""
    entry = re.search(rf"^- id: {id_}\n(?:  .*\n)*?  entry: (.*)\n", HOOKS, re.MULTILINE)
    assert entry
    return shlex.split(entry[1])


def test_the_hook_of_a_push_reviews_what_is_pushed(bench: Workbench) -> None:
    refs = {"PRE_COMMIT_FROM_REF": commit(bench), "PRE_COMMIT_TO_REF": "HEAD"}
    done = run(bench, *hook("sparring-review-push"), **refs)
    assert (done.returncode, "Every total is zero" in done.stdout) == (1, True), done.stderr


def test_authors_are_the_co_signers_of_commits_and_the_host(bench: Workbench) -> None:
    families = {"ann": "anthropic", "bob": "openai", "cy": "google"}
    for name, family in families.items():
        bench.add_tool(name, [report()], family=family)
    base = git(bench, "rev-parse", "HEAD")
    git(bench, "commit", "-aqm", "Sell\n\nCo-Authored-By: Claude Opus 4.1 <noreply@anthropic.com>")
    git(bench, "commit", "-q", "--allow-empty", "-m", "Sell more\n\nCo-authored-by: Codex <codex@openai.com>")
    asked = ("review", f"{base}..HEAD", "--json", "--with")
    signed = bench.run(*asked, "ann,bob,cy")
    assert (signed.code, signed.json["status"]) == (4, "incomplete"), signed.err
    assert {(each["family"], each["model"], each["source"]) for each in signed.json["authors"]} == {
        ("claude", "opus 4.1", "trailer"),
        ("gpt", "", "trailer"),
    }
    assert bench.run(*asked, "ann:sonnet-4,cy").code == 0, "another model than the one that has signed"
    assert bench.run(*asked, "ann:claude-opus-4-1,cy").code == 4
    assert bench.run(*asked, "ann,bob", "--set", "author=none").code == 0
    bench.extra["CLAUDECODE"] = "1"
    inside = bench.run("review", "HEAD~2..HEAD~1", "--json", "--with", "bob,cy")
    assert [each["source"] for each in inside.json["authors"]] == ["host", "trailer"]
    assert (inside.code, [each["independence"] for each in inside.json["reviewers"]]) == (0, ["independent"] * 2)
