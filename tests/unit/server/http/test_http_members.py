import hashlib
import os
from pathlib import Path

import pytest

from sparring.errors import ConfigurationError
from sparring.schema.limits import Allowance
from sparring.server.http.members import Member, Members, read_members

TOKEN, OTHER = "t0ken-" + "x" * 40, "0ther-" + "y" * 40
SECRETS = (TOKEN, OTHER, TOKEN[:20], "s3cret")


def file_of(tmp_path: Path, text: str, mode: int = 0o600) -> Path:
    """A file with this text."""
    file = tmp_path / "members.toml"
    file.write_bytes(text.encode("latin-1"))
    file.chmod(mode)
    return file


def refusal(tmp_path: Path, file: Path | None, **environment: str) -> str:
    """The sentence for it, which repeats no token."""
    with pytest.raises(ConfigurationError) as refused:
        read_members(environment, file, tmp_path / "project")
    said = str(refused.value)
    assert not [secret for secret in SECRETS if secret in said]
    assert refused.value.__cause__ is None or isinstance(refused.value.__cause__, OSError)
    assert "\n" not in said
    return said


def test_members_have_their_digests_and_allowances(tmp_path: Path) -> None:
    digest = hashlib.sha256(OTHER.encode()).hexdigest()
    limits = "most_runs = 3\ncalls_per_day = 200\ntokens_per_day = 2_000_000\ncost_usd_per_day = 10\n"
    text = f'[members.ann]\ntoken = "{TOKEN}"\n{limits}[members.bob-2]\ntoken_sha256 = "{digest.upper()}"\n'
    found = read_members({}, file_of(tmp_path, text), tmp_path / "project")
    ann = Member(
        "ann",
        hashlib.sha256(TOKEN.encode()).digest(),
        Allowance(most_runs=3, calls_per_day=200, tokens_per_day=2_000_000, cost_usd_per_day=10),
    )
    assert found == Members((ann, Member("bob-2", bytes.fromhex(digest))), (TOKEN,))
    assert TOKEN not in repr(found)
    assert [
        member.name if (member := found.of(token)) else None for token in (TOKEN, OTHER, TOKEN[:-1], "", "\udcff")
    ] == [
        "ann",
        "bob-2",
        None,
        None,
        None,
    ]


def test_the_environment_names_a_file_or_the_only_token(tmp_path: Path) -> None:
    file = file_of(tmp_path, f'[members.ann]\ntoken = "{TOKEN}"\n')
    project = tmp_path / "project"
    assert read_members({"SPARRING_HTTP_TOKENS": str(file)}, None, project) == read_members({}, file, project)
    (only,) = read_members({"SPARRING_HTTP_TOKEN": f" {TOKEN}\n"}, None, project).members
    assert (only.name, only.allowance) == ("default", Allowance())
    assert read_members({"SPARRING_HTTP_TOKEN": " "}, None, project) == Members()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "members: Field required"),
        ("[members]", "members: Dictionary should have at least 1 item"),
        ("[members.ann]\nmost_runs = 1", "members.ann: give either token or token_sha256"),
        (f'[members.ann]\ntoken = "{TOKEN}"\ntoken_sha256 = "{"a" * 64}"', "members.ann: give either"),
        ('[members.ann]\ntoken = "s3cret"', "members.ann.token: needs at least 32 characters"),
        (f'[members.ann]\ntoken = "{TOKEN} {TOKEN}"', "members.ann.token: needs at least 32 characters"),
        ('[members.ann]\ntoken_sha256 = "s3cret"', "members.ann.token_sha256: String should match pattern"),
        (f'[members.ann]\ntoken = "{TOKEN}"\nmost_runs = 0', "members.ann.most_runs: Input should be greater"),
        (f'[members.ann]\ntoken = "{TOKEN}"\ncolour = 1', "members.ann.colour: Extra inputs are not permitted"),
        (f"[members.ann]\n{TOKEN} = 1", "members.ann....: Extra inputs are not permitted"),
        (f'[members.{TOKEN}]\ntoken = "{TOKEN}"', "members....: String should match pattern"),
        (f'[members]\nann = "{TOKEN}"', "members.ann: Input should be"),
        (f'[members.ann]\ntoken = "{TOKEN}\n', "is not TOML (line 2, column"),
        ('[members.ann]\ntoken = """s3cret', "is not TOML (at its end)"),
        ("[members.\xff]", "is not UTF-8"),
        (
            f'[members.ann]\ntoken = "{TOKEN}"\n[members.bob]\ntoken = "{TOKEN}"',
            "ann and bob have the same token. Make one with",
        ),
        ("#" * (1024 * 1024 + 1), "is larger than 1,048,576 bytes"),
    ],
)
def test_a_file_that_cannot_be_understood_is_refused_in_one_sentence(tmp_path: Path, text: str, words: str) -> None:
    assert words in refusal(tmp_path, file_of(tmp_path, text))


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o666])
def test_a_file_that_is_open_to_others_is_refused(tmp_path: Path, mode: int) -> None:
    file = file_of(tmp_path, f'[members.ann]\ntoken = "{TOKEN}"\n', mode)
    assert refusal(tmp_path, file) == f"{file} is open to other users. Run `chmod 600 {file}`."


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    assert "cannot be read: No such file or directory" in refusal(tmp_path, tmp_path / "nowhere")
    assert "cannot be read: Is a directory" in refusal(tmp_path, tmp_path)
    assert refusal(tmp_path, Path(os.devnull)) == f"{os.devnull} is not a regular file."


def test_a_token_of_the_environment_that_is_too_short_or_one_too_many_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path, None, SPARRING_HTTP_TOKEN="s3cret").startswith("SPARRING_HTTP_TOKEN needs at least 32")  # noqa: S106
    file = file_of(tmp_path, f'[members.ann]\ntoken = "{TOKEN}"\n')
    assert refusal(tmp_path, file, SPARRING_HTTP_TOKEN=OTHER).endswith("and SPARRING_HTTP_TOKEN as well. Give one.")
