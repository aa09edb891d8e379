"""The copy of a project that tools read in its place."""

import os
import shutil
import stat
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.errors import ConfigurationError
from sparring.lookup import snapshot
from sparring.lookup.snapshot import ReadableProject
from sparring.text.redaction import Redactor
from support import projects

CANARY = "CANARYpw-9f8e7d6c5b4a"
KNOWN = "known-to-nobody-else-4711"
KEY = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA7n0\nQ29kZQpDb2RlCkNvZGU\n-----END RSA PRIVATE KEY-----"
FILES: Mapping[str, str | bytes] = {
    "src/cache.py": f'def write():\n    password = "{CANARY}"\n    return 1\n',
    "src/latin.py": b"# caf\xe9\nx = 1\n",
    "README.md": f"# Cache\n\n{KNOWN}\n",
    "keys.txt": f"one\n{KEY}\nsix\n",
    "picture.png": b"\x89PNG\0\0",
    "long.txt": "x\n" * snapshot.FILE_LIMIT,
    ".env": "TOKEN=CANARYenv\n",
    ".sparring/debate/last-debate.json": '{"topic": "CANARYstate"}\n',
    "odd name [1].py": "y = 2\r\nz = 3\r\n",
}


def git_project(root: Path, files: Mapping[str, str | bytes] = FILES) -> Path:
    project = projects.make_project(root / "project", files)
    (project / ".gitignore").write_text("local.settings.json\n", encoding="utf-8")
    (project / "local.settings.json").write_text('{"note": "CANARYignored"}\n', encoding="utf-8")
    (project / "scratch.py").write_text("CANARYuntracked = 1\n", encoding="utf-8")
    return project


def readable(project: Path, *named: str, secrets: tuple[str, ...] = (KNOWN,)) -> ReadableProject:
    closed = (".sparring",)
    return ReadableProject(project, dict(os.environ), project.parent / "cache", Redactor(secrets), closed, named)


def copied(folder: Path) -> dict[str, str]:
    return {
        file.relative_to(folder).as_posix(): file.read_bytes().decode("utf-8", "surrogateescape")
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


@pytest.mark.process
def test_tracked_files_are_copied_line_by_line_without_secrets(tmp_path: Path) -> None:
    project = git_project(tmp_path)
    folder = readable(project).refreshed()
    found = copied(folder)
    assert set(found) == {"src/cache.py", "src/latin.py", "README.md", "keys.txt", "odd name [1].py"}
    assert found["src/cache.py"] == 'def write():\n    password = "[REDACTED:secret]"\n    return 1\n'
    assert found["README.md"] == "# Cache\n\n[REDACTED:known-value]\n"
    assert found["keys.txt"] == "one\n[REDACTED:private-key]\n\n\n\nsix\n"
    assert found["src/latin.py"].encode("utf-8", "surrogateescape") == FILES["src/latin.py"]
    assert found["odd name [1].py"] == FILES["odd name [1].py"]
    for file in folder.rglob("*"):
        status = file.lstat()
        assert stat.S_IMODE(status.st_mode) == (0o700 if file.is_dir() else 0o600)
        assert file.is_dir() or status.st_nlink == 1, "a change of the copy would be one of the project"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.process
def test_files_named_by_the_user_are_copied_unless_made_for_secrets(tmp_path: Path) -> None:
    project = git_project(tmp_path)
    plain = readable(project).refreshed()
    folder = readable(project, "scratch.py", ".env", "../outside.txt", "/etc/passwd", "gone.py").refreshed()
    assert folder != plain
    assert set(copied(folder)) == {*copied(plain), "scratch.py"}


@pytest.mark.process
def test_the_copy_follows_the_project(tmp_path: Path) -> None:
    project = git_project(tmp_path)
    source = readable(project)
    folder = source.refreshed()
    untouched = (folder / "README.md").stat().st_ino
    (project / "src/cache.py").write_text("new = 1\n", encoding="utf-8")
    (project / "src/latin.py").unlink()
    (project / "more/deep").mkdir(parents=True)
    (project / "more/deep/a.py").write_text("a = 1\n", encoding="utf-8")
    projects.git(project, "add", "-A", "--", "more")
    assert source.refreshed() == folder
    found = copied(folder)
    assert (found["src/cache.py"], found["more/deep/a.py"]) == ("new = 1\n", "a = 1\n")
    assert "src/latin.py" not in found
    assert (folder / "README.md").stat().st_ino == untouched, "what has not changed is not copied again"
    shutil.rmtree(project / "more")
    source.refreshed()
    assert not (folder / "more").exists()


@pytest.mark.process
def test_a_newly_known_secret_is_removed_from_the_copy_for_good(tmp_path: Path) -> None:
    project = git_project(tmp_path, {"a.txt": f"{KNOWN}\n", "b.txt": "another-secret-of-mine-0815\n"})
    folder = readable(project, secrets=(KNOWN,)).refreshed()
    assert copied(folder) == {"a.txt": "[REDACTED:known-value]\n", "b.txt": "another-secret-of-mine-0815\n"}
    readable(project, secrets=("another-secret-of-mine-0815",)).refreshed()
    assert copied(folder) == dict.fromkeys(("a.txt", "b.txt"), "[REDACTED:known-value]\n")
    kept = b"".join(file.read_bytes() for file in folder.parent.iterdir() if file.is_file())
    assert KNOWN.encode() not in kept


@pytest.mark.process
@pytest.mark.parametrize("damage", [b"", b"{", b'{"is_whole": false}', None], ids=["empty", "cut", "begun", "gone"])
def test_a_copy_left_by_a_killed_process_is_rebuilt(tmp_path: Path, damage: bytes | None) -> None:
    project = git_project(tmp_path)
    source = readable(project)
    folder = source.refreshed()
    before = copied(folder)
    (folder / "left.txt").write_text("CANARYleft\n", encoding="utf-8")
    (folder / "README.md").write_text("half", encoding="utf-8")
    manifest = folder.parent / "manifest.json"
    if damage is None:
        manifest.unlink()
    else:
        manifest.write_bytes(damage)
    source.refreshed()
    assert copied(folder) == before


@pytest.mark.process
def test_simultaneous_refreshes_give_the_same_copy(tmp_path: Path) -> None:
    project = git_project(tmp_path)
    with ThreadPoolExecutor(4) as threads:
        waiting = [threads.submit(readable(project).refreshed) for _ in range(4)]
        folders = [each.result() for each in waiting]
    assert len(set(folders)) == 1
    assert "src/cache.py" in copied(folders[0])


LINKS = {
    "inside": "src/cache.py",
    "out": "../outside.txt",
    "far": "/etc/passwd",
    "secret": ".env",
    "ignored": "local.settings.json",
    "state": ".sparring/debate/last-debate.json",
    "folder": "src",
    "circle": "circle",
}


@pytest.mark.process
def test_only_links_to_copied_files_are_followed(tmp_path: Path) -> None:
    (tmp_path / "outside.txt").write_text("CANARYoutside\n", encoding="utf-8")
    project = git_project(tmp_path)
    for name, target in LINKS.items():
        (project / name).symlink_to(target)
    projects.git(project, "add", "-A", "-f", "--", *LINKS)
    folder = readable(project).refreshed()
    assert {*LINKS} & {*copied(folder)} == {"inside"}
    assert (folder / "inside").read_bytes() == (folder / "src/cache.py").read_bytes()
    assert not any(file.is_symlink() for file in folder.rglob("*"))


@pytest.mark.process
def test_a_tracked_file_below_a_new_link_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "cache.py").write_text("CANARYoutside\n", encoding="utf-8")
    project = git_project(tmp_path)
    shutil.rmtree(project / "src")
    (project / "src").symlink_to("../elsewhere")
    assert "CANARYoutside" not in "".join(copied(readable(project).refreshed()).values())


def test_where_there_is_no_git_the_files_of_the_folder_are_copied(tmp_path: Path) -> None:
    project = projects.make_project(tmp_path / "project", FILES, git=False)
    assert set(copied(readable(project).refreshed())) == {
        *("README.md", "keys.txt", "odd name [1].py"), "src/cache.py", "src/latin.py"
    }  # fmt: skip


@pytest.mark.process
def test_a_project_whose_tracked_files_git_cannot_list_is_not_copied(tmp_path: Path) -> None:
    project = git_project(tmp_path)
    without_git = ReadableProject(project, {"PATH": str(tmp_path)}, tmp_path / "cache", Redactor())
    assert "git cannot list the tracked files" in without_git.problem()
    with pytest.raises(ConfigurationError, match="--context"):
        without_git.refreshed()
    projects.git(project, "config", "core.worktree", "/etc")
    assert "core.worktree" in readable(project).problem()


def test_a_project_that_is_too_large_is_refused_before_copying(tmp_path: Path) -> None:
    project = projects.make_project(tmp_path / "project", {"a.txt": ""}, git=False)
    for number in range(snapshot.TOTAL_LIMIT // snapshot.FILE_LIMIT + 1):
        with (project / f"{number}.txt").open("wb") as stream:
            stream.truncate(snapshot.FILE_LIMIT)
    assert "The project has 257 MiB of files" in readable(project).problem()
    with pytest.raises(ConfigurationError, match="too many for a copy"):
        readable(project).refreshed()
    assert not list((tmp_path / "cache").rglob("*.txt"))


def test_an_answer_names_files_as_they_lie_in_the_project(tmp_path: Path) -> None:
    project = projects.make_project(tmp_path / "project", {"a.py": "x = 1\n"}, git=False)
    source = readable(project)
    folder = source.refreshed()
    said = f"See {folder}/a.py:1 and `{folder.resolve()}/a.py`."
    assert source.with_project_paths(said) == f"See {project}/a.py:1 and `{project}/a.py`."


LINES = st.lists(st.sampled_from([KEY, KNOWN, "password = 'hunter2-hunter2'", "plain", "", "x = 1", "token:", CANARY]))


@given(lines=LINES)
def test_redaction_by_line_keeps_the_number_of_lines_and_no_secret(lines: list[str]) -> None:
    text, redactor = "\n".join(lines), Redactor([KNOWN, CANARY])
    harmless = redactor.redact(text, keeps_lines=True)
    assert harmless.text.count("\n") == text.count("\n")
    assert (KNOWN in harmless.text, CANARY in harmless.text, "MIIEow" in harmless.text) == (False, False, False)
    assert redactor.redact(harmless.text, keeps_lines=True).text == harmless.text
    assert harmless.count == redactor.redact(text).count
