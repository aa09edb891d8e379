"""Faults in words of ours, and what a shell completes."""

import re
from pathlib import Path

import pytest

from sparring.formats.registry import FORMATS
from support.workbench import DEBATE, Workbench

PROGRAM = "import sys; sys.argv[0] = 'sparring'; from sparring.cli import run; run()"


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return Workbench.below(tmp_path)


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (
            "debat",
            "There is no command debat. Did you mean debate or batch? `sparring --help` shows what can be typed.",
        ),
        ("runs lst", "There is no command lst. Did you mean list? `sparring runs --help`"),
        ("runs show", "RUN_ID is missing."),
        ("debate", "TOPIC is missing."),
        ("config set effort", "VALUE is missing."),
        ("debate x y z", "y z is too much: words in a row need quotation marks."),
        ("debate x --rond 2", "There is no option --rond. Did you mean --rounds"),
        ("providers --jsn", "There is no option --jsn. Did you mean --json?"),
        ("debate x --rounds", "--rounds needs a value."),
        ("debate x --rounds two", "--rounds must be a whole number."),
        ("debate x --max-cost much", "--max-cost must be a number."),
        ("debate x --blind-openings=yes", "--blind-openings takes no value."),
        ("verify claims --jobs 0", "--jobs must be at least 1."),
        ("demo debat", "WHAT must be one of 'debate', 'fact-check', 'verify'."),
        ("install cluade", "There is no host named 'cluade'. Did you mean claude?"),
        ("debate x --proposer an", "There is no tool named 'an'. Did you mean ann?"),
    ],
)
def test_what_cannot_be_parsed_is_told_in_words_of_ours(bench: Workbench, typed: str, told: str) -> None:
    done = bench.run(*typed.split())
    assert (done.code, done.err.startswith(f"Error: {told}")) == (2, True), done.err


@pytest.mark.parametrize("name", list(FORMATS))
def test_the_help_of_a_command_has_headings_and_examples_and_names_no_types(bench: Workbench, name: str) -> None:
    shown = bench.run(name, "--help").out
    assert "─ Who takes part ─" in shown
    assert f" sparring {name} " in shown.partition("Examples:")[2]
    assert not re.search(r"<(?:bool|str|int|float|list)", shown.partition("─ Options ─")[2])


@pytest.mark.process
def test_a_shell_completes_commands_tools_and_runs(bench: Workbench) -> None:
    bench.run(*DEBATE)
    (run,) = (folder.name for folder in bench.state.glob("debate/runs/debate-*"))
    for words, place, expected in (
        ("sparring deb", 1, ["debate"]),
        ("sparring debate --proposer an", 3, ["anthropic", "ann"]),
        ("sparring debate --judges ann,b", 3, ["ann,bob"]),
        ("sparring runs show ", 3, ["last", run]),
    ):
        bench.extra.update(_SPARRING_COMPLETE="complete_bash", COMP_WORDS=words, COMP_CWORD=str(place))
        assert bench.run_program(line=f'exec "$1" -c "{PROGRAM}"').out.split() == expected
