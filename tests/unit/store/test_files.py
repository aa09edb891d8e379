import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from sparring.errors import StateCorruptError, StateUnwritableError
from sparring.schema.base import Effort
from sparring.schema.consult import LastSession
from sparring.store.files import StateFolder, read_record, replace_file, write_out
from support.journals import BEGUN_AT

SESSION = LastSession(
    tool="claude", model=None, effort=Effort.HIGH, session_id="5e55-10", continuable=True, question="Why?",
    timestamp=BEGUN_AT,
)  # fmt: skip


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def state(tmp_path: Path) -> StateFolder:
    return StateFolder(tmp_path / ".claude")


@pytest.fixture
def last(state: StateFolder) -> Path:
    return state.root / "consult" / "last-session.json"


def test_a_record_is_indented_json_is_read_as_it_was_written_and_only_its_user_may_read_it(
    state: StateFolder, last: Path
):
    state.ensure_writable(last.parent)
    assert list(last.parent.iterdir()) == []
    state.replace(last, SESSION)
    assert state.read(last, LastSession) == SESSION
    assert (mode(last), mode(last.parent), mode(state.root)) == (0o600, 0o700, 0o700)
    assert [path.name for path in last.parent.iterdir()] == ["last-session.json"]
    assert last.read_text(encoding="utf-8") == SESSION.model_dump_json(indent=2) + "\n"


def test_a_missing_file_is_no_record_and_one_of_other_tools_is_replaced(state: StateFolder, last: Path):
    assert state.read(last, LastSession) is None
    state.check_replaceable(last, LastSession)
    replace_file(last, b'{"id": "debate-2026-02-21-ab12", "timestamp": "2026-02-21T10:00:00Z"}')
    state.check_replaceable(last, LastSession)
    state.replace(last, SESSION)
    assert state.read(last, LastSession) == SESSION


NEWER = SESSION.model_dump_json().replace('"schema_version":1', '"schema_version":2').encode()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        *((content, "damaged") for content in (b"", b"{", b"\xff\xfe", b"[]", b"[" * 10_000, b"{}")),
        *((b'{"schema_version": %s' % rest, "damaged") for rest in (b"true}", b'"1"}', b'1, "tool": "claude"}')),
        (b'{"schema_version": 7, "all": "new"}', "schema version 7.*Update sparring"),
        (NEWER, "schema version 2.*Update sparring"),
    ],
)
def test_an_unreadable_file_is_refused_and_left_unchanged(state: StateFolder, last: Path, content: bytes, said: str):
    replace_file(last, content)
    for use in (
        lambda: state.check_replaceable(last, LastSession),
        lambda: read_record(last, LastSession),
        lambda: state.replace(last, SESSION),
    ):
        with pytest.raises(StateCorruptError, match=said):
            use()
    assert last.read_bytes() == content


def make_link(path: Path) -> None:
    target = path.parent / "target.json"
    target.write_text(SESSION.model_dump_json(), encoding="utf-8")
    path.symlink_to(target)


@pytest.mark.parametrize("put", [make_link, Path.mkdir, os.mkfifo], ids=["link", "folder", "pipe"])
def test_only_regular_files_are_read_or_replaced(state: StateFolder, last: Path, put: Callable[[Path], None]):
    last.parent.mkdir(parents=True)
    put(last)
    kind = stat.S_IFMT(last.lstat().st_mode)
    with pytest.raises(StateCorruptError, match="Move it away"):
        state.replace(last, SESSION)
    assert stat.S_IFMT(last.lstat().st_mode) == kind


def test_no_link_inside_the_state_directory_leads_out_of_it(state: StateFolder, last: Path, tmp_path: Path):
    (tmp_path / "elsewhere").mkdir()
    state.root.mkdir()
    last.parent.symlink_to(tmp_path / "elsewhere")
    for use in (
        lambda: state.ensure_writable(last.parent / "runs"),
        lambda: state.read(last, LastSession),
        lambda: state.replace(last, SESSION),
    ):
        with pytest.raises(StateUnwritableError, match=r"consult is a symbolic link.*AI_STATE_DIR"):
            use()
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_writing_replaces_a_link_and_writes_to_a_pipe(tmp_path: Path):
    os.mkfifo(pipe := tmp_path / "pipe")
    with os.fdopen(os.open(pipe, os.O_RDWR | os.O_NONBLOCK), "rb", 0) as reader:
        write_out(pipe, b"ours")
        with pytest.raises(StateUnwritableError, match=r"pipe cannot be used: a device or a pipe has that name\."):
            replace_file(pipe, b"theirs")
        assert (reader.read(9), pipe.is_fifo()) == (b"ours", True)
    (tmp_path / "elsewhere").write_text("theirs", encoding="utf-8")
    (tmp_path / "link").symlink_to("elsewhere")
    replace_file(tmp_path / "link", b"ours")
    assert [(tmp_path / name).read_bytes() for name in ("link", "elsewhere")] == [b"ours", b"theirs"]


def test_the_state_directory_itself_may_be_a_link_and_keeps_its_mode(state: StateFolder, last: Path, tmp_path: Path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere").chmod(0o755)
    state.root.symlink_to(tmp_path / "elsewhere")
    state.ensure_writable(last.parent)
    state.replace(last, SESSION)
    assert state.read(last, LastSession) == SESSION
    assert (mode(state.root), mode(last.parent)) == (0o755, 0o700)


def test_a_file_in_the_place_of_a_folder_makes_the_state_directory_unwritable(state: StateFolder, last: Path):
    state.root.write_text("not a folder", encoding="utf-8")
    for use in (
        lambda: state.ensure_writable(last.parent),
        lambda: state.replace(last, SESSION),
        lambda: read_record(last, LastSession),
    ):
        with pytest.raises(StateUnwritableError, match="AI_STATE_DIR"):
            use()
    assert state.root.read_text(encoding="utf-8") == "not a folder"


def test_a_replacement_that_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path):
    path = tmp_path / "record"
    (path / "old").mkdir(parents=True)
    with pytest.raises(StateUnwritableError):
        replace_file(path, b"new")
    assert [entry.name for entry in tmp_path.iterdir()] == ["record"]
    assert (path / "old").is_dir()
