"""What may be handed over of a project: its own files, and nothing that its links and names lead to."""

import os
import socket
from pathlib import Path

import pytest

from sparring.errors import UsageError
from sparring.lookup.context import ProjectFile, read_project_file
from support.desk import write
from support.texts import texts

LIMIT = 1000


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a file, and a file beside it."""
    write(tmp_path / "outside.txt", "outside")
    return write(tmp_path / "project" / "src" / "a.py", "x = 'Có'\n").parents[1]


def read(spelled: str, project: Path, *, secrets_allowed: bool = False) -> ProjectFile:
    folders = (project / "src", project)
    return read_project_file(spelled, project=project, folders=folders, limit=LIMIT, secrets_allowed=secrets_allowed)


def refusal(spelled: str, project: Path) -> str:
    with pytest.raises(UsageError) as refused:
        read(spelled, project)
    assert "\n" not in str(refused.value)
    return str(refused.value)


def test_a_file_is_read_by_any_path_to_it_and_a_large_one_has_only_its_size(project: Path) -> None:
    (project / "src" / "marked.txt").write_bytes(b"\xef\xbb\xbfmarked")  # a mark that is no text
    (project / "link.txt").symlink_to("src/marked.txt")
    (project / "large.txt").write_bytes(b"x" * (LIMIT + 7))
    spellings = ("a.py", "src/a.py", "./src/a.py", str(project / "src" / "a.py"))
    assert {read(spelled, project) for spelled in spellings} == {ProjectFile("src/a.py", 10, "x = 'Có'\n")}
    assert read("link.txt", project) == ProjectFile("src/marked.txt", 9, "marked")
    assert read("large.txt", project) == ProjectFile("large.txt", LIMIT + 7, None)


def test_what_is_not_a_file_of_the_project_is_refused(project: Path) -> None:
    refused: dict[str, list[str]] = dict(texts("providers")["what-is-not-a-file-of-the-project"])
    for reason, spellings in (refused | {"cannot be read: File name too long": ["x" * 300]}).items():
        assert [spelled for spelled in spellings if reason not in refusal(spelled, project)] == []


def test_a_link_leads_to_nothing_that_could_not_be_named(project: Path) -> None:
    write(project / ".env", "A=b")
    write(project.parent / "project-two" / "a.txt", "")
    outside = {"1": "../outside.txt", "2": "../missing.txt", "3": "..", "4": "/etc/passwd", "sibling": "../project-two"}
    for name, target in {**outside, "harmless": ".env", "itself": "itself"}.items():
        (project / name).symlink_to(target)
    told = {name: refusal(name, project) for name in (*outside, "3/outside.txt", "sibling/a.txt")}
    assert [name for name, reason in told.items() if "lies outside of the project" not in reason] == []
    assert "cannot be read" in refusal("itself", project)
    for name in ("harmless", ".env"):
        assert "may contain secrets" in refusal(name, project)
    assert read(".env", project, secrets_allowed=True).text == "A=b"


def test_only_regular_files_are_opened(project: Path) -> None:
    os.mkfifo(project / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        here = Path.cwd()
        os.chdir(project)  # the path of a socket must be short
        listener.bind("socket")
        os.chdir(here)
    for name in ("pipe", "socket"):
        assert refusal(name, project) == f"{name!r} is not a regular file."


def test_a_file_that_is_no_text_is_refused(project: Path) -> None:
    for content, said in (
        (b"caf\xe9", "not UTF-8 text"),
        ("é".encode("utf-16"), "not UTF-8 text"),
        (b"a\0b", "a binary file"),
    ):
        (project / "odd").write_bytes(content)
        assert refusal("odd", project).startswith(f"'odd' is {said}.")
