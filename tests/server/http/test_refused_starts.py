"""``sparring serve --http`` that cannot or must not start: one sentence, and exit code 2."""

import socket
from pathlib import Path

import pytest

from sparring.errors import SparringError
from sparring.server.http.serving import serve
from sparring.settings import Settings
from support.mcp_project import project
from support.team import ANN, write_members
from support.workbench import Workbench


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return project(tmp_path)


def refusal(bench: Workbench, address: str = "127.0.0.1:0", tokens: Path | None = None) -> str:
    """What is said to these arguments."""
    with pytest.raises(SparringError) as refused:
        serve(address, tokens, pytest.fail, settings=Settings.read(bench.environment, bench.project))
    (line,) = str(refused.value).splitlines()
    return line


@pytest.mark.parametrize("address", ["0.0.0.0:0", "[::]:0", "example.com:0", "10.0.0.1:80"])
def test_other_machines_are_not_served_without_tokens(bench: Workbench, address: str) -> None:
    said = refusal(bench, address)
    assert said.startswith("Without tokens only this machine is served, and ")
    assert said.endswith("or name a file of tokens with --tokens or SPARRING_HTTP_TOKENS.")


@pytest.mark.parametrize(
    "address", ["8000", ":8000", "localhost", "localhost:", "::1:8000", "[::1]", "a b:1", "h:65536"]
)
def test_what_is_no_address_is_refused(bench: Workbench, address: str) -> None:
    said = refusal(bench, address)
    assert said == f"{address!r} is no address. Give HOST:PORT, e.g. 127.0.0.1:8000 or [::1]:8000."


def test_a_port_that_is_taken_is_said_to_be(bench: Workbench) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        said = refusal(bench, address)
    assert said == f"Nothing can listen on http://{address}: Address already in use. Choose another address."


def test_a_file_of_tokens_in_the_project_is_refused(bench: Workbench) -> None:
    file = write_members(bench).rename(bench.project / "members.toml")
    said = refusal(bench, tokens=file)
    assert said == f"{file} lies in the project that is served. Keep the tokens elsewhere."


def test_a_team_whose_runs_would_lie_in_the_project_is_refused(bench: Workbench) -> None:
    bench.extra["AI_STATE_DIR"] = ".kept"
    said = refusal(bench, tokens=write_members(bench))
    assert said.startswith("AI_STATE_DIR lies in the project, where members could read each other's runs.")


def test_a_folder_of_the_team_that_cannot_be_made_is_said_to_be(bench: Workbench) -> None:
    (bench.root / "kept").write_text("a file", encoding="utf-8")
    bench.extra.update({"AI_STATE_DIR": str(bench.root / "kept"), "SPARRING_HTTP_TOKEN": ANN})
    assert ANN not in refusal(bench)


@pytest.mark.process
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--http", "8000"), "'8000' is no address. Give HOST:PORT, e.g. 127.0.0.1:8000 or [::1]:8000."),
        (("--tokens", "x"), "Tokens are for a team that is served over HTTP. Add --http HOST:PORT."),
    ],
)
def test_a_refused_start_is_told_on_one_line_with_an_exit_code(
    bench: Workbench, arguments: tuple[str, ...], sentence: str
) -> None:
    done = bench.run_program("serve", *arguments)
    assert (done.code, done.out, done.err) == (2, "", f"Error: {sentence}\n")
