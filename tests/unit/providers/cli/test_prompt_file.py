"""Prompts on disk: private, and gone afterwards."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.providers.cli.process_tree import ProcessTable
from sparring.providers.cli.prompt_file import PromptFiles


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def left_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_prompt_is_held_in_a_private_file(tmp_path: Path) -> None:
    folder = tmp_path / "state" / "consult"
    with PromptFiles(folder).holding("Why?\r\nWarum, Tiếng Việt?\n") as file:
        assert file.read_bytes() == "Why?\r\nWarum, Tiếng Việt?\n".encode()
        assert (mode(file), mode(folder), file.parent) == (0o600, 0o700, folder)
    assert left_in(folder) == []


def test_a_folder_that_others_could_read_is_closed_and_the_same_prompt_is_two_files(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    files = PromptFiles(tmp_path)
    with files.holding("Why?") as first, files.holding("Why?") as second:
        assert (mode(tmp_path), first == second) == (0o700, False)
        second.unlink()  # that somebody else removed it is no error


async def test_an_error_or_a_cancellation_removes_the_file(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), PromptFiles(tmp_path).holding("Why?"):
        raise ZeroDivisionError
    with anyio.CancelScope() as scope, PromptFiles(tmp_path).holding("Why?"):
        scope.cancel()
        await anyio.sleep_forever()
    assert left_in(tmp_path) == []


@pytest.mark.process
def test_a_link_that_leads_elsewhere_is_refused_and_not_followed(tmp_path: Path) -> None:
    elsewhere, link = tmp_path / "elsewhere", tmp_path / "consult"
    elsewhere.mkdir()
    abandoned = elsewhere / f"prompt-{gone()}-0-{'0' * 16}.txt"
    abandoned.touch()
    link.symlink_to(elsewhere)
    with pytest.raises(NotADirectoryError), PromptFiles(link).holding("Why?"):
        pass
    assert PromptFiles(link).sweep() == 0
    assert left_in(elsewhere) == [abandoned.name]


@given(prompt=st.text(st.characters(categories=("Cs", "L"))))
def test_any_text_can_be_held(tmp_path_factory: pytest.TempPathFactory, prompt: str) -> None:
    with PromptFiles(tmp_path_factory.getbasetemp()).holding(prompt) as file:
        held = file.read_text(encoding="utf-8")
    assert held == "".join("?" if "\ud800" <= character <= "\udfff" else character for character in prompt)


def gone() -> int:
    """The pid of a process that is no more."""
    process = subprocess.Popen([sys.executable, "-S", "-c", ""])
    process.wait()
    return process.pid


@pytest.mark.process
def test_a_sweep_removes_what_dead_processes_left_and_nothing_else(tmp_path: Path) -> None:
    ours, suffix = ProcessTable().entry(os.getpid()), f"{'0' * 16}.txt"
    started = ours.started if ours else 0
    abandoned = [f"prompt-{gone()}-0-{suffix}"]
    if ours:  # only where the start of a process is known, a pid that was given away again can be told
        abandoned += [f"prompt-{gone()}-7-{suffix}", f"prompt-{os.getpid()}-{started + 1}-{suffix}"]
    kept = [
        f"prompt-{os.getpid()}-{started}-{suffix}",
        f"prompt-{os.getpid()}-0-{suffix}",
        f"prompt-{'9' * 30}-0-{suffix}",
        "last-session.json",
    ]
    for name in (*abandoned, *kept):
        (tmp_path / name).touch()
    with PromptFiles(tmp_path).holding("Why?") as file:
        assert PromptFiles(tmp_path).sweep() == len(abandoned)
        assert left_in(tmp_path) == sorted([*kept, file.name])


@pytest.mark.process
def test_what_cannot_be_removed_is_not_counted(tmp_path: Path) -> None:
    (tmp_path / f"prompt-{gone()}-0-{'0' * 16}.txt").mkdir()
    assert (PromptFiles(tmp_path).sweep(), PromptFiles(tmp_path / "not-yet").sweep()) == (0, 0)


def test_a_folder_is_held_like_a_file(tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("kept", encoding="utf-8")
    files = PromptFiles(tmp_path / "private")
    with files.holding_folder() as first, files.holding_folder() as second:
        assert (mode(first), first.parent, first == second) == (0o700, tmp_path / "private", False)
        (first / "deep").mkdir()
        (first / "deep" / "file.txt").write_text("gone", encoding="utf-8")
        (first / "link").symlink_to(outside)
        assert files.sweep() == 0
    assert left_in(tmp_path / "private") == []
    assert outside.read_text(encoding="utf-8") == "kept"
