"""``sparring config``: what is set once counts in every run, and a call goes before it."""

import re
from pathlib import Path

import pytest

from support.workbench import Workbench


def config_of(bench: Workbench) -> Path:
    return bench.root / "config" / "config.toml"


def test_a_default_is_set_shown_and_taken_out_and_comments_stay(bench: Workbench) -> None:
    file = config_of(bench)
    file.write_text('# Mine.\n[defaults]\neffort = "low"  # usually\n\n[other]\nkey = 1\n', encoding="utf-8")

    for key, value in (("effort", "high"), ("debate.rounds", "3"), ("repo-access", "none"), ("timeout", "60")):
        assert bench.run("config", "set", key, value).code == 0

    assert bench.run("config", "path").out == f"{file}\n"
    shown = {"effort": "high", "repo_access": "none", "timeout": 60, "debate.rounds": 3}
    assert bench.run("config", "show", "--json").json == {"file": str(file), "defaults": shown}
    assert bench.run("config", "get", "debate.rounds").out == "3\n"
    assert all(line in file.read_text(encoding="utf-8") for line in ("# Mine.\n", 'effort = "high"  # usually\n'))
    for key in shown:
        assert bench.run("config", "unset", key).err == f"{key} is unset.\n"
    assert bench.run("config", "get", "effort").code == 1
    assert "[other]\nkey = 1\n" in file.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "[defaults]\neffrt = 'high'\n",
            "config.toml: there is no option 'effrt' that can have a default. Did you mean",
        ),
        (
            "[defaults]\nrepo-access = 'read'\n",
            "option 'repo-access' that can have a default. Did you mean repo_access?",
        ),
        ("[defaults]\nrounds = 9\n", "A default cannot be used: rounds"),
        ("[defaults\n", "config.toml is not TOML"),
        ("defaults = 1\n", "config.toml: defaults must be a table."),
        ("[defaults]\ndebate = 1\n", "config.toml: defaults.debate must be a table."),
        ("[defaults]\nrepo_access = 'all'\n", "The repository access must be one of auto, none, read"),
        ("[defaults.debate]\nmodel_proposer = 'gpt'\nseat = ['judge=x']\n", "Defaults of yours count here"),
    ],
)
def test_defaults_that_cannot_be_used_are_refused_with_their_file(bench: Workbench, text: str, reason: str) -> None:
    config_of(bench).write_text(text, encoding="utf-8")
    done = bench.run("debate", "It?", "--challenger", "bob", "--proposer", "ann")
    assert (done.code, reason in done.err) == (2, True), done.err
    assert bench.run("config", "set", "debate.rounds", "2").code in {0, 2}


def test_a_configuration_in_the_project_is_not_read(bench: Workbench) -> None:
    bench.extra["SPARRING_CONFIG_DIR"] = str(bench.project / "config")
    (bench.project / "config").mkdir()
    (bench.project / "config" / "config.toml").write_text("[defaults]\nrounds = 9\n", encoding="utf-8")
    assert bench.run("consult", "Well?", "--tool", "offline").code == 0
    assert "is not read" in bench.run("config", "show").err


def test_the_page_about_it_says_what_runs(bench: Workbench) -> None:
    page = (Path(__file__).parents[2] / "docs" / "configuration.md").read_text(encoding="utf-8")
    (commands,) = re.findall(r"^```sh\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    (written,) = re.findall(r"^```toml\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    for command in commands.splitlines():
        assert bench.run(*command.split()[1:]).code == 0
    assert bench.run("config", "show").out == 'seat = ["judge=claude"]\n'
    assert bench.run("config", "unset", "seat").err == "seat is unset.\n"
    config_of(bench).write_text(written, encoding="utf-8")
    assert bench.run("config", "show").out == 'seat = ["judge=claude"]\neffort = "high"\ndebate.rounds = 3\n'
    assert bench.run("consult", "", "--tool", "ann").err.startswith("Error: question must not be empty.")
