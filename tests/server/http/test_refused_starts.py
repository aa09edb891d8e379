"""``sparring serve --http`` that cannot or must not start: one sentence, and exit code 2."""

import socket
from pathlib import Path

import pytest

from sparring.errors import SparringError
from sparring.server.http import serve
from sparring.settings import Settings
from support.workbench import Workbench


def refusal(bench: Workbench, address: str = "127.0.0.1:0", token_file: Path | None = None) -> str:
    """What is said to these arguments."""
    with pytest.raises(SparringError) as refused:
        serve(address, token_file, pytest.fail, settings=Settings.read(bench.environment, bench.project))
    (line,) = str(refused.value).splitlines()
    return line


@pytest.mark.parametrize("address", ["0.0.0.0:0", "[::]:0", "example.com:0"])
def test_other_machines_are_not_served_without_a_token(bench: Workbench, address: str) -> None:
    said = refusal(bench, address)
    assert said.startswith("Without a token only this machine is served, and ")
    assert said.endswith("Set SPARRING_HTTP_TOKEN, or name a file with --set token_file=FILE.")


@pytest.mark.parametrize("address", [":8000", "localhost:", "::1:8000", "[::1]", "a b:1", "h:65536"])
def test_what_is_no_address_is_refused(bench: Workbench, address: str) -> None:
    said = refusal(bench, address)
    assert said == f"{address!r} is not an address. Give HOST:PORT, e.g. 127.0.0.1:8000 or [::1]:8000."


def test_a_port_in_use_is_reported(bench: Workbench) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        said = refusal(bench, address)
    assert said == f"Nothing can listen on http://{address}: Address already in use. Choose another address."
