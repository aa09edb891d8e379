"""What the consultant without a model reads of a project, and what it leaves alone."""

import os
from pathlib import Path

import pytest

from sparring.providers.lookup.working_tree import FILE_LIMIT, list_evidence_files
from sparring.providers.offline import Corpus, Passage, cut, read_corpus
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
        *("tests/golden/a.md", ".claude/skills/a.md", ".claude/debate/last-debate.json", "jury/last-verdict.json"),
        *("poll/runs/poll-20250102T030405Z-0a1b/report.md", "state/poll/last-poll.json"),
        *("state/debate/last-debate.json", "prompts/offline/a.md", "a`b.md", "{name}.md", "line\nend.md", "mystery"),
        *("held/debate-log.jsonl", "held/transcript.md", "held/summary.md"),
    ]
    kept = ["README.md", "Makefile", "src/a.py", 'my dir/it\'s a "b".md', ".github/workflows/ci.yml", "việt/đường.md"]
    kept += ["held/notes.md", "b/summary.md", "poll/runs/notes.md", "poll/last-week.md"]
    make_project(tmp_path, dict.fromkeys(left_out + kept, "text\n"), git=git)
    assert await listed(tmp_path) == tuple(sorted(kept))


@pytest.mark.process
async def test_git_says_what_belongs_to_the_project_and_starts_nothing(tmp_path: Path) -> None:
    make_project(tmp_path, {".gitignore": "made/\n", "a.md": "a\n"})
    make_project(tmp_path, {"made/b.md": "b\n", "new.md": "c\n"}, git=False)
    with (tmp_path / ".git/config").open("a", encoding="utf-8") as config:
        config.write(f'[core]\n\tfsmonitor = "touch {tmp_path}/started; false"\n')
    assert await listed(tmp_path) == ("a.md", "new.md")
    assert not (tmp_path / "started").exists()
    without_git = await list_evidence_files(tmp_path, {"PATH": str(tmp_path)}, timeout_s=30)
    assert without_git == ("a.md", "made/b.md", "new.md")
    assert await listed(tmp_path / "gone") == ()


@pytest.mark.process
async def test_the_walk_is_bounded(tmp_path: Path) -> None:
    make_project(tmp_path, {"a/1.md": "1\n", "a/2.md": "2\n", "b/3.md": "3\n"}, git=False)
    assert await list_evidence_files(tmp_path, ENVIRONMENT, timeout_s=30, walk_limit=2) == ("a/1.md", "a/2.md")


def test_binary_undecodable_large_linked_and_missing_files_are_counted_and_not_read(tmp_path: Path) -> None:
    files = {"a.md": "one\n", "nul.md": b"a\0b", "latin.md": b"caf\xe9\n", "large.md": "x\n" * FILE_LIMIT}
    make_project(tmp_path, files | {"folder/deep.md": "\ufefftwo\r\n"}, git=False)
    (tmp_path / "link.md").symlink_to(tmp_path / "a.md")
    paths = [*files, "link.md", "gone.md", "folder", "folder/deep.md"]
    assert read_corpus(tmp_path, paths) == Corpus(
        (Passage("a.md", 1, "one"), Passage("folder/deep.md", 1, "two")), files_read=2, files_left_out=6
    )


def test_the_whole_is_bounded_and_shallow_files_come_first(tmp_path: Path) -> None:
    names = [f"deep/{number}.md" for number in range(4)]
    make_project(tmp_path, dict.fromkeys([*names, "top.md"], "word\n"), git=False)
    corpus = read_corpus(tmp_path, [*names, "top.md"], limit=17)
    assert [passage.path for passage in corpus.passages] == ["deep/0.md", "deep/1.md", "top.md"]
    assert (corpus.files_read, corpus.files_left_out) == (3, 2)


def test_passages_end_at_an_empty_line_or_at_their_longest_and_a_minified_line_is_none() -> None:
    lines = [f"line {number}" for number in range(1, 31)]
    lines[2] = lines[8] = ""
    passages = list(cut("a.md", "\n" + "\n".join(lines) + "\n\n"))
    assert [(passage.first_line, passage.last_line) for passage in passages] == [(2, 9), (11, 22), (23, 31)]
    assert "".join(passage.text for passage in passages).count("line") == 28
    assert list(cut("a.js", "x" * 2000 + "\nsecond")) == [Passage("a.js", 2, "second")]
