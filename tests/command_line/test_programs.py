"""Programs of the user's own that print as known ones do, asked on the command line: what becomes of their answers."""

import json
import os
from contextlib import ExitStack
from pathlib import Path

import pytest

from sparring.testing import Attendance, fake_cli
from sparring.testing.noise import REWRITES
from support.desk import TOOLS
from support.gating import git
from support.recordings import Recording
from support.workbench import Workbench

pytestmark = pytest.mark.process

ANSWERS = {
    "claude": "claude/ok-json",
    "codex": "codex/ok-json",
    "copilot": "copilot/ok-json",
    "gemini": "gemini/ok-json",
    "opencode": "opencode/ok-json",
}


def add(bench: Workbench, output: str, program: str, *argv: str, name: str = "mine") -> None:
    """Add the tool ``name``, a program that prints so."""
    text = f'kind = "cli"\nfamily = "none"\ntitle = "Mine"\noutput = "{output}"\nrepo_access = ["none", "read"]\n'
    command = f"[command]\nprogram = {json.dumps(program)}\nargv = {json.dumps(argv)}\n"
    (bench.providers / f"{name}.toml").write_text(text + command, encoding="utf-8")


@pytest.mark.slow
def test_programs_that_do_not_exit_have_answered(bench: Workbench) -> None:
    python = bench.add_program("lingers", f'exec python3 -S {fake_cli.__file__} linger "$@"')
    bench.extra["PATH"] = f"{python.parent}:/usr/bin:/bin"
    with ExitStack() as stack:
        attendances = {output: stack.enter_context(Attendance()) for output in TOOLS}
        for output, attendance in attendances.items():
            printed = Recording.read(ANSWERS[output]).stdout
            add(bench, output, "lingers", attendance.address, "parent", printed, name=f"my-{output}")
        done = bench.run("consult", "Is it so?", "--tool", ",".join(f"my-{output}" for output in TOOLS), "--json")
        assert done.code == 0, done.err
        assert [each["response"][:7] for each in done.json["answers"]] == ["FAKE-OK"] * len(TOOLS)
        assert [each["warnings"][-1] for each in done.json["answers"]] == [
            f"my-{output} continued after its answer was complete, and was stopped." for output in TOOLS
        ]
        for attendance in attendances.values():
            attendance.arrivals(2)
            assert attendance.last_words() == {"parent": "", "child": ""}
    assert not list((bench.root / ".cache").rglob("prompt"))


@pytest.mark.parametrize(("output", "code"), [("text", "quota"), ("claude", "quota"), ("codex", "quota")])
def test_the_cause_of_a_failure_is_found_on_standard_output(output: str, code: str, bench: Workbench) -> None:
    limit = "You've hit your limit · resets 1pm (Europe/Lisbon)"
    add(bench, output, "/bin/sh", "-c", f'cat > /dev/null; echo "{limit}"; exit 1')
    done = bench.run("consult", "Is it so?", "--tool", "mine", "--json")
    assert done.code == 1
    assert (done.json["failure"]["code"], done.json["failure"]["detail"]) == (
        code, f"mine ended with exit code 1: {limit}",
    )  # fmt: skip


@pytest.mark.parametrize("output", ["claude", "gemini", "text"])
def test_a_program_sees_the_project_only_if_it_may_read_it(output: str, bench: Workbench) -> None:
    said = {"claude": '{"type":"result","result":"%s"}', "gemini": '{"session_id":"s","response":"%s"}', "text": "%s"}
    add(bench, output, "/bin/sh", "-c", f"cat > /dev/null; printf '{said[output]}' \"$(pwd) | $(/bin/ls)\"")
    git(bench, "add", "README.md")
    bench.extra["PATH"] = os.environ["PATH"]
    blind = bench.run("consult", "Is it so?", "--tool", "mine", "--json")
    folder, _, seen = blind.json["response"].partition(" | ")
    assert (Path(folder).is_relative_to(bench.project), seen) == (False, "")
    reading = bench.run("consult", "Is it so?", "--tool", "mine", "--repo-access", "read", "--json")
    assert reading.json["response"].endswith("README.md")


def test_a_program_that_prints_something_else_is_quoted(bench: Workbench) -> None:
    add(bench, "gemini", "/bin/sh", "-c", "cat > /dev/null; echo 'No, do not retry that.'")
    done = bench.run("consult", "Is it so?", "--tool", "mine", "--json")
    failure = done.json["failure"]
    assert failure["detail"] == "mine ended without a result; it printed: No, do not retry that."
    assert (done.code, failure["code"]) == (1, "parse")


def test_an_array_is_read_as_its_last_result(bench: Workbench) -> None:
    printed = REWRITES["last of an array"](Recording.read(ANSWERS["claude"]).stdout)
    (bench.project / "printed").write_text(printed, encoding="utf-8")
    add(bench, "claude", "/bin/cat", str(bench.project / "printed"))
    done = bench.run("consult", "Is it so?", "--tool", "mine")
    assert (done.code, "FAKE-OK" in done.out) == (0, True)
