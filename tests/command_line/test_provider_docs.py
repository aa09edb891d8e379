"""docs/providers.md promises only what runs: its files are written as they stand there, and its commands typed."""

import os
import re
import shlex
from pathlib import Path

import pytest

from support.gating import git
from support.workbench import Workbench

PAGE = (Path(__file__).parents[2] / "docs" / "providers.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"`([a-z]+\.(?:toml|json))`[^`]*(?:`match`[^`]*)?:\n\n```[a-z]+\n(.*?)^```", PAGE, re.S | re.M))
COMMANDS = [shlex.split(block)[1:] for block in re.findall(r"^```sh\n(.*?)^```", PAGE, re.S | re.M)]

OURS = 'read question\necho "$question | $* | $OURS_KEY, $OURS_LOG, $OTHER_KEY | $(ls)"'


@pytest.fixture
def documented(bench: Workbench) -> Workbench:
    for name, text in FILES.items():
        (bench.providers / name).write_text(text, encoding="utf-8")
    program = bench.add_program("ours", OURS)
    keys = {"OURS_KEY": "mine", "OTHER_KEY": "yours"}
    bench.extra.update(keys, PATH=os.pathsep.join((str(program.parent), os.environ["PATH"])))
    return bench


def test_the_page_has_these_files_and_commands() -> None:
    assert sorted(FILES) == ["ours.toml", "parrot.json", "parrot.toml", "shout.toml"]
    assert len(COMMANDS) == 4


@pytest.mark.process
def test_a_program_that_prints_text_answers_as_the_page_says(documented: Workbench) -> None:
    shout, ours = (documented.run(*command, "--json") for command in COMMANDS[:2])
    assert (shout.code, shout.json["response"], shout.json["notices"]) == (0, "WHAT IS THIS?", [])
    asked = documented.run("consult", "What is this?", "--tool", "shout", "--effort", "high", "--json")
    assert asked.json["notices"] == ["shout ignores --effort: its file has no [efforts]."]
    assert ours.json["response"] == "What is this? | ask --model big-2 --think much | mine, off,  |"
    git(documented, "add", "README.md")  # nothing but what git tracks is in the copy of the project
    reading = documented.run("consult", "And there?", "--tool", "ours", "--repo-access", "read", "--json")
    assert reading.json["response"] == "And there? | ask --think some --may-read | mine, off,  | README.md"
    refused = documented.run("consult", "x", "--tool", "ours", "--effort", "max")
    assert (refused.code, "knows: low, medium, high" in refused.err) == (2, True)


@pytest.mark.process
def test_a_failing_program_is_reported_with_its_last_line(documented: Workbench) -> None:
    file = documented.providers / "shout.toml"
    for script, detail in (
        ("echo half; echo trying >&2; echo no model >&2; exit 3", "shout ended with exit code 3: no model"),
        ("printf '\\033[0m \\n'", "shout gave an empty answer."),
    ):
        command = f"[command]\nprogram = 'sh'\nargv = ['-c', '''{script}''']\n"
        file.write_text(FILES["shout.toml"].split("[command]")[0] + command, encoding="utf-8")
        done = documented.run("consult", "x", "--tool", "shout", "--json")
        assert (done.code, done.json["failure"]["detail"]) == (1, detail)


@pytest.mark.process
def test_the_script_of_the_page_may_sit_in_every_seat(documented: Workbench) -> None:
    answer, debate = (documented.run(*command, "--json") for command in COMMANDS[2:])
    assert (answer.code, answer.json["response"]) == (0, "The default answer.")
    assert (debate.code, debate.json["status"]) == (4, "unjudged")


def test_a_program_that_prints_text_cannot_declare_sessions(documented: Workbench) -> None:
    text = FILES["ours.toml"].replace('"{access}"]', '"{access}", "{resume}"]')
    text = text.replace("[command.access]", 'resume = ["-r", "{session}"]\n[command.access]')
    (documented.providers / "ours.toml").write_text(text, encoding="utf-8")
    assert "command.resume is not for output = 'text'" in documented.run("models").out
