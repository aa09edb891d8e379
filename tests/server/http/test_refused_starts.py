"""``sparring serve --http`` that cannot or must not start: one sentence, and exit code 2."""

import socket
from pathlib import Path

import pytest

from support.team import ANN, write_members
from support.workbench import Workbench

pytestmark = pytest.mark.process


def refusal(bench: Workbench, *arguments: str) -> str:
    """What is said to these arguments."""
    done = bench.run_program("serve", *arguments)
    assert (done.code, done.out) == (2, "")
    (line,) = done.err.splitlines()
    return line.removeprefix("Error: ")


@pytest.mark.parametrize("address", ["0.0.0.0:0", "[::]:0", "example.com:0", "10.0.0.1:80"])
def test_other_machines_are_not_served_without_tokens(tmp_path: Path, address: str) -> None:
    said = refusal(Workbench.below(tmp_path), "--http", address)
    assert said.startswith("Without tokens only this machine is served, and ")
    assert said.endswith("or name a file of tokens with --tokens or SPARRING_HTTP_TOKENS.")


@pytest.mark.parametrize(
    "address", ["8000", ":8000", "localhost", "localhost:", "::1:8000", "[::1]", "a b:1", "h:65536"]
)
def test_what_is_no_address_is_refused(tmp_path: Path, address: str) -> None:
    said = refusal(Workbench.below(tmp_path), "--http", address)
    assert said == f"{address!r} is no address. Give HOST:PORT, e.g. 127.0.0.1:8000 or [::1]:8000."


def test_a_port_that_is_taken_is_said_to_be(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        said = refusal(Workbench.below(tmp_path), "--http", address)
    assert said == f"Nothing can listen on http://{address}: Address already in use. Choose another address."


def test_a_file_of_tokens_in_the_project_is_refused(tmp_path: Path) -> None:
    bench = Workbench.below(tmp_path)
    file = write_members(bench).rename(bench.project / "members.toml")
    said = refusal(bench, "--http", "127.0.0.1:0", "--tokens", str(file))
    assert said == f"{file} lies in the project that is served. Keep the tokens elsewhere."


def test_a_team_whose_runs_would_lie_in_the_project_is_refused(tmp_path: Path) -> None:
    bench = Workbench.below(tmp_path)
    bench.extra["AI_STATE_DIR"] = ".kept"
    said = refusal(bench, "--http", "127.0.0.1:0", "--tokens", str(write_members(bench)))
    assert said.startswith("AI_STATE_DIR lies in the project, where members could read each other's runs.")


def test_tokens_without_an_address_are_refused(tmp_path: Path) -> None:
    bench = Workbench.below(tmp_path)
    said = refusal(bench, "--tokens", str(write_members(bench)))
    assert said == "Tokens are for a team that is served over HTTP. Add --http HOST:PORT."


def test_a_folder_of_the_team_that_cannot_be_made_is_said_to_be(tmp_path: Path) -> None:
    bench = Workbench.below(tmp_path)
    (bench.root / "kept").write_text("a file", encoding="utf-8")
    bench.extra.update({"AI_STATE_DIR": str(bench.root / "kept"), "SPARRING_HTTP_TOKEN": ANN})
    done = bench.run_program("serve", "--http", "127.0.0.1:0")
    assert done.code != 0
    assert len(done.err.splitlines()) == 1
    assert ANN not in done.err
