"""The key that tells this user's records from those that came with a project."""

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_core import from_json, to_json

from sparring.errors import StateKeyError
from sparring.settings import Settings
from sparring.store.provenance import KEY_NAME, NO_KEY, StateKey
from support.journals import KEY, OTHER_KEY

GIVEN = "a secret that a team has agreed upon, and CI has"


def settings(root: Path, config: Path, **environment: str) -> Settings:
    return Settings({"HOME": str(root / "home"), **environment}, root / "project", config / "providers", root / "cache")


def test_the_key_is_made_when_something_is_first_signed_and_for_the_user_alone(tmp_path: Path) -> None:
    file = tmp_path / "config" / KEY_NAME
    key = StateKey(file)
    assert not key.is_signed("a", "0" * 64, b"content")
    assert key.problem == ""
    assert not file.exists()
    code = key.sign("a", b"content")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert StateKey(file).is_signed("a", code, b"con", b"tent")
    assert not StateKey(file).is_signed("b", code, b"content")
    assert not StateKey(tmp_path / "other").is_signed("a", code, b"content")


def test_simultaneous_creation_gives_one_key(tmp_path: Path) -> None:
    keys = [StateKey(tmp_path / "config" / KEY_NAME) for _ in range(8)]
    with ThreadPoolExecutor(len(keys)) as threads:
        signing = [threads.submit(key.sign, "a", b"content") for key in keys]
        codes = [each.result() for each in signing]
    assert len(set(codes)) == 1
    assert codes[0]


def test_a_lost_key_is_replaced_and_earlier_records_stay_unsigned(tmp_path: Path) -> None:
    file = tmp_path / KEY_NAME
    before = StateKey(file).sign("a", b"content")
    file.unlink()
    key = StateKey(file)
    after = key.sign("a", b"content")
    assert after != before
    assert not key.is_signed("a", before, b"content")


@pytest.mark.parametrize(
    ("content", "mode", "told"),
    [
        (b"0" * 64, 0o644, "can be used by others than you. `chmod 600 "),
        (b"", 0o600, "contains no key"),
        (b"secret\n", 0o600, "contains no key"),
        (b"0" * 5000, 0o600, "contains no key"),
    ],
)
def test_an_unusable_key_signs_nothing_and_states_why(tmp_path: Path, content: bytes, mode: int, told: str) -> None:
    file = tmp_path / KEY_NAME
    file.write_bytes(content)
    file.chmod(mode)
    key = StateKey(file)
    assert told in key.problem
    assert "SPARRING_STATE_KEY" in key.problem
    with pytest.raises(StateKeyError, match="key"):
        key.ensure()
    assert key.sign("a", b"content") == ""
    assert not key.is_signed("a", "0" * 64, b"content")
    assert file.read_bytes() == content


def test_a_key_behind_a_link_or_in_an_impossible_folder_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"0" * 64)
    (tmp_path / KEY_NAME).symlink_to(tmp_path / "real")
    assert "symbolic link" in StateKey(tmp_path / KEY_NAME).problem
    with pytest.raises(StateKeyError, match=r"cannot be read: Not a directory\. Make it usable"):
        StateKey(tmp_path / "real" / KEY_NAME).ensure()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_can_only_be_read_keeps_the_key_from_being_made(tmp_path: Path) -> None:
    folder = tmp_path / "config"
    folder.mkdir(mode=0o500)
    key = StateKey(folder / KEY_NAME)
    with pytest.raises(StateKeyError, match="cannot be made: Permission denied"):
        key.ensure()
    assert key.sign("a", b"content") == ""


def test_a_variable_replaces_the_key_file(tmp_path: Path) -> None:
    project = tmp_path / "project"
    mine, theirs = (
        StateKey.of(settings(tmp_path, tmp_path / name, SPARRING_STATE_KEY=f" {GIVEN}\n"), project) for name in "ab"
    )
    assert theirs.is_signed("a", mine.sign("a", b"content"), b"content")
    assert list(tmp_path.iterdir()) == []
    short = StateKey.of(settings(tmp_path, tmp_path, SPARRING_STATE_KEY="too short"), project)
    assert short.problem == "SPARRING_STATE_KEY must have 32 characters or more."
    with pytest.raises(StateKeyError, match="32 characters"):
        short.ensure()


def test_a_key_that_could_come_with_the_project_is_not_used(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    own = StateKey.of(settings(tmp_path, tmp_path / "config"), project)
    own.ensure()
    assert (tmp_path / "config" / KEY_NAME).exists()
    inside = StateKey.of(settings(tmp_path, project / "config"), project)
    assert "lies in the project" in inside.problem
    assert inside.sign("a", b"content") == ""
    assert not (project / "config").exists()


VALUES = st.recursive(st.none() | st.booleans() | st.text(), st.lists, max_leaves=5)
JSON = st.dictionaries(st.text(), VALUES, min_size=1, max_size=4)


@given(record=JSON, indent=st.sampled_from([None, 2]))
def test_a_sealed_record_opens_only_with_its_own_name_and_key(record: dict[str, object], indent: int | None) -> None:
    sealed = KEY.sealed("a", to_json(record, indent=indent))
    assert {name: value for name, value in from_json(sealed).items() if name != "provenance"} | {
        "provenance": record.get("provenance")
    } == record | {"provenance": record.get("provenance")}
    opened = KEY.opened("a", sealed)
    assert (from_json(opened.content), opened.is_own) == (record, True)
    assert not KEY.opened("b", sealed).is_own
    assert not OTHER_KEY.opened("a", sealed).is_own
    assert NO_KEY.sealed("a", sealed) == sealed
    assert from_json(OTHER_KEY.opened("a", sealed).content) == record


@given(record=JSON, data=st.data())
def test_a_changed_sealed_record_is_not_own(record: dict[str, object], data: st.DataObject) -> None:
    sealed = bytearray(KEY.sealed("a", to_json(record)))
    place = data.draw(st.integers(0, len(sealed) - 3))
    sealed[place] ^= data.draw(st.integers(1, 255))
    assert not KEY.opened("a", bytes(sealed)).is_own
