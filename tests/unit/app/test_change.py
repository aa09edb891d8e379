"""What is reviewed of a project: read of git or of the disk, whatever lies there, and without secrets."""

import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from sparring.app.change import ChangeReading
from sparring.errors import GitMissingError, NothingToReviewError, UsageError
from sparring.lookup.context import read_named_file
from sparring.participants.options import AccompanyingInput
from sparring.participants.seats import ChangeQuery, ReadChange
from sparring.schema.changes import ChangeKind, ReviewedChange
from sparring.text.redaction import Redactor
from support.installed import app_with
from support.projects import git, make_project
from support.workbench import Workbench

pytestmark = pytest.mark.process

ENVIRONMENT = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"}
NUMBERS = "".join(f"{number}\n" for number in range(1, 101))


def committed(project: Path, files: Mapping[str, str | bytes]) -> Path:
    make_project(project, files)
    git(project, "commit", "-qm", "more")
    return project


def read(project: Path, *what: str, cwd: str = "", plan: str = "", **query: object) -> ReadChange:
    folders = (project / cwd, project)
    reading = ChangeReading(project, folders, ENVIRONMENT, Redactor())
    wish = ChangeQuery(what, **query)  # pyright: ignore[reportArgumentType]
    named = read_named_file(plan, folder=project, limit=1 << 20, secrets_allowed=False) if plan else None
    return reading.read(wish, named)


def told(change: ReviewedChange) -> dict[str, list[str]]:
    """What is shown of each file, numbers of the new file in front of what is not gone."""
    found = dict[str, list[str]]()
    for file in change.files:
        name = (
            f"{file.change}: {file.path}" if file.old_path is None else f"{file.change}: {file.old_path} -> {file.path}"
        )
        lines = (line for hunk in file.hunks for line in hunk.numbered)
        found[name] = [f"{mark}{'' if mark == '-' else number} {text}" for number, mark, text in lines if mark != " "]
    return found


def refused(project: Path, *what: str, **asked: Any) -> str:
    """The sentence in which that is refused."""
    with pytest.raises(UsageError) as refusal:
        read(project, *what, **asked)
    return str(refusal.value)


def paths(change: ReviewedChange) -> list[str]:
    return [each.path for each in change.files]


def left_out(change: ReviewedChange) -> dict[str, str]:
    return {each.path: str(each.reason) for each in change.left_out}


def test_the_uncommitted_changes_are_those_of_the_tree_and_the_index_and_the_new_files(tmp_path: Path) -> None:
    project = committed(tmp_path, {"a.py": NUMBERS, "b.py": "y = 1\n", "gone.py": "z\n", ".gitignore": "out\n"})
    (project / "a.py").write_text(NUMBERS.replace("50\n", "fifty\n"), encoding="utf-8")
    (project / "b.py").write_text("y = 2\n", encoding="utf-8")
    git(project, "add", "b.py")
    (project / "gone.py").unlink()
    new = {"sub/new.py": "x\ny", "out": "1", ".sparring/debate/last-debate.json": "1\n", "é ü.py": "1\n"}
    found = read(make_project(project, new, git=False)).change
    assert told(found) == {
        "added: .sparring/debate/last-debate.json": ["+1 1"],
        "modified: a.py": ["- 50", "+50 fifty"],
        "modified: b.py": ["- y = 1", "+1 y = 2"],
        "deleted: gone.py": ["- z"],
        "added: sub/new.py": ["+1 x", "+2 y"],
        "added: é ü.py": ["+1 1"],
    }
    assert (found.kind, found.title) == (ChangeKind.DIFF, "the uncommitted changes")
    assert (found.base, found.head) == (git(project, "rev-parse", "HEAD"), None)
    assert [(hunk.first, hunk.old_first, len(hunk.lines)) for hunk in found.files[1].hunks] == [(38, 38, 12 + 2 + 12)]
    assert (found.parts, found.left_out, len(found.seen)) == ((tuple(range(6)),), (), 6)


def test_staged_changes_are_compared_with_the_last_or_the_named_commit(tmp_path: Path) -> None:
    project = committed(tmp_path, {"a.py": "1\n"})
    committed(project, {"a.py": "2\n"})
    make_project(project, {"a.py": "3\n"})
    make_project(project, {"a.py": "4\n", "new.py": "1\n"}, git=False)
    staged = read(project, is_staged=True).change
    assert (staged.title, told(staged)) == ("the staged changes", {"modified: a.py": ["- 2", "+1 3"]})
    since = read(project, "HEAD~1", is_staged=True).change
    assert (since.title, told(since)) == ("the staged changes since HEAD~1", {"modified: a.py": ["- 1", "+1 3"]})
    assert "with one commit, not with two" in refused(project, "HEAD~1..HEAD", is_staged=True)


def test_commits_are_named_as_git_names_them(tmp_path: Path) -> None:
    project = committed(tmp_path, {"a.py": "1\n"})
    git(project, "branch", "-M", "main")
    git(project, "tag", "-am", "one", "v1.0")
    git(project, "checkout", "-qb", "feature/topic")
    topic = git(committed(project, {"b.py": "2\n"}), "rev-parse", "HEAD")
    git(project, "checkout", "-q", "main")
    main = git(committed(project, {"a.py": "3\n"}), "rev-parse", "HEAD")
    git(project, "update-ref", "refs/remotes/origin/main", main)
    git(project, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
    for spellings in (("main~1", "HEAD^", "@~", "refs/tags/v1.0", main[:9] + "~1"), ("v1.0", "origin~1")):
        both = read(project, "main..feature/topic").change
        assert (both.title, both.base, both.head) == ("main..feature/topic", main, topic)
        assert told(both) == {"modified: a.py": ["- 3", "+1 1"], "added: b.py": ["+1 2"]}
        for spelled in spellings:
            found = read(project, f"{spelled}..").change
            assert (found.head, told(found)) == (main, {"modified: a.py": ["- 1", "+1 3"]})
        git(project, "pack-refs", "--all")
    assert told(read(project, "main...feature/topic").change) == {"added: b.py": ["+1 2"]}
    (project / "new.py").write_text("1\n", encoding="utf-8")
    since = read(project, "v1.0").change
    assert (since.title, since.head) == ("the changes since v1.0", None)
    assert told(since) == {"modified: a.py": ["- 1", "+1 3"], "added: new.py": ["+1 1"]}


NO_COMMIT = ("--output=/x", "-p", "nope", "HEAD~9", "HEAD:a.py", ":/one", "HEAD^{/one}", "a b", "x\ny", "\0", "^HEAD")


def test_an_unknown_commit_is_refused_in_one_sentence(tmp_path: Path) -> None:
    project = committed(tmp_path, {"a.py": "1\n"})
    for what in ("", *NO_COMMIT, *(f"{word}..HEAD" for word in NO_COMMIT), *(f"HEAD...{word}" for word in NO_COMMIT)):
        assert re.fullmatch(r"There is no commit[^\n]* here\.", refused(project, what))


def test_what_cannot_be_read_is_one_sentence(tmp_path: Path) -> None:
    none = make_project(tmp_path / "none", {"a.py": "1"}, git=False)
    assert "lies in no git repository. What has changed only git knows" in refused(none)
    project = committed(tmp_path / "project", {"a.py": "1\n"})
    with pytest.raises(NothingToReviewError, match=r"^There is nothing to review in the uncommitted changes\.$"):
        read(project)
    assert "names a commit by the log of a branch" in refused(project, "HEAD@{1}..")
    assert "lies outside of the project" in refused(project, "diff", "../none/a.py")
    assert "An empty word names no file or folder" in refused(project, "diff", "")
    assert "no commit, file or folder '../none/a.py' here" in refused(project, "../none/a.py")
    git(project, "branch", "a.py")
    assert "is a commit and a file; write `./a.py` or `a.py~0`" in refused(project, "a.py")
    assert read(project, "./a.py").change.kind is ChangeKind.FILES
    elsewhere = ChangeReading(project, (project,), {"PATH": str(tmp_path)}, Redactor())
    with pytest.raises(GitMissingError, match="git is not installed"):
        elsewhere.read(ChangeQuery(), None)
    assert "A plan is reviewed alone" in refused(project, "diff", plan="a.py")


def test_a_first_commit_is_not_needed_and_a_shallow_history_is_reported(tmp_path: Path) -> None:
    project = make_project(tmp_path / "new", {"a.py": "1\n"})
    assert (read(project).change.base, told(read(project).change)) == (None, {"added: a.py": ["+1 1"]})
    full = committed(committed(tmp_path / "full", {"a.py": "1\n"}), {"a.py": "2\n"})
    subprocess.run(["git", "clone", "-q", "--depth=1", f"file://{full}", str(tmp_path / "part")], check=True)
    with pytest.raises(UsageError, match=r"There is no commit 'HEAD~1' here\. .*`git fetch --unshallow`"):
        read(tmp_path / "part", "HEAD~1..")


def test_conflicts_must_be_resolved_before(tmp_path: Path) -> None:
    project = committed(tmp_path, {"a.py": "1\n"})
    git(project, "checkout", "-qb", "topic")
    committed(project, {"a.py": "2\n"})
    git(project, "checkout", "-q", "-")
    committed(project, {"a.py": "3\n"})
    with pytest.raises(subprocess.CalledProcessError):
        git(project, "merge", "-q", "topic")
    for staged in (False, True):
        with pytest.raises(UsageError, match=r"^a\.py has conflicts of a merge; resolve them and `git add` it\.$"):
            read(project, is_staged=staged)
    (project / "b.py").write_text("1\n", encoding="utf-8")
    assert told(read(project, "diff", "b.py").change) == {"added: b.py": ["+1 1"]}
    assert told(read(project, "HEAD~1..HEAD").change) == {"modified: a.py": ["- 1", "+1 3"]}


def test_only_the_attributes_of_the_base_leave_a_file_out_and_all_others_are_shown_or_named(tmp_path: Path) -> None:
    marks = "*.gen linguist-generated\nlib/* linguist-vendored\n*.dat binary\n*.enc filter=crypt\n"
    plain = (".env", "a.gen", "b.dat", "c.enc", "code.py", "lib/b.js", "uv.lock", "vendor/c.go", "x.min.js", "data.bin")
    texts = {**dict.fromkeys(plain, "1\n"), "stub.go": f"// Code generated by stubgen. DO NOT EDIT.\n{NUMBERS}"}
    binary = {"image.png": b"\x89PNG\0\1" * 100}
    project = committed(tmp_path / "project", texts | binary | {".gitattributes": marks, "run.sh": "1\n"})
    sub = committed(tmp_path / "sub", {"x": "1\n"})
    git(project, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(sub), "sub")
    (project / "run.sh").chmod(0o755)
    (project / "data.bin").unlink()
    changed = {name: f"{text}2\n" for name, text in texts.items() if name != "data.bin"}
    hidden = "*.py linguist-generated -diff\n*.go binary filter=x\n*.min.js linguist-vendored ident\n"
    new = {"image.png": b"\x89PNG\0\2" * 100, "empty.py": "", "nul.sh": "# \0\nrm\n", ".gitattributes": marks + hidden}
    make_project(project, changed | new, git=False)
    committed(project / "nested", {"y": "1\n"})
    wanted = {
        "a.gen": "generated",
        "b.dat": "no_diff",
        "c.enc": "filtered",
        "lib/b.js": "vendored",
        **dict.fromkeys(("sub", "nested"), "submodule"),
        **dict.fromkeys(("stub.go", "vendor/c.go", "x.min.js"), "converted"),
        "image.png": "binary",
        ".env": "secret",
    }
    shown = [".gitattributes", ".gitmodules", "code.py", "data.bin", "empty.py", "nul.sh", "run.sh", "uv.lock"]
    found = read(project)
    assert {path.removesuffix("/"): why for path, why in left_out(found.change).items()} == wanted
    assert paths(found.change) == shown
    assert "[WARN] Not reviewed: 2 submodules (nested/, sub" in found.notices[1]
    assert "1 generated file (a.gen); 1 vendored file (lib/b.js)" in found.notices[0]
    git(project, "add", "-A", "--", ":!nested")
    for staged in (read(project, is_staged=True), read(committed(project, {"b": ""}), "HEAD~1..HEAD")):
        assert wanted == {"nested": "submodule"} | left_out(staged.change)
        assert {*shown, "stub.go", "vendor/c.go", "x.min.js"} == {*paths(staged.change)} - {"b"}
    assert ".env" in paths(read(project, "HEAD~1..", secrets_allowed=True).change)


def test_every_fact_of_a_change_is_stated(tmp_path: Path) -> None:
    files = {
        "pkg/__init__.py": "",
        "old.py": NUMBERS,
        "run.sh": "1\n",
        "to": "x\n",
        "ends": "a\nb\n",
        "data.bin": "1\n",
    }
    project = committed(tmp_path, files)
    for arguments in (("rm", "-q", "pkg/__init__.py"), ("mv", "old.py", "conftest.py")):
        git(project, *arguments)
    (project / "run.sh").chmod(0o755)
    (project / "to").unlink()
    (project / "to").symlink_to("/etc/passwd")
    make_project(project, {"ends": "a\nb", "new.py": "1\n", "data.bin": "1\r\n"}, git=False)
    (project / "tool").symlink_to("run.sh")
    found = read(project).change
    assert {each.path: each.facts for each in found.files} == {
        "conftest.py": ("renamed from old.py", "none of its lines has changed"),
        "data.bin": (),
        "ends": ("its last line has no line end",),
        "new.py": (),
        "pkg/__init__.py": ("empty",),
        "run.sh": ("mode 100644 → 100755: a file is now an executable file",),
        "to": ("mode 100644 → 120000: a file is now a symbolic link",),
        "tool": ("new: a symbolic link",),
    }
    changes = told(found)
    assert changes["modified: data.bin"] == ["- 1", "+1 1␍"]
    assert changes["modified: to"] == ["- x", "+1 /etc/passwd"]
    assert changes["deleted: pkg/__init__.py"] == []
    assert len(found.files[0].hunks[0].lines) == 100, "it may do something else under its new name"
    git(project, "add", "-A")
    assert read(project, is_staged=True).change.files == found.files


def test_a_hunk_names_the_lines_that_enclose_it(tmp_path: Path) -> None:
    body = "".join(f"        x{number} = 1\n" for number in range(40))
    text = f"class Shop:\n    # Nobody else.\n    def sell(self):\n{body}\n    def buy(self):\n{body}"
    project = committed(tmp_path, {"shop.py": text})
    for number in (3 + 30, 45 + 30):
        make_project(project, {"shop.py": "".join(_with_line(text, number))}, git=False)
        git(project, "commit", "-qam", str(number))
    first, second = (read(project, f"HEAD~{back}..HEAD~{back - 1}").change for back in (2, 1))
    hunks = [each.files[0].hunks[-1] for each in (first, second)]
    assert [each.above for each in hunks] == [
        ("class Shop:", "    def sell(self):"),
        ("class Shop:", "    def buy(self):"),
    ]
    assert not {*first.seen} & {*second.seen}


def _with_line(text: str, number: int) -> list[str]:
    lines = text.splitlines(keepends=True)
    return [*lines[:number], "        return True\n", *lines[number:]]


def test_what_was_in_a_secret_file_is_not_shown_when_it_is_moved(tmp_path: Path) -> None:
    project = committed(tmp_path, {".env": "A=old\n" * 20, "a.py": NUMBERS})
    git(project, "mv", ".env", "notes.txt")
    (project / "notes.txt").write_text("A=old\n" * 18, encoding="utf-8")
    git(project, "mv", "a.py", "b.py")
    (project / "b.py").write_text(NUMBERS.replace("7\n", ""), encoding="utf-8")
    found = read(project).change
    assert [(each.path, each.old_path) for each in found.files] == [("b.py", "a.py"), ("notes.txt", None)]


def test_names_that_act_or_cannot_be_spelled_are_not_read(tmp_path: Path) -> None:
    project = committed(tmp_path, {'q"x.py': "1\n", "a.py": "1\n"})
    names = ["tab\tx.py", "line\nx.py", "\x1b[31m.py", "hid\u200bden.py", 'q"x.py', ":(top)a.py", "-p.py"]
    make_project(project, dict.fromkeys(names, "2\n"), git=False)
    Path(os.fsdecode(os.fsencode(project) + b"/\xff.py")).write_text("2\n", encoding="utf-8")
    for found in (read(project), read(committed(project, {}), "HEAD~1..HEAD")):
        assert paths(found.change) == ["-p.py", ":(top)a.py", 'q"x.py']
        assert sum(each.reason == "unreadable" for each in found.change.left_out) == 5
        assert all(each.path.isprintable() for each in found.change.left_out)


def test_paths_restrict_a_change_and_alone_mean_whole_files(tmp_path: Path) -> None:
    files = {
        "src/a.py": "1\n",
        "src/sub/b.py": "2\n",
        "docs/c.md": "3\n",
        "vendor/x/d.go": "4\n",
        "src/e.png": b"\0" * 20,
    }
    project = committed(tmp_path, files)
    make_project(project, dict.fromkeys(files, "9\n"), git=False)
    some = read(project, "diff", "src/sub", "docs").change
    assert (some.title, paths(some)) == ("the uncommitted changes in src/sub, docs", ["docs/c.md", "src/sub/b.py"])
    assert paths(read(project, "diff", "sub", cwd="src").change) == ["src/sub/b.py"]
    assert len(read(project, "HEAD", ".").change.files) == 4
    git(project, "add", "src")
    assert len(read(project, "src/sub", is_staged=True).change.files) == 1
    git(project, "reset", "-q", "--hard")
    (project / "src/new.py").write_text("5\n", encoding="utf-8")
    found = read(project, "src", "vendor/x/d.go").change
    assert (found.kind, found.title, found.base) == (ChangeKind.FILES, "src, vendor/x/d.go", None)
    whole = {"vendor/x/d.go": (" 4",), "src/a.py": (" 1",), "src/new.py": (" 5",), "src/sub/b.py": (" 2",)}
    assert [(each.path, each.hunks[0].lines) for each in found.files] == list(whole.items())
    assert left_out(found) == {"src/e.png": "binary"}
    assert paths(read(project, "vendor/x").change) == ["vendor/x/d.go"]
    assert paths(read(make_project(tmp_path / "plain", {"a/b.py": "1"}, git=False), "a").change) == ["a/b.py"]


def test_links_lead_nowhere(tmp_path: Path) -> None:
    project = committed(tmp_path / "project", {"a.py": "1\n", "sub/b.py": "1\n"})
    make_project(tmp_path / "other", {"b.py": "foreign\n"}, git=False)
    (project / "a.py").unlink()
    (project / "a.py").symlink_to(tmp_path / "other/b.py")
    (project / "sub/b.py").unlink()
    (project / "sub").rmdir()
    (project / "sub").symlink_to(tmp_path / "other")
    (project / "new.py").symlink_to(tmp_path / "other/b.py")
    os.mkfifo(project / "pipe.py")
    for what in ((), (".",), ("sub",)):
        assert "foreign" not in read(project, *what).change.model_dump_json()
    assert told(read(project).change)["added: new.py"] == [f"+1 {tmp_path}/other/b.py"]


def test_a_plan_is_its_lines(tmp_path: Path) -> None:
    make_project(tmp_path, {"PLAN.md": "# Plan\r\n\r\n- one\fpage\n", "empty.md": " \n"}, git=False)
    found = read(tmp_path, plan="PLAN.md").change
    assert (found.kind, found.title) == (ChangeKind.PLAN, "PLAN.md")
    assert found.files[0].hunks[0].lines == (" # Plan␍", " ␍", " - one␌page")
    assert "empty.md is empty" in refused(tmp_path, plan="empty.md")


def test_a_model_reads_no_plan_outside_the_project_and_a_user_does(tmp_path: Path) -> None:
    bench = Workbench.below(tmp_path)
    make_project(bench.project, {"PLAN.md": "# One\n"}, git=False)
    plan = make_project(tmp_path / "elsewhere", {"PLAN.md": "# Other\n"}, git=False) / "PLAN.md"
    app = app_with(bench)
    by_model, by_user = (
        app.project_context(AccompanyingInput()),
        app.project_context(AccompanyingInput(is_by_user=True)),
    )
    assert by_model.change(ChangeQuery(plan="PLAN.md")).change.files[0].hunks[0].lines == (" # One",)
    assert by_user.change(ChangeQuery(plan=str(plan))).change.files[0].hunks[0].lines == (" # Other",)
    with pytest.raises(UsageError, match="lies outside of the project"):
        by_model.change(ChangeQuery(plan=str(plan)))
    with pytest.raises(UsageError, match="max_kib must be 1 to 2,048 KiB; it is 0"):
        by_user.change(ChangeQuery(limit_kib=0))


def test_text_of_any_coding_is_shown_line_by_line(tmp_path: Path) -> None:
    project = committed(tmp_path, {"a.py": b"caf\xe9\nx\x0cy\n" + "a\u2028b\n".encode(), "b.txt": "1\r\n2\r\n"})
    make_project(project, {"a.py": b"caf\xe8\nx\x0cz\n" + "a\u2028c\n".encode(), "b.txt": "1\r\n3\r\n"}, git=False)
    assert told(read(project).change) == {
        "modified: a.py": ["- caf\\xe9", "- x␌y", "- a\u2028b", "+1 caf\\xe8", "+2 x␌z", "+3 a\u2028c"],
        "modified: b.txt": ["- 2", "+2 3"],
    }


def test_a_project_that_is_a_folder_of_a_repository_is_compared_alone(tmp_path: Path) -> None:
    top = committed(tmp_path, {"a.py": "1\n", "sub/b.py": "1\n"})
    make_project(top, {"a.py": "2\n", "sub/b.py": "2\n", "sub/c.py": "2\n"}, git=False)
    assert list(told(read(top / "sub").change)) == ["modified: b.py", "added: c.py"]
