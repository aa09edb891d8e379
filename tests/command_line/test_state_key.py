"""The key of the records in a project: lost, shared, another user's, or not usable."""

import json
import os
import stat
from pathlib import Path

import pytest

from sparring.store.provenance import KEY_NAME
from support.gating import change, git, report, said, set_up_reviewers
from support.held_debates import Held
from support.jurors import REPLIES
from support.workbench import Workbench

pytestmark = pytest.mark.process

SHARED = "a secret that a team has agreed upon, and CI has"
REVIEW = ("review", "--with", "ann,bob", "--fail-on", "major", "--json")
DISMISSED = "review/dismissed.json"


@pytest.fixture
def reviewed(tmp_path: Path) -> Workbench:
    """A project with a change that has been reviewed once."""
    bench = Workbench.below(tmp_path, PATH=os.environ["PATH"])
    set_up_reviewers(bench)
    change(bench)
    return bench


def other_user(bench: Workbench, name: str = "other") -> Workbench:
    """Somebody else who works in the same checkout, with the same tools and a configuration of their own."""
    config = bench.root / name
    config.mkdir()
    for file in (bench.root / "config").rglob("*"):
        if file.is_file() and not file.name.startswith((KEY_NAME, f".{KEY_NAME}")):
            copy = config / file.relative_to(bench.root / "config")
            copy.parent.mkdir(exist_ok=True)
            copy.write_bytes(file.read_bytes())
    return Workbench(bench.root, bench.extra | {"SPARRING_CONFIG_DIR": str(config)})


def make_unusable(bench: Workbench) -> None:
    (bench.root / "config" / KEY_NAME).unlink(missing_ok=True)
    (bench.root / "config" / KEY_NAME).mkdir()


def test_with_a_lost_key_a_run_is_shown_and_not_resumed_until_the_file_is_put_back(held: Held) -> None:
    bench, key = held.bench, held.bench.root / "config" / KEY_NAME
    held.broken_off(4)
    kept = key.read_bytes()
    key.unlink()
    shown = bench.run("runs", "show", held.folder.name)
    assert (shown.code, "came with the project" in shown.err) == (0, True)
    assert not key.exists(), "looking makes no key"
    refused = bench.run("runs", "resume", held.folder.name)
    assert (refused.code, "came with the project" in refused.err) == (1, True)
    mine = bench.run("consult", "Mine?", "--tool", "ann", "--json").json["id"]
    assert bench.run("runs", "show", "last", "--json").json["id"] == mine
    assert (stat.S_IMODE(key.stat().st_mode), key.read_bytes() == kept) == (0o600, False)

    key.write_bytes(kept)
    assert bench.run("runs", "resume", held.folder.name).code == 0


def test_two_users_of_one_checkout_resume_their_own(held: Held) -> None:
    mine, theirs = held.bench, other_user(held.bench)
    held.broken_off(4)
    assert theirs.run("runs", "resume", held.folder.name).code == 1
    none = theirs.run("runs", "show", "last")
    assert (none.code, "You have no runs" in none.err) == (2, True)
    asked = theirs.run("consult", "Theirs?", "--tool", "ann", "--json").json["id"]
    owners = {run["run_id"]: run["is_own"] for run in theirs.run("runs", "list", "--json").json["runs"]}
    assert owners == {asked: True, held.folder.name: False}
    assert mine.run("runs", "resume", held.folder.name).code == 0
    owners = {run["run_id"]: run["is_own"] for run in mine.run("runs", "list", "--json").json["runs"]}
    assert owners == {asked: False, held.folder.name: True}
    assert theirs.run("runs", "show", "last", "--json").json["id"] == asked


def test_a_dismissal_of_another_user_neither_counts_nor_is_overwritten(reviewed: Workbench) -> None:
    theirs = other_user(reviewed)
    (found,) = reviewed.run(*REVIEW).json["findings"]
    assert reviewed.run("review", "dismiss", found["id"], "It is none.").code == 0
    kept = (reviewed.state / DISMISSED).read_bytes()
    done = theirs.run(*REVIEW)
    assert (done.code, done.json["findings"][0]["dismissed"]) == (1, "")
    refused = theirs.run("review", "dismiss", found["id"], "I think so, too.")
    assert (refused.code, "Move it away" in refused.err) == (1, True)
    assert (reviewed.state / DISMISSED).read_bytes() == kept
    assert reviewed.run(*REVIEW).json["findings"][0]["dismissed"] == "It is none."


def test_the_gates_of_two_users_do_not_disturb_each_other(reviewed: Workbench) -> None:
    both = (reviewed, other_user(reviewed))
    for bench in both:
        held = json.loads(bench.run("gate", "run", "claude", "stop", stdin=said()).out)
        assert held["decision"] == "block"
    assert len(list(reviewed.project.glob(".claude/review/gate-*.json"))) == 2
    for bench in both:
        again = bench.run("gate", "run", "claude", "stop", stdin=said(stop_hook_active=True))
        assert "nothing has changed since they were shown" in again.out


def test_users_with_a_shared_secret_share_signed_records(held: Held) -> None:
    held.bench.add_tool("dee", [{"response": "Yes.", "session_id": "s-dee"}])
    held.bench.extra["SPARRING_STATE_KEY"] = SHARED
    mine, theirs = held.bench, other_user(held.bench)
    assert mine.run("runs", "resume", held.folder.name).code == 1, "it was signed with the key of the file"
    asked = mine.run("consult", "Ours?", "--tool", "dee", "--json").json["id"]
    assert theirs.run("runs", "show", "last", "--json").json["id"] == asked
    continued = theirs.run("consult", "And then?", "--continue")
    assert continued.code == 0, continued.err
    assert not (mine.root / "other" / KEY_NAME).exists()


def test_a_ledger_is_used_only_with_the_shared_secret(tmp_path: Path) -> None:
    mine = Workbench.below(tmp_path, PATH=os.environ["PATH"], SPARRING_STATE_KEY=SHARED)
    mine.add_tool("ann", REPLIES)
    (mine.project / "t.csv").write_text("claim,truth\nAll is well.,Nothing is well.\n", encoding="utf-8")
    output = ("--output", "out", "--set", "write=jsonl", "--json")
    table = ("batch", "jury", "--input", "t.csv", *output, "--with", "ann", "--set", "rebuttals=0")
    first, again = mine.run(*table), other_user(mine, "ci").run(*table)
    assert (first.code, again.code) == (0, 0), first.err + again.err
    assert [done.json["process"]["asked"] > 0 for done in (first, again)] == [True, False]
    stranger = other_user(mine, "stranger")
    del stranger.extra["SPARRING_STATE_KEY"]
    refused = stranger.run(*table)
    assert (refused.code, "its answers are not used. Move it away" in refused.out + refused.err) == (1, True)


def test_without_a_usable_key_a_run_warns_and_commands_that_need_it_are_refused(
    reviewed: Workbench,
) -> None:
    (found,) = reviewed.run(*REVIEW).json["findings"]
    make_unusable(reviewed)
    asked = reviewed.run("consult", "Well?", "--tool", "cy")
    assert (asked.code, "[WARN]" in asked.err, "is not a regular file" in asked.err) == (0, True, True)
    refused = reviewed.run("review", "dismiss", found["id"], "It is none.")
    assert (refused.code, "SPARRING_STATE_KEY" in refused.err) == (1, True)
    assert not (reviewed.state / DISMISSED).exists()
    passed = reviewed.run("gate", "run", "claude", "stop", stdin=said())
    assert "is not a regular file" in json.loads(passed.out)["systemMessage"]
    assert "is not a regular file" in reviewed.run("doctor").out


def test_the_key_is_never_shown(reviewed: Workbench) -> None:
    reviewed.extra["SPARRING_STATE_KEY"] = SHARED
    tells = "import json, os; print(json.dumps({'type': 'result', 'subtype': 'success', 'is_error': False, 'result': "
    reviewed.add_cli("env", "-c", tells + "f'Names: {sorted(os.environ)}. Values: {list(os.environ.values())}.'}))")
    told = reviewed.run("consult", f"Is it {SHARED}?", "--tool", "env", "--json")
    assert "'PATH'" in told.json["response"], told.out + told.err
    assert "SPARRING_STATE_KEY" not in told.json["response"]
    seen = (told.out, told.err, reviewed.run("doctor", "--json").out, reviewed.run("runs", "show", "last").out)
    assert not [each for each in seen if SHARED in each]
    kept = [content for content in reviewed.files().values() if SHARED.encode() in content]
    assert kept == []
    set_up_reviewers(reviewed, [report()])
    assert git(reviewed, "status", "--porcelain", "--", ".sparring") == ""
