"""What is typed: values that may be left out, faults in words of ours, and what a shell completes."""

import re
from pathlib import Path

import pytest

from sparring.cli.parsing import texts_last, with_values
from sparring.formats.registry import FORMATS
from support.texts import texts
from support.workbench import DEBATE, Workbench

TEXTS = texts("command-lines")
PROGRAM = "import sys; sys.argv[0] = 'sparring'; from sparring.cli import run; run()"


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return Workbench.below(tmp_path)


@pytest.mark.parametrize(("typed", "read"), TEXTS["left-out"])
def test_an_option_without_its_value_means_the_usual_one(typed: list[str], read: list[str]) -> None:
    assert with_values(typed) == read


@pytest.mark.parametrize(("typed", "read"), TEXTS["a-text-that-begins-with-a-dash"])
def test_a_word_with_a_space_is_no_option(typed: list[str], read: list[str]) -> None:
    assert texts_last(typed, {"--context"}) == read


def test_a_question_may_begin_with_a_dash(bench: Workbench) -> None:
    for question in ("- [ ] is it done?", "--force or --force-with-lease?", "-v, or -q?"):
        done = bench.run("consult", question, "--tool", "ann", "--json")
        assert (done.code, done.json["question"]) == (0, question), done.err


@pytest.mark.parametrize(("typed", "told"), TEXTS["refused"])
def test_parse_errors_are_stated_in_plain_words(bench: Workbench, typed: str, told: str) -> None:
    done = bench.run(*typed.split())
    assert (done.code, done.err.startswith(f"Error: {told}")) == (2, True), done.err


@pytest.mark.parametrize("name", list(FORMATS))
def test_the_help_of_a_command_has_headings_and_examples_and_names_no_types(bench: Workbench, name: str) -> None:
    shown = bench.run(name, "--help-all").out
    assert "─ Participants ─" in shown
    assert f" sparring {name} " in shown.partition("Examples:")[2]
    assert not re.search(r"<(?:bool|str|int|float|list)", shown.partition("─ Options ─")[2])


FIRST = ("debate", "consult", "fact-check", "jury", "review", "chaired-debate", "evaluate", "batch jury")


@pytest.mark.parametrize("typed", FIRST)
def test_the_first_screen_of_a_help_shows_examples_and_then_the_common_options(bench: Workbench, typed: str) -> None:
    shown, every = (bench.run(*typed.split(), flag).out for flag in ("--help", "--help-all"))
    examples, _, options = shown.partition("Options:")
    first = re.findall(r"^  (?:-\w, )?(--[a-z-]+)", options, re.MULTILINE)
    known = set(re.findall(r"^│ [* ]*(--[a-z-]+)", every, re.MULTILINE))
    assert f"Examples:\n  sparring {typed}" in examples
    assert len([option for option in first if option != "--help"]) <= (12 if typed == "debate" else 14)
    assert set(first) < known
    assert f"--help-all` shows {len(known) - len(first)} more options and " in options


def test_help_names_a_command_or_the_one_that_is_meant(bench: Workbench) -> None:
    for typed in ("debate", "runs list", ""):
        helped = bench.run("help", *typed.split())
        assert (helped.code, helped.out) == (0, bench.run(*typed.split(), "--help").out)
    assert bench.run("help", "debat").err.startswith("Error: There is no command debat. Did you mean debate")


def test_a_quiet_call_prints_its_result_and_its_errors_alone(bench: Workbench) -> None:
    loud, quiet = (bench.run(*DEBATE, *more) for more in ((), ("-q",)))
    assert (loud.code, quiet.code, quiet.err) == (0, 0, "")
    assert loud.err
    assert quiet.out.splitlines()[0] == loud.out.splitlines()[0]
    assert bench.run("debate", "--quiet", "--rounds", "9", "So?").err.startswith("Error: rounds must be at most 5")


@pytest.mark.process
def test_a_shell_completes_tools_and_runs(bench: Workbench) -> None:
    bench.run(*DEBATE)
    (run,) = (folder.name for folder in bench.state.glob("debate/runs/debate-*"))
    for words, place, expected in (
        ("sparring debate --proposer an", 3, ["anthropic", "ann"]),
        ("sparring debate --with ann,b", 3, ["ann,bob"]),
        ("sparring debate --seat judge=ann,b", 3, ["judge=ann,bob"]),
        ("sparring debate --seat ju", 3, ["judge="]),
        ("sparring runs show ", 3, ["last", run]),
    ):
        bench.extra.update(_SPARRING_COMPLETE="complete_bash", COMP_WORDS=words, COMP_CWORD=str(place))
        assert bench.run_program(line=f'exec "$1" -c "{PROGRAM}"').out.split() == expected
