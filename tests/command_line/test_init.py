"""``sparring init``: a first provider file from three answers."""

import pytest

from support.workbench import Workbench

PROGRAM = ("init", "shout", "tr a-z A-Z")


@pytest.mark.process
def test_a_program_that_prints_an_answer_is_asked_at_once(bench: Workbench) -> None:
    bench.extra["PATH"] = "/usr/bin:/bin"
    done = bench.run(*PROGRAM)
    assert (done.code, done.out) == (0, (bench.providers / "shout.toml").read_text(encoding="utf-8"))
    assert f"Written: {bench.providers / 'shout.toml'}\n" in done.err
    assert "is it safe?".upper() in bench.run("consult", "is it safe?", "--tool", "shout").out


@pytest.mark.parametrize(("model", "line"), [(("qwen3",), 'model = "qwen3"'), ((), "lists_models = true")])
def test_a_server_is_named_by_its_address(bench: Workbench, model: tuple[str, ...], line: str) -> None:
    written = bench.run("init", "my-local", "http://127.0.0.1:9/v1", *model, "--json").json
    assert (written["name"], line in written["text"], "MY_LOCAL_API_KEY" in written["text"]) == ("my-local", True, True)
    listed = {each["name"]: each for each in bench.run("models", "--json").json["providers"]}
    assert listed["my-local"]["kind"] == "api"


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ((), "There is no terminal for questions. Give the answers: sparring init NAME PROGRAM|URL [MODEL]"),
        (("mine",), "There is no terminal for questions."),
        (("My Own", "cat"), "A provider cannot be called 'My Own'."),
        (("mine", "cat 'x"), 'No program can be read from "cat \'x".'),
        (("host", "cat"), "These answers make no provider: 'host' is the agent that calls over MCP"),
    ],
)
def test_answers_that_make_no_provider_are_refused(bench: Workbench, typed: tuple[str, ...], told: str) -> None:
    done = bench.run("init", *typed)
    assert (done.code, told in done.err) == (2, True), done.err
    assert not (bench.providers / "mine.toml").exists()


def test_a_file_that_is_there_is_not_replaced(bench: Workbench) -> None:
    bench.run(*PROGRAM)
    again = bench.run("init", "shout", "cat")
    assert (again.code, "exists already. Edit it, or choose another name." in again.err) == (2, True)


def test_a_configuration_in_the_project_gets_no_provider(bench: Workbench) -> None:
    bench.extra["SPARRING_CONFIG_DIR"] = str(bench.project / "config")
    done = bench.run(*PROGRAM)
    assert (done.code, "lies in the project" in done.err) == (2, True)


def test_a_folder_that_cannot_be_made_is_refused_in_a_sentence(bench: Workbench) -> None:
    bench.extra["SPARRING_CONFIG_DIR"] = str(bench.project.parent / "a-file" / "sparring")
    (bench.project.parent / "a-file").write_text("not a folder", encoding="utf-8")
    for typed in (PROGRAM, ("config", "set", "debate.rounds", "3")):
        done = bench.run(*typed)
        assert (done.code, done.out, len(done.err.splitlines())) == (1, "", 1), done.err
        assert done.err.endswith("is not a folder. Set SPARRING_CONFIG_DIR to a folder that can be written.\n")


def test_a_built_in_tool_is_not_replaced_by_a_first_file(bench: Workbench) -> None:
    done = bench.run("init", "claude", "cat", "none")
    assert (done.code, done.err) == (
        2,
        "Error: 'claude' is a built-in tool, which this file would replace. Choose another name.\n",
    )


def test_models_lists_what_is_ready_first(bench: Workbench) -> None:
    available = [each["available"] for each in bench.run("models", "--json").json["providers"]]
    assert available == sorted(available, reverse=True)
    assert set(available) == {True, False}
    refused = bench.run("consult", "So?", "--tool", "nobody").err
    assert refused.index("Ready: ") < refused.index("ann") < refused.index("Not ready: ") < refused.index("claude")
