"""``sparring consult`` with everything that goes beyond one question to one tool."""

import json
import os
import subprocess
from collections.abc import Mapping
from typing import Any

import pytest

from support.workbench import PATIENCE_S, PROGRAM, Workbench

pytestmark = pytest.mark.process


ANN: Mapping[str, object] = {
    "response": "It is in `README.md:3`, see https://example.org/retry.",
    "session_id": "s-ann",
    "model": "ann-2",
}
BOB: Mapping[str, object] = {"response": "It is in `README.md:900`.", "session_id": "s-bob"}
OUT_OF_ORDER: Mapping[str, object] = {"failure": {"code": "quota", "detail": "The month is used up."}}


@pytest.fixture
def two(bench: Workbench) -> Workbench:
    """A workbench whose ``ann`` and ``bob`` keep sessions and cite, and whose ``cy`` fails."""
    bench.add_tool("ann", [ANN])
    bench.add_tool("bob", [BOB])
    bench.add_tool("cy", [OUT_OF_ORDER])
    return bench


def last(bench: Workbench, name: str) -> Any:
    return json.loads((bench.state / "consult" / name).read_text(encoding="utf-8"))


def add_echo(bench: Workbench) -> None:
    """A tool whose answer is the prompt."""
    argv = json.dumps(["-c", _ECHO])
    text = 'kind = "cli"\nfamily = "none"\ntitle = "Echo"\noutput = "claude"\n[efforts]\nmedium = "medium"\n[command]\n'
    text += f'program = {json.dumps(PROGRAM[0])}\nargv = {argv[:-1]}, "{{effort}}"]\neffort = ["{{effort}}"]\n'
    (bench.providers / "echo.toml").write_text(text, encoding="utf-8")


_ECHO = (
    "import sys, json; json.dump({'type': 'result', 'subtype': 'success', 'is_error': False, 'num_turns': 1, "
    "'result': sys.stdin.read()}, sys.stdout)"
)


def test_several_tools_are_asked_and_the_table_says_who_cited_what(two: Workbench) -> None:
    done = two.run("consult", "Where?", "--tool", "ann,bob:b-1")
    assert done.code == 0, done.err
    assert "## Answer 1: ann (ann-2)" in done.out
    assert "## Answer 2: bob (b-1)" in done.out
    assert done.out.split("## Who cited what\n\n")[1].splitlines()[:4] == [
        "| cited | 1 ann | 2 bob | by |",
        "| --- | --- | --- | --- |",
        "| `README.md` | 3 | 900 (*not found*) | 2 of 2 |",
        "| `https://example.org/retry` | yes |  | 1 of 2 |",
    ]


def test_with_json_several_answers_are_a_list_and_equal_the_kept_result(two: Workbench) -> None:
    done = two.run("consult", "Where?", "--tool", "ann,cy", "--json")
    kept = two.state / "consult" / "runs" / done.json["id"] / "result.json"
    assert done.json == json.loads(kept.read_text(encoding="utf-8"))
    assert [(each["number"], each["tool"], each["status"]) for each in done.json["answers"]] == [
        (1, "ann", "completed"),
        (2, "cy", "failed"),
    ]
    assert done.json["answers"][1]["failure"]["code"] == "quota"


def test_one_tool_asked_several_times_gives_numbered_answers_that_can_each_be_continued(two: Workbench) -> None:
    done = two.run("consult", "Where?", "--tool", "ann", "--count", "3")
    assert done.code == 0, done.err
    assert [line for line in done.out.splitlines() if line.startswith("## Answer")] == [
        f"## Answer {number}: ann (ann-2)" for number in (1, 2, 3)
    ]
    sessions = last(two, "last-multi-session.json")["sessions"]
    assert [(each["number"], each["session_id"], each["continuable"]) for each in sessions] == [
        (number, "s-ann", True) for number in (1, 2, 3)
    ]


def test_what_failed_is_told_beside_what_did_not(two: Workbench) -> None:
    done = two.run("consult", "Where?", "--tool", "ann,bob,cy")
    assert done.code == 0
    assert "[WARN] Showing 2 of 3. 3 (cy) failed: quota: The month is used up." in done.out
    assert "## Answer 3: cy (its default model)\n\nFailed: quota (The month is used up.)" in done.out


def test_when_none_answers_the_consultation_has_failed_and_the_last_sessions_stay(two: Workbench) -> None:
    two.run("consult", "Where?", "--tool", "ann,bob")
    before = last(two, "last-multi-session.json")
    done = two.run("consult", "Where?", "--tool", "cy", "--count", "2")
    assert (done.code, "[ERROR] None of those asked has answered." in done.out) == (1, True)
    assert last(two, "last-multi-session.json") == before


def test_the_last_session_is_continued_with_the_tool_model_and_effort_it_had(two: Workbench) -> None:
    two.run("consult", "Where?", "--tool", "ann:a-1", "--effort", "high")
    done = two.run("consult", "And then?", "--continue", "--json")
    assert done.code == 0, done.err
    assert [done.json[field] for field in ("tool", "effort", "session_id")] == ["ann", "high", "s-ann"]
    saved = last(two, "last-session.json")
    assert [saved[field] for field in ("tool", "transport", "model", "model_asked", "effort", "question")] == [
        "ann",
        "scripted",
        "ann-2",
        "a-1",
        "high",
        "And then?",
    ]


@pytest.mark.parametrize("session", ["2", "s-bob"])
def test_one_of_several_is_continued_by_its_number_or_its_id(two: Workbench, session: str) -> None:
    two.run("consult", "Where?", "--tool", "ann,bob")
    assert two.run("consult", "And then?", "--continue", session, "--json").json["tool"] == "bob"


def test_which_of_several_is_to_be_continued_must_be_said_unless_only_one_can_be(two: Workbench) -> None:
    two.run("consult", "Before", "--tool", "ann")
    two.run("consult", "Where?", "--tool", "ann,bob")
    done = two.run("consult", "And then?", "--continue")
    assert (done.code, done.err) == (
        2,
        "Error: The last consultation had several answers: say which to go on with: 1 (ann), 2 (bob).\n",
    )
    two.run("consult", "Where?", "--tool", "bob,cy")
    assert two.run("consult", "And then?", "--continue", "--json").json["tool"] == "bob"


def test_the_question_may_stand_behind_the_option_that_lacks_its_value(two: Workbench) -> None:
    two.run("consult", "Where?", "--tool", "ann")
    assert two.run("consult", "--continue", "And then?", "--json").json["question"] == "And then?"


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"continuable": False}, "That session of ann cannot be continued."),
        (
            {"transport": "cli"},
            "ann was reached as 'cli' when that session was begun and is reached as 'scripted' now; ",
        ),
        ({"tool": "gone"}, "There is no tool named 'gone'. Known tools: "),
        ({"session_id": "-rf"}, "Move the file away"),
    ],
)
def test_what_was_saved_is_looked_at_again_before_it_is_used(
    two: Workbench, changed: Mapping[str, object], sentence: str
) -> None:
    two.run("consult", "Where?", "--tool", "ann")
    file = two.state / "consult" / "last-session.json"
    file.write_text(json.dumps(last(two, "last-session.json") | dict(changed)), encoding="utf-8")
    done = two.run("consult", "And then?", "--continue")
    assert (done.out, len(done.err.splitlines())) == ("", 1)
    assert sentence in done.err


def test_a_session_is_not_continued_with_another_tool(two: Workbench) -> None:
    two.run("consult", "Where?", "--tool", "ann")
    done = two.run("consult", "And then?", "--continue", "--tool", "bob")
    assert (done.code, done.err) == (2, "Error: That session is one of ann, not of bob.\n")


def test_files_and_a_diff_reach_the_tool_and_their_sizes_are_told(bench: Workbench) -> None:
    add_echo(bench)
    readme = bench.project / "README.md"
    subprocess.run(["git", "add", "README.md"], cwd=bench.project, check=True)
    readme.write_text("It never retries.\n", encoding="utf-8")
    (bench.project / "new.py").write_text("x = 1\n", encoding="utf-8")
    done = bench.run("consult", "Right?", "--tool", "echo", "--context", "diff", "--context", "file=new.py", "--json")
    assert done.code == 0, done.err
    prompt = done.json["response"]
    assert "+It never retries." in prompt
    assert "# new and not shown: new.py" in prompt
    assert "Material 2, new.py:\n```text\nx = 1\n\n```" in prompt
    assert prompt.endswith("The question:\n\nRight?\n")
    sizes = [part["size_bytes"] for part in done.json["context"]]
    assert f"Context: 2 parts, {sum(sizes)} B: diff {sizes[0]} B, new.py 6 B" in done.err.splitlines()


def test_what_is_piped_in_goes_with_the_question(bench: Workbench) -> None:
    add_echo(bench)
    done = bench.run("consult", "Right?", "--tool", "echo", "--json", stdin="Có gì đó.\n".encode())
    assert "Material 1, standard input:\n```text\nCó gì đó.\n" in done.json["response"]
    assert done.json["context"] == [{"name": "standard input", "size_bytes": 14}]


@pytest.mark.parametrize("stdin", [b"", b" \n"])
def test_nothing_piped_in_is_no_context(bench: Workbench, stdin: bytes) -> None:
    assert bench.run("consult", "Right?", "--tool", "ann", "--json", stdin=stdin).json["context"] == []


def test_a_file_as_standard_input_is_context_too(bench: Workbench) -> None:
    command = [*PROGRAM, "consult", "Right?", "--tool", "ann", "--json"]
    with (bench.project / "README.md").open("rb") as file:
        done = subprocess.run(
            command,
            stdin=file,
            capture_output=True,
            check=True,
            cwd=bench.project,
            env=bench.environment,
            timeout=PATIENCE_S,
        )
    assert json.loads(done.stdout)["context"] == [{"name": "standard input", "size_bytes": 54}]


def test_a_pipe_that_stays_open_and_silent_is_not_waited_for(bench: Workbench) -> None:
    reading, writing = os.pipe()
    try:
        done = subprocess.run(
            [*PROGRAM, "consult", "Right?", "--tool", "ann", "--json"],
            stdin=reading,
            capture_output=True,
            check=True,
            cwd=bench.project,
            env=bench.environment,
            timeout=PATIENCE_S,
        )
    finally:
        os.close(reading)
        os.close(writing)
    assert json.loads(done.stdout)["context"] == []
    assert b"[WARN] Standard input is an open pipe that says nothing" in done.stderr


def test_a_context_that_is_too_large_names_its_biggest_parts(bench: Workbench) -> None:
    for name, size in (("a.txt", 900), ("b.txt", 300), ("c.txt", 200), ("d.txt", 100)):
        (bench.project / name).write_text("x" * size, encoding="utf-8")
    files = [f"--context=file={name}.txt" for name in "dcba"]
    done = bench.run("consult", "Right?", "--tool", "ann", "--context-limit", "1", *files)
    assert done.code == 2
    assert done.err == (
        "Error: The context has 1.5 KiB; the limit is 1 KiB. Biggest: a.txt 900 B, b.txt 300 B, c.txt 200 B. "
        "Leave something out, or raise it on the command line with --context-limit.\n"
    )
    assert bench.run("consult", "Right?", "--tool", "ann", "--context-limit", "2", *files).code == 0


def test_a_file_that_may_hold_secrets_is_handed_over_only_when_that_is_asked_for(bench: Workbench) -> None:
    add_echo(bench)
    (bench.project / ".env").write_text("COLOUR=blue\n", encoding="utf-8")
    refused = bench.run("consult", "Right?", "--tool", "echo", "--context", "file=.env")
    assert refused.code == 2
    assert refused.err == (
        "Error: '.env' may hold secrets and is not handed over. "
        "If it holds none, allow it on the command line with --allow-secret-files.\n"
    )
    allowed = bench.run("consult", "?", "--tool", "echo", "--context", "file=.env", "--allow-secret-files", "--json")
    assert "COLOUR=blue" in allowed.json["response"]


def test_secrets_in_the_context_are_taken_out_before_anything_is_sent_or_kept(bench: Workbench) -> None:
    add_echo(bench)
    token = "ghp_" + "a1B2" * 9
    (bench.project / "notes.md").write_text(f"It is {token}.\n", encoding="utf-8")
    done = bench.run("consult", "Right?", "--tool", "echo", "--context", "file=notes.md", "--json")
    assert done.json["redactions"] >= 1
    assert token not in done.out + done.err + b"".join(bench.files().values()).decode()


def test_a_run_sees_the_context_that_it_began_with(two: Workbench) -> None:
    done = two.run("consult", "Where?", "--tool", "ann,bob", "--context", "file=README.md", "--json")
    journal = two.state / "consult" / "runs" / done.json["id"] / "journal.jsonl"
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:2]))
    (two.project / "README.md").unlink()
    resumed = two.run("runs", "resume", done.json["id"], "--json")
    assert resumed.code == 0, resumed.err
    assert resumed.json["context"] == done.json["context"]
    assert [each["response"] for each in resumed.json["answers"]] == [each["response"] for each in done.json["answers"]]


def test_the_tool_without_a_model_says_that_it_reads_no_context(bench: Workbench) -> None:
    done = bench.run("consult", "Does it retry?", "--tool", "offline", "--context", "file=README.md")
    assert "[WARN] offline does not read the context" in done.out


def test_the_context_of_a_debate_is_told_before_and_after(bench: Workbench) -> None:
    (bench.project / "a.py").write_text("x = 1\n", encoding="utf-8")
    seats = ("--proposer", "ann", "--challenger", "bob", "--judge", "cy")
    done = bench.run("debate", "Right?", *seats, "--context", "file=a.py")
    assert "Context: 1 part, 6 B: a.py 6 B" in done.out
    assert "Context: 1 part, 6 B: a.py 6 B" in done.err


def test_what_was_used_beyond_a_limit_is_told(bench: Workbench) -> None:
    usage = {"input_tokens": 90, "output_tokens": 20, "cost_usd": 0.5}
    bench.add_tool("ann", [{"response": "Dear.", "usage": usage}])
    done = bench.run("consult", "?", "--tool", "ann", "--max-tokens", "100", "--max-cost", "0.25", "--json")
    assert done.json["notices"] == [
        "[WARN] 110 tokens were used; the limit was 100.",
        "[WARN] $0.5000 was spent; the limit was $0.25.",
    ]


def test_access_that_a_tool_cannot_be_given_is_refused_before_anything_is_started(bench: Workbench) -> None:
    add_echo(bench)
    for command in (("consult", "q", "--tool", "echo"), ("debate", "t", "--proposer", "echo", "--challenger", "ann")):
        done = bench.run(*command, "--repo-access", "read")
        assert (done.code, "echo cannot be given 'read' access" in done.err) == (2, True)
    assert not bench.state.exists()


def test_a_diff_tells_what_it_does_not_show(bench: Workbench) -> None:
    add_echo(bench)
    (bench.project / ".env").write_text("COLOUR=blue\n", encoding="utf-8")
    subprocess.run(["git", "add", ".env", "README.md"], cwd=bench.project, check=True)
    for number in range(12):
        (bench.project / f"new-{number:02}.py").write_text("x = 1\n", encoding="utf-8")
    done = bench.run("consult", "Right?", "--tool", "echo", "--context", "diff", "--json")
    assert "COLOUR" not in done.out
    assert "# not shown, it may hold secrets: .env\n" in done.json["response"]
    assert done.json["notices"] == [
        "[WARN] Left out of the diff, since they may hold secrets: .env (--allow-secret-files shows them).",
        "[WARN] Only named in the diff, since git does not know them yet: "
        + ", ".join(f"new-{number:02}.py" for number in range(10))
        + " and 2 more (`git add -N` shows them).",
    ]


def test_a_diff_of_nothing_or_of_too_much_is_refused(bench: Workbench) -> None:
    commit = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-qm", "first"]
    subprocess.run(["git", "add", "."], cwd=bench.project, check=True)
    subprocess.run([*commit, "--no-gpg-sign"], cwd=bench.project, check=True)
    bench.extra["AI_STATE_DIR"] = str(bench.root / "state")
    nothing = bench.run("consult", "Right?", "--tool", "ann", "--context", "diff")
    (bench.project / "README.md").write_text("word\n" * 1000, encoding="utf-8")
    too_much = bench.run("consult", "Right?", "--tool", "ann", "--context", "diff", "--context-limit", "1")
    assert nothing.err == "Error: Nothing has changed since the last commit, so that there is no diff to hand over.\n"
    assert too_much.err == (
        "Error: The context has more than 1 KiB; the limit is 1 KiB. Biggest: diff 1 KiB. "
        "Leave something out, or raise it on the command line with --context-limit.\n"
    )
