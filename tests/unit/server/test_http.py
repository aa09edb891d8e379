import os
from pathlib import Path

import pytest

from sparring.errors import ConfigurationError
from sparring.server.http import read_token

TOKEN = "t0ken-" + "x" * 40
SECRETS = (TOKEN, TOKEN[:20], "s3cret")


def file_of(tmp_path: Path, text: str, mode: int = 0o600) -> Path:
    """A file with this text."""
    file = tmp_path / "token"
    file.write_bytes(text.encode("latin-1"))
    file.chmod(mode)
    return file


def refusal(tmp_path: Path, file: Path | None, **environment: str) -> str:
    """The sentence for it, which repeats no token."""
    with pytest.raises(ConfigurationError) as refused:
        read_token(environment, file, tmp_path / "project")
    said = str(refused.value)
    assert not [secret for secret in SECRETS if secret in said]
    assert "\n" not in said
    return said


def test_the_token_comes_from_a_file_or_the_environment(tmp_path: Path) -> None:
    project = tmp_path / "project"
    assert read_token({}, file_of(tmp_path, f"{TOKEN}\n"), project) == TOKEN
    assert read_token({"SPARRING_HTTP_TOKEN": f" {TOKEN}\n"}, None, project) == TOKEN
    assert read_token({"SPARRING_HTTP_TOKEN": " "}, None, project) is None


@pytest.mark.parametrize(
    "text", ["", "s3cret", f"{TOKEN} {TOKEN}", f"{TOKEN}\xe4", f'[members.ann]\ntoken = "{TOKEN}"']
)
def test_what_is_no_token_is_refused(tmp_path: Path, text: str) -> None:
    needs = "needs at least 32 characters, all of them visible ASCII. Make one with `openssl rand -hex 32`."
    file = file_of(tmp_path, text)
    assert refusal(tmp_path, file) == f"The token in {file} {needs}"
    if text:
        assert refusal(tmp_path, None, SPARRING_HTTP_TOKEN=text) == f"SPARRING_HTTP_TOKEN {needs}"


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620])
def test_a_file_that_is_open_to_others_is_refused(tmp_path: Path, mode: int) -> None:
    file = file_of(tmp_path, TOKEN, mode)
    assert refusal(tmp_path, file) == f"{file} is open to other users. Run `chmod 600 {file}`."


def test_a_token_file_in_the_project_or_of_another_type_is_refused(tmp_path: Path) -> None:
    inside = tmp_path / "project" / "token"
    assert refusal(tmp_path, inside) == f"{inside} lies in the project that is served. Keep the token elsewhere."
    assert "cannot be read: No such file or directory" in refusal(tmp_path, tmp_path / "nowhere")
    assert "cannot be read: Is a directory" in refusal(tmp_path, tmp_path)
    assert refusal(tmp_path, Path(os.devnull)) == f"{os.devnull} is not a regular file."


def test_one_token_too_many_is_refused(tmp_path: Path) -> None:
    said = refusal(tmp_path, file_of(tmp_path, TOKEN), SPARRING_HTTP_TOKEN=TOKEN)
    assert said.endswith("and in SPARRING_HTTP_TOKEN as well. Give one.")
