"""What is refused: one clear sentence, the right exit code, nothing started, nothing lost."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from sparring.consult.providers import load_providers
from support.workbench import PATIENCE_S, PROGRAM, SPEECHES, Workbench

pytestmark = pytest.mark.process


SEATS = ("--proposer", "ann", "--challenger", "bob", "--judge", "cy")
NOT_UTF_8 = os.fsdecode(b"caf\xe9")


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (
            ("debate", "t", "--proposer", "nobody", "--challenger", "bob"),
            2,
            "Error: There is no tool named 'nobody'. Known tools: ",
        ),
        (
            ("debate", "t", "--proposer", "ann", "--challenger", "ann"),
            2,
            "Error: Proposer and challenger must be different tools, both are 'ann'.",
        ),
        (("debate", "", *SEATS), 2, "Error: topic: string should have at least 1 character."),
        (("debate", "  \n ", *SEATS), 2, "Error: topic: string should have at least 1 character."),
        (
            ("debate", "t", *SEATS, "--effort", "huge"),
            2,
            "Error: The effort must be one of low, medium, high, max; it is 'huge'.",
        ),
        (("debate", "t", *SEATS, "--timeout", "0"), 2, "Error: timeout_s: input should be greater than 0, it is 0.0."),
        (
            ("debate", "t", *SEATS, "--timeout", "inf"),
            2,
            "Error: timeout_s: input should be a finite number, it is inf.",
        ),
        (("debate", "t", *SEATS, "--timeout", "soon"), 2, "Error: Invalid value for '--timeout': "),
        (("debate", "t", *SEATS, "--max-cost", "0"), 2, "Error: --max-cost and --max-time must be greater than 0, and"),
        (
            ("debate", "t", *SEATS, "--max-cost", "nan"),
            2,
            "Error: --max-cost and --max-time must be greater than 0, and",
        ),
        (
            ("debate", "t", *SEATS, "--max-time", "inf"),
            2,
            "Error: --max-cost and --max-time must be greater than 0, and",
        ),
        (("debate", "t", *SEATS, "--max-calls", "0"), 2, "Error: --max-calls and --max-tokens must be 1 or more."),
        (("debate", "a\x01b", *SEATS), 2, "Error: topic: must not hold control characters."),
        (("debate", NOT_UTF_8, *SEATS), 2, "Error: topic: it is not UTF-8 text."),
        (("debate", "t", "--proposer", "x" * 999), 2, f"Error: There is no tool named '{'x' * 58}…. Known tools: "),
        (("debate",), 2, "Error: Missing argument 'topic'. `sparring --help` shows what can be typed."),
        (("debate", "t", "--round", "2"), 2, "Error: No such option: --round"),
        (("argue",), 2, "Error: No such command 'argue'."),
        (
            ("debate", "t", *SEATS, "--model-judge", "--rm -rf"),
            2,
            "Error: model: '--rm -rf' begins with a hyphen or holds characters that are not allowed",
        ),
        (("consult", "t", "--tool", "scripted"), 3, "Error: scripted has no script."),
        (("debate", "t", "--provider", "offline", "--model-judge", "gpt-9"), 2, "Error: offline works without a model"),
        (("consult", "", "--tool", "ann"), 2, "Error: question: string should have at least 1 character."),
        (
            ("consult", "q", "--tool", "ann", "--continue=-x;rm"),
            2,
            "Error: session_id: '-x;rm' begins with a hyphen or holds",
        ),
        (("consult", "q", "--tool", "offline", "--continue", "abc"), 2, "Error: offline keeps no sessions"),
        (("consult", "q", "--continue"), 2, "Error: There is no session to continue: no consultation has left one"),
        (
            ("consult", "q", "--continue", "2"),
            2,
            "Error: There is no answer 2 to go on with; of the last several there",
        ),
        (("consult", "q", "--continue", "abc"), 2, "Error: There is no session 'abc' among the last ones."),
        (
            ("consult", "q", "--tool", "ann", "--count", "2", "--continue"),
            2,
            "Error: A session is continued by one answer; leave out the count",
        ),
        (("consult", "q", "--tool", "ann", "--count", "0"), 2, "Error: The count must be 1 to 5; it is 0."),
        (("consult", "q", "--tool", "ann", "--count", "6"), 2, "Error: The count must be 1 to 5; it is 6."),
        (
            ("consult", "q", "--tool", "ann,bob,cy", "--count", "2"),
            2,
            "Error: 3 tools, 2 times each, are 6 at once; at most 5 can be asked.",
        ),
        (
            ("consult", "q", "--tool", "ann,bob,cy,ann:a,bob:b,cy:c"),
            2,
            "Error: 6 tools are 6 at once; at most 5 can be asked.",
        ),
        (("consult", "q", "--tool", "ann,,bob"), 2, "Error: The list of tools 'ann,,bob' has an empty place."),
        (("consult", "q", "--tool", "ann,ann"), 2, "Error: 'ann,ann' names a tool twice."),
        (("consult", "q", "--tool", "ann,nobody"), 2, "Error: There is no tool named 'nobody'."),
        (("consult", "q", "--tool", "ann,bob", "--model", "m"), 2, "Error: One model cannot be for several tools."),
        (("consult", "q", "--tool", "ann:a", "--model", "b"), 2, "Error: Two models are named for 'ann': 'a' and 'b'."),
        (("consult", "q", "--tool", "ann:-m"), 2, "Error: model: '-m' begins with a hyphen or holds characters"),
        (
            ("consult", "q", "--tool", "ann", "--repo-access", "write"),
            2,
            "Error: The repository access must be one of none, read; it is 'write'.",
        ),
        (("consult", "q", "--tool", "ann", "--max-cost", "0"), 2, "Error: --max-cost and --max-time must be greater"),
        (
            ("consult", "q" * 41, "--tool", "ann", "--max-tokens", "9"),
            2,
            "Error: The prompts alone have about 10 tokens; the limit is 9. Nobody was asked.",
        ),
        (
            ("consult", "q", "--context", "nope"),
            2,
            "Error: There is no context 'nope'. It can be `diff` or `file=PATH`.",
        ),
        (("debate", "t", *SEATS, "--context", "file=no.py"), 2, "Error: 'no.py' cannot be read: No such file"),
        (("consult", "q", "--context-limit", "0"), 2, "Error: --context-limit must be 1 to 2,048 KiB; it is 0."),
        (
            ("consult", "-", "--context", "stdin"),
            2,
            "Error: Standard input cannot be both the question and its context.",
        ),
        (("runs", "show", "debate-20260101T000000Z-0000"), 2, "Error: "),
        (("runs", "show", "../../etc/passwd"), 2, "Error: "),
        (("runs", "resume", "last"), 2, "Error: "),
    ],
)
def test_a_request_that_cannot_work_starts_nothing(
    bench: Workbench, arguments: tuple[str, ...], code: int, sentence: str
) -> None:
    done = bench.run(*arguments)
    assert (done.code, done.out) == (code, "")
    assert done.err.startswith(sentence)
    assert len(done.err.splitlines()) == 1
    assert not bench.state.exists()


@pytest.mark.parametrize(
    ("rounds", "sentence"),
    [
        ("0", "Error: rounds: input should be greater than or equal to 1, it is 0."),
        ("-1", "Error: rounds: input should be greater than or equal to 1, it is -1."),
        ("6", "Error: rounds: input should be less than or equal to 5, it is 6."),
        ("two", "Error: Invalid value for '--rounds': "),
    ],
)
def test_rounds_out_of_range_are_a_usage_error(bench: Workbench, rounds: str, sentence: str) -> None:
    done = bench.run("debate", "t", *SEATS, "--rounds", rounds)
    assert (done.code, done.out, len(done.err.splitlines())) == (2, "", 1)
    assert done.err.startswith(sentence)
    assert not bench.state.exists()


def test_without_a_command_the_help_is_shown(bench: Workbench) -> None:
    done = bench.run()
    assert (done.code, done.err) == (2, "")
    assert "debate" in done.out


def test_what_cannot_be_parsed_is_an_object_too_with_json(bench: Workbench) -> None:
    done = bench.run("runs", "show", "--json")
    assert (done.code, done.json) == (
        2,
        {
            "error": {
                "code": "usage",
                "message": "Missing argument 'run_id'.",
                "hint": "`sparring --help` shows what can be typed.",
            }
        },
    )


def test_a_tool_that_is_not_installed_is_named_with_what_to_do(bench: Workbench) -> None:
    bench.extra["PATH"] = str(bench.root)
    done = bench.run("consult", "q", "--tool", "claude")
    assert done.code == 3
    assert done.err == (
        "Error: Claude Code is not installed: no `claude` on PATH. "
        "Install it with `npm install -g @anthropic-ai/claude-code`, then run `claude` once to sign in.\n"
    )


def test_a_topic_of_one_mebibyte_is_refused_without_repeating_it(bench: Workbench) -> None:
    done = bench.run("debate", "-", *SEATS, stdin=b"why " * 262_144)
    assert (done.code, done.err) == (2, "Error: topic: string should have at most 100000 characters.\n")


@pytest.mark.parametrize("stdin", [b"\xff\xfe", b"x" * (8 * 1024 * 1024 + 1)])
def test_standard_input_that_is_no_text_or_too_much_is_refused(bench: Workbench, stdin: bytes) -> None:
    done = bench.run("consult", "-", "--tool", "ann", stdin=stdin)
    assert (done.code, done.err.count("Error: Standard input")) == (2, 1)


def test_with_json_the_error_is_an_object_too(bench: Workbench) -> None:
    done = bench.run("consult", "q", "--tool", "nobody", "--json")
    assert (done.code, done.json) == (
        2,
        {
            "error": {
                "code": "usage",
                "message": "There is no tool named 'nobody'.",
                "hint": f"Known tools: {', '.join([*load_providers(None).specs, 'ann', 'bob', 'cy'])}.",
            }
        },
    )


def test_a_state_directory_that_cannot_be_written_is_found_out_before_anything_is_asked(bench: Workbench) -> None:
    (bench.project / "a-file").write_text("not a folder", encoding="utf-8")
    bench.extra["AI_STATE_DIR"] = "a-file"
    done = bench.run("debate", "t", *SEATS)
    assert (done.code, done.out, len(done.err.splitlines())) == (1, "", 1)
    assert "AI_STATE_DIR" in done.err
    assert (bench.project / "a-file").read_text(encoding="utf-8") == "not a folder"


@pytest.mark.parametrize("command", [("debate", "t", *SEATS), ("runs", "list"), ("runs", "show", "last")])
def test_a_state_directory_with_an_impossible_name_is_refused_in_a_sentence(
    bench: Workbench, command: tuple[str, ...]
) -> None:
    bench.extra["AI_STATE_DIR"] = "x" * 300
    done = bench.run(*command)
    assert (done.code, done.out, len(done.err.splitlines())) == (1, "", 1)
    assert "AI_STATE_DIR" in done.err


def test_a_project_whose_path_is_no_text_is_still_spoken_of_in_json(bench: Workbench) -> None:
    odd = bench.project / NOT_UTF_8
    (odd / ".git").mkdir(parents=True)
    here = ("sh", "-c", 'cd "$1" && shift && exec "$@"', "sh", os.fsencode(odd))
    for arguments in (("doctor", "--json"), ("runs", "show", "debate-1", "--json")):
        done = subprocess.run(
            [*here, *PROGRAM, *arguments], capture_output=True, check=False, env=bench.environment, timeout=PATIENCE_S
        )
        assert "project/caf" in json.dumps(json.loads(done.stdout)), done.stderr


def test_a_current_folder_that_is_gone_is_said_so(bench: Workbench) -> None:
    (bench.root / "gone").mkdir()
    done = subprocess.run(
        ["sh", "-c", 'rmdir "$PWD" && exec "$@"', "sh", *PROGRAM, "runs", "list"],
        capture_output=True,
        check=False,
        cwd=bench.root / "gone",
        env=bench.environment,
        timeout=PATIENCE_S,
    )
    assert (done.returncode, done.stderr) == (
        2,
        b"Error: The current folder does not exist any more. Change to another one.\n",
    )


@pytest.mark.parametrize(
    ("content", "said"),
    [("{ torn", "Move the file away"), (json.dumps({"schema_version": 99}), "99"), ("[]", "Move the file away")],
)
def test_a_last_debate_that_cannot_be_understood_is_never_overwritten(
    bench: Workbench, content: str, said: str
) -> None:
    last = bench.state / "debate" / "last-debate.json"
    last.parent.mkdir(parents=True)
    last.write_text(content, encoding="utf-8")
    done = bench.run("debate", "t", *SEATS)
    assert (done.code, done.out, len(done.err.splitlines())) == (1, "", 1)
    assert str(last) in done.err
    assert said in done.err
    assert last.read_text(encoding="utf-8") == content


@pytest.mark.parametrize("folder", ["debate", "debate/runs"])
def test_runs_are_not_kept_behind_a_link_that_a_repository_brings(bench: Workbench, folder: str) -> None:
    link, elsewhere = bench.state / folder, bench.root / "elsewhere"
    elsewhere.mkdir()
    link.parent.mkdir(parents=True)
    link.symlink_to(elsewhere)
    done = bench.run("debate", "t", *SEATS)
    assert (done.code, done.out, len(done.err.splitlines())) == (1, "", 1)
    assert "is a symbolic link" in done.err
    assert list(elsewhere.iterdir()) == []


def test_a_state_directory_that_is_a_file_is_not_taken_for_an_empty_one(bench: Workbench) -> None:
    (bench.project / "a-file").write_text("not a folder", encoding="utf-8")
    bench.extra["AI_STATE_DIR"] = "a-file"
    done = bench.run("runs", "list")
    assert (done.code, done.out, len(done.err.splitlines())) == (1, "", 1)
    assert "a-file" in done.err


def test_a_malformed_provider_file_disables_only_its_own_provider(bench: Workbench) -> None:
    (bench.providers / "claude.toml").write_text('kind = "cli"\nname = [\n', encoding="utf-8")
    done = bench.run("consult", "q", "--tool", "claude")
    assert done.code == 2
    assert "The provider file of 'claude' cannot be used" in done.err
    assert "claude.toml:" in done.err
    assert bench.run("consult", "q", "--tool", "ann").code == 0


def test_a_provider_file_in_the_repository_is_not_obeyed(bench: Workbench) -> None:
    for folder in (bench.project / ".sparring" / "providers", bench.project / "providers"):
        folder.mkdir(parents=True)
        (folder / "evil.toml").write_text((bench.providers / "ann.toml").read_text(encoding="utf-8"), encoding="utf-8")
    assert "There is no tool named 'evil'" in bench.run("consult", "q", "--tool", "evil").err


def test_a_relative_configuration_folder_is_refused(bench: Workbench) -> None:
    bench.extra["SPARRING_CONFIG_DIR"] = "config"
    done = bench.run("runs", "list")
    assert (done.code, done.err) == (2, "Error: SPARRING_CONFIG_DIR must be an absolute path, it is 'config'.\n")


def _journal(bench: Workbench) -> Path:
    assert bench.run("debate", "Should it retry?", *SEATS).code == 0
    return next((bench.state / "debate" / "runs").glob("*/journal.jsonl"))


def test_a_truncated_last_line_is_set_aside_and_the_run_goes_on(bench: Workbench) -> None:
    expected = bench.run("debate", "Should it retry?", *SEATS, "--json").json
    journal = next((bench.state / "debate" / "runs").glob("*/journal.jsonl"))
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:4]) + lines[4][:100])
    done = bench.run("runs", "resume", journal.parent.name, "--json")
    assert done.code == 0, done.err
    assert (journal.parent / "journal.torn").read_bytes().startswith(lines[4][:100])
    assert done.json["verdict"] == expected["verdict"]


def test_a_journal_whose_chain_is_broken_is_refused_and_left_alone(bench: Workbench) -> None:
    journal = _journal(bench)
    changed = journal.read_bytes().replace(b"I concede", b"I insist!", 1)
    journal.write_bytes(changed)
    for command in (("runs", "show", "last"), ("runs", "resume", "last")):
        done = bench.run(*command)
        assert (done.code, done.out, len(done.err.splitlines())) == (1, "", 1)
        assert "journal.jsonl" in done.err
    assert journal.read_bytes() == changed


def test_a_finished_run_is_not_resumed(bench: Workbench) -> None:
    run_id = _journal(bench).parent.name
    done = bench.run("runs", "resume", run_id)
    assert (done.code, done.err) == (
        2,
        f"Error: Run {run_id} is finished; there is nothing to resume. See it with `sparring runs show {run_id}`.\n",
    )


def test_a_run_whose_tool_is_gone_is_not_resumed_until_it_is_back(bench: Workbench) -> None:
    journal = _journal(bench)
    run_id = journal.parent.name
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:3]))
    tool = bench.providers / "bob.toml"
    tool.rename(bench.root / "bob.toml")
    done = bench.run("runs", "resume", run_id)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("Error: There is no tool named 'bob'. Known tools: ")
    (bench.root / "bob.toml").rename(tool)

    script = bench.providers / "bob.json"
    script.write_text("{", encoding="utf-8")
    done = bench.run("runs", "resume", run_id)
    assert (done.code, done.out, len(done.err.splitlines())) == (2, "", 1)
    assert done.err.startswith(f"Error: script {script}: ")
    script.unlink()
    assert bench.run("runs", "resume", run_id).code == 3
    bench.add_tool("bob", SPEECHES)
    assert bench.run("runs", "resume", run_id).code == 0
