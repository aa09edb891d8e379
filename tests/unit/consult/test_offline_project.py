"""What the consultant without a model reads of a project, and what it leaves alone."""

import os
from pathlib import Path

import pytest

from sparring.consult.offline.corpus import CORPUS_LIMIT, Corpus, Passage, cut, read_corpus
from sparring.consult.working_tree.listing import FILE_LIMIT, list_evidence_files
from sparring.consult.working_tree.reading import read_cited
from support.projects import make_project

ENVIRONMENT = {"PATH": os.environ["PATH"]}


async def listed(project: Path) -> tuple[str, ...]:
    return await list_evidence_files(project, ENVIRONMENT, timeout_s=30)


@pytest.mark.process
@pytest.mark.parametrize("git", [True, False])
async def test_secrets_samples_and_what_machines_wrote_are_left_out(tmp_path: Path, *, git: bool) -> None:
    left_out = [
        *(".env", ".env.local", "keys/server.pem", "id_ed25519", ".npmrc", "credentials.json", "secrets.yaml"),
        *("poetry.lock", "web/package-lock.json", "web/app.min.js", "data.csv", "node_modules/x/index.js"),
        *("tests/golden/a.md", ".claude/skills/a.md", ".claude/debate/last-debate.json", "debate/runs/x/report.md"),
        *("state/debate/last-debate.json", "prompts/offline/a.md", "a`b.md", "{name}.md", "line\nend.md", "mystery"),
    ]
    kept = ["README.md", "Makefile", "src/a.py", 'my dir/it\'s a "b".md', ".github/workflows/ci.yml", "việt/đường.md"]
    make_project(tmp_path, dict.fromkeys(left_out + kept, "text\n"), git=git)
    assert await listed(tmp_path) == tuple(sorted(kept))


@pytest.mark.process
async def test_what_a_chaired_debate_has_left_is_left_out_wherever_it_lies(tmp_path: Path) -> None:
    held = dict.fromkeys(("debate-log.jsonl", "transcript.md", "summary.md", "notes.md"), "text\n")
    make_project(tmp_path, held | {f"docs/held/{name}": text for name, text in held.items()} | {"b/summary.md": "b\n"})
    assert await listed(tmp_path) == ("b/summary.md", "docs/held/notes.md", "notes.md")


@pytest.mark.process
async def test_in_git_ignored_files_are_left_out_and_new_ones_are_not(tmp_path: Path) -> None:
    make_project(tmp_path, {".gitignore": "build/\n", "a.md": "a\n"})
    make_project(tmp_path, {"build/b.md": "b\n", "new.md": "c\n"}, git=False)
    assert await listed(tmp_path) == ("a.md", "new.md")


@pytest.mark.process
async def test_a_program_named_in_the_repositorys_configuration_is_not_started(tmp_path: Path) -> None:
    make_project(tmp_path, {"a.md": "a\n"})
    with (tmp_path / ".git/config").open("a", encoding="utf-8") as config:
        config.write(f'[core]\n\tfsmonitor = "touch {tmp_path}/started; false"\n')
    assert await listed(tmp_path) == ("a.md",)
    assert not (tmp_path / "started").exists()


@pytest.mark.process
async def test_where_git_is_missing_the_folder_is_walked(tmp_path: Path) -> None:
    make_project(tmp_path, {"b/c.md": "c\n", "a.md": "a\n"})
    assert await list_evidence_files(tmp_path, {"PATH": str(tmp_path)}, timeout_s=30) == ("a.md", "b/c.md")


@pytest.mark.process
async def test_a_project_that_is_not_there_has_nothing_to_read(tmp_path: Path) -> None:
    assert await listed(tmp_path / "gone") == ()


@pytest.mark.process
async def test_the_walk_is_bounded(tmp_path: Path) -> None:
    make_project(tmp_path, {"a/1.md": "1\n", "a/2.md": "2\n", "b/3.md": "3\n"}, git=False)
    assert await list_evidence_files(tmp_path, ENVIRONMENT, timeout_s=30, walk_limit=2) == ("a/1.md", "a/2.md")


def test_binary_undecodable_large_linked_and_missing_files_are_counted_and_not_read(tmp_path: Path) -> None:
    make_project(
        tmp_path,
        {
            "a.md": "one\n",
            "nul.md": b"a\0b",
            "latin.md": b"caf\xe9\n",
            "large.md": "x\n" * FILE_LIMIT,
            "folder/deep.md": "\ufefftwo\r\n",
        },
        git=False,
    )
    (tmp_path / "link.md").symlink_to(tmp_path / "a.md")
    paths = ["a.md", "nul.md", "latin.md", "large.md", "link.md", "gone.md", "folder", "folder/deep.md"]
    assert read_corpus(tmp_path, paths) == Corpus(
        (Passage("a.md", 1, "one"), Passage("folder/deep.md", 1, "two")), files_read=2, files_left_out=6
    )


def test_the_whole_is_bounded_and_shallow_files_come_first(tmp_path: Path) -> None:
    count = CORPUS_LIMIT // FILE_LIMIT + 1
    names = [f"deep/{number:03}.md" for number in range(count)]
    make_project(tmp_path, dict.fromkeys(names, "word\n" * (FILE_LIMIT // 5)), git=False)
    make_project(tmp_path, {"top.md": "word\n"}, git=False)
    corpus = read_corpus(tmp_path, [*names, "top.md"])
    assert "top.md" in {passage.path for passage in corpus.passages}
    assert (corpus.files_read, corpus.files_left_out) == (count, 1)


def test_passages_end_at_an_empty_line_or_at_their_longest() -> None:
    lines = [f"line {number}" for number in range(1, 31)]
    lines[2] = lines[8] = ""
    passages = list(cut("a.md", "\n" + "\n".join(lines) + "\n\n"))
    assert [(passage.first_line, passage.last_line) for passage in passages] == [(2, 9), (11, 22), (23, 31)]
    assert "".join(passage.text for passage in passages).count("line") == 28


def test_a_minified_line_is_passed_over_and_the_lines_keep_their_numbers() -> None:
    assert list(cut("a.js", "x" * 2000 + "\nsecond")) == [Passage("a.js", 2, "second")]


def test_a_cited_file_is_read_only_inside_the_project(tmp_path: Path) -> None:
    project = make_project(tmp_path / "project", {"a.md": b"caf\xe9\n", "folder/b.md": "b\n"}, git=False)
    (tmp_path / "outside.md").write_text("outside", encoding="utf-8")
    (project / "out.md").symlink_to(tmp_path / "outside.md")
    (project / "in.md").symlink_to(project / "folder/b.md")
    asked = [
        "a.md",
        "in.md",
        "out.md",
        "../outside.md",
        str(tmp_path / "outside.md"),
        "folder",
        "gone.md",
        "a\0b",
        "x" * 5000,
    ]
    assert [read_cited(project, path) for path in asked] == ["caf\ufffd\n", "b\n", *[None] * 7]
