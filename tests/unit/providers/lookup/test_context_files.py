"""What may be handed over of a project: its own files, and nothing that its links and names lead to."""

import os
import socket
from pathlib import Path

import pytest

from sparring.errors import UsageError
from sparring.providers.lookup.context import ProjectFile, read_project_file

LIMIT = 1000


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a file, and a file beside it."""
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (root / "src" / "a.py").write_text("x = 'Có'\n", encoding="utf-8")
    (tmp_path / "outside.txt").write_text("outside", encoding="utf-8")
    return root


def read(spelled: str, project: Path, *, secrets_allowed: bool = False) -> ProjectFile:
    folders = (project / "src", project)
    return read_project_file(spelled, project=project, folders=folders, limit=LIMIT, secrets_allowed=secrets_allowed)


def refusal(spelled: str, project: Path) -> str:
    with pytest.raises(UsageError) as refused:
        read(spelled, project)
    assert "\n" not in str(refused.value)
    return str(refused.value)


def test_a_file_is_found_from_where_one_is_from_the_root_and_by_its_whole_path(project: Path) -> None:
    expected = ProjectFile("src/a.py", 10, "x = 'Có'\n")
    spellings = ("a.py", "src/a.py", "./src/a.py", str(project / "src" / "a.py"))
    assert [read(spelled, project) for spelled in spellings] == [expected] * 4


def test_a_link_that_stays_in_the_project_is_followed_and_a_mark_at_the_beginning_is_no_text(project: Path) -> None:
    (project / "src" / "marked.txt").write_bytes(b"\xef\xbb\xbfmarked")
    (project / "link.txt").symlink_to("src/marked.txt")
    assert read("link.txt", project) == ProjectFile("src/marked.txt", 9, "marked")


def test_of_a_file_that_is_too_large_only_the_size_is_told(project: Path) -> None:
    (project / "large.txt").write_bytes(b"x" * (LIMIT + 7))
    assert read("large.txt", project) == ProjectFile("large.txt", LIMIT + 7, None)


REFUSED = [
    ("", "names no file"),
    ("../outside.txt", "leads upwards with `..`"),
    ("src/../../outside.txt", "leads upwards with `..`"),
    ("src\\..\\..\\outside.txt", "leads upwards with `..`"),
    ("\\\\server\\share\\a.txt", "is a network path"),
    ("//server/share/a.txt", "is a network path"),
    ("/etc/passwd", "lies outside of the project"),
    ("/nowhere/at/all", "lies outside of the project"),
    ("/dev/zero", "lies outside of the project"),
    ("~/outside.txt", "cannot be read: No such file or directory"),
    ("C:\\Windows\\win.ini", "cannot be read: No such file or directory"),
    ("missing.py", "cannot be read: No such file or directory"),
    ("src", "is a folder"),
    (".", "is a folder"),
    ("a\nb", "holds control characters"),
    ("a\0b", "holds control characters"),
    ("x" * 300, "cannot be read: File name too long"),
    (".git/config", "may hold secrets"),
]


def test_what_is_not_a_file_of_the_project_is_refused(project: Path) -> None:
    told = {spelled: refusal(spelled, project) for spelled, _ in REFUSED}
    assert [told[spelled] for spelled, reason in REFUSED if reason not in told[spelled]] == []


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("../outside.txt", "lies outside of the project"),
        ("../missing.txt", "lies outside of the project"),
        ("..", "lies outside of the project"),
        ("/etc/passwd", "lies outside of the project"),
        (".env", "may hold secrets"),
        ("link", "cannot be read"),
    ],
)
def test_a_link_leads_to_nothing_that_could_not_be_named(project: Path, target: str, reason: str) -> None:
    (project / ".env").write_text("A=b", encoding="utf-8")
    (project / "link").symlink_to(target)
    assert reason in refusal("link", project)
    assert "may hold secrets" in refusal(".env", project)
    assert read(".env", project, secrets_allowed=True).text == "A=b"


def test_a_linked_folder_leads_nowhere_either(project: Path) -> None:
    (project.parent / "project-two").mkdir()
    (project.parent / "project-two" / "a.txt").touch()
    for target, spelled in {"..": "folder/outside.txt", "../project-two": "sibling/a.txt"}.items():
        (project / spelled.partition("/")[0]).symlink_to(target)
        assert "lies outside of the project" in refusal(spelled, project)


def test_what_is_no_regular_file_is_not_opened(project: Path) -> None:
    os.mkfifo(project / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        here = Path.cwd()
        os.chdir(project)  # the path of a socket must be short
        listener.bind("socket")
        os.chdir(here)
    assert [refusal(name, project) for name in ("pipe", "socket")] == [
        "'pipe' is not a regular file.",
        "'socket' is not a regular file.",
    ]


def test_what_is_no_text_is_refused(project: Path) -> None:
    said = list[str]()
    for content in (b"caf\xe9", "é".encode("utf-16"), b"a\0b"):
        (project / "odd").write_bytes(content)
        said.append(refusal("odd", project))
    assert said == [*["'odd' is not UTF-8 text."] * 2, "'odd' is a binary file."]
