"""The consultant without a model: what it reads of a project, and that it neither argues nor judges."""

import asyncio
import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import anyio
import pytest

from sparring.lookup.offline import Corpus, OfflineConsultant, Passage, cut, read_corpus
from sparring.lookup.working_tree import FILE_LIMIT, list_evidence_files
from sparring.prompts import PromptLibrary
from sparring.schema.base import Role
from sparring.schema.chaired_debate import LogDraft, Phase, Speaker
from sparring.schema.consultation import Answer, Brief, FailureCode, Question, Usage
from sparring.text.extraction import find_json
from support.desk import answered, failed
from support.golden import Golden
from support.projects import CACHE_FILES, TOPIC, brief, composed, make_project, offline
from support.texts import texts

ENVIRONMENT = {"PATH": os.environ["PATH"]}


async def listed(project: Path) -> tuple[str, ...]:
    return await list_evidence_files(project, ENVIRONMENT, timeout_s=30)


@pytest.mark.process
@pytest.mark.parametrize("git", [True, False])
async def test_secrets_samples_and_generated_files_are_left_out(tmp_path: Path, *, git: bool) -> None:
    left_out, kept = (
        [path for row in texts("providers")[table] for path in row] for table in ("no-evidence", "evidence")
    )
    make_project(tmp_path, dict.fromkeys(left_out + kept, "text\n"), git=git)
    assert await listed(tmp_path) == tuple(sorted(kept))


@pytest.mark.process
async def test_git_lists_the_files_and_a_walk_without_git_is_bounded(tmp_path: Path) -> None:
    make_project(tmp_path, {".gitignore": "made/\n", "a.md": "a\n"})
    make_project(tmp_path, {"made/b.md": "b\n", os.fsdecode(b"caf\xe9.md"): "c\n"}, git=False)
    assert await listed(tmp_path) == ("a.md", "caf\ufffd.md")
    without_git = {"PATH": str(tmp_path)}
    every = ("a.md", "caf\ufffd.md", "made/b.md")
    assert await list_evidence_files(tmp_path, without_git, timeout_s=30) == every
    assert set(await list_evidence_files(tmp_path, without_git, timeout_s=30, walk_limit=2)) < set(every)
    assert await listed(tmp_path / "gone") == ()
    if sys.platform == "linux":  # where that is a file system of its own
        with tempfile.NamedTemporaryFile(dir="/dev/shm", suffix=".md"):
            assert not [path for path in await listed(Path("/dev")) if path.startswith("shm/")]


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


def test_passages_end_at_an_empty_line_or_the_limit_and_skip_minified_lines() -> None:
    lines = [f"line {number}" for number in range(1, 31)]
    lines[2] = lines[8] = ""
    passages = list(cut("a.md", "\n" + "\n".join(lines) + "\n\n"))
    assert [(passage.first_line, passage.last_line) for passage in passages] == [(2, 9), (11, 22), (23, 31)]
    assert "".join(passage.text for passage in passages).count("line") == 28
    assert list(cut("a.js", "x" * 2000 + "\nsecond")) == [Passage("a.js", 2, "second")]


NOTICE = "_Rule-based answer (`offline`, no model)._"
ASKED = Question(prompt="Not read.", brief=brief("consult/question"), timeout_s=60)
SPOKEN = ("opening", "blind-opening", "response", "defense", "follow-up")
ENTERED = {"opening": Phase.OPENING, "action": Phase.REBUTTAL, "closing": Phase.CLOSING}
NEITHER_JUDGED_NOR_WRITTEN = [
    *("debate/summary", "debate/synthesis", "jury/x", "other/x"),
    *(f"chaired-debate/{step}" for step in ("clarification", "review", "conclusion", "questions", "report")),
]


def drafted(asked: Brief, files: Mapping[str, str]) -> LogDraft:
    """The entry that a debater wants to write, as the promoter's."""
    (found,) = find_json(composed(asked, files))
    (said,) = found.objects
    assert said.pop("source_challenge") is None
    said |= {"phase": ENTERED[asked.step.rpartition("/")[2]], "speaker": Speaker.PROMOTER}
    return LogDraft.model_validate(said)


def test_a_question_is_answered_with_the_passages_that_the_golden_file_holds(golden: Golden) -> None:
    questions = {"a question": "Where is the permission of an entry set?", "a question that nothing answers": "Zebras?"}
    words = (f"# {name}\n\n{composed(brief('consult/question', topic))}\n" for name, topic in questions.items())
    golden.holds("offline/consult.md", "\n".join(words))


def test_a_speech_in_a_debate_consists_of_the_passages() -> None:
    asked = composed(brief("consult/question"))
    assert [composed(brief(f"debate/{step}")) for step in SPOKEN] == [asked] * len(SPOKEN)


@pytest.mark.parametrize("files", [CACHE_FILES, {}, {"a.md": "It must write 12 entries to disk.\n"}])
def test_an_entry_of_a_chaired_debate_is_the_same_as_a_conjecture(files: dict[str, str]) -> None:
    said = composed(brief("consult/question"), files).removeprefix(f"{NOTICE}\n\n")
    entries = [drafted(brief(f"chaired-debate/{step}"), files).content for step in ENTERED]
    assert entries == [f"[CONJECTURE] {said}"] * len(ENTERED)


def test_an_entry_that_would_be_too_long_has_one_passage() -> None:
    long_lines = {f"{name}.md": f"The cache {'and the disk ' * 60}\n" * 12 for name in "abcd"}
    said = drafted(brief("chaired-debate/action"), long_lines).content
    assert "**The 1 passages that fit" in said


def test_a_role_is_confirmed_word_for_word() -> None:
    ready = composed(brief("chaired-debate/ready", role=Role.DETRACTOR))
    assert ready == f"Detractor ready. Topic: {TOPIC}. Awaiting opening statement cue."


@pytest.mark.process
async def test_an_offline_answer_states_its_nature_and_cost_and_uses_its_first_reading(tmp_path: Path) -> None:
    project = make_project(tmp_path, CACHE_FILES | {"picture.md": b"\0\0", "other.md": b"\xff\xfe\x00"})
    consultant = OfflineConsultant(project, PromptLibrary(), tool="rules", environment=ENVIRONMENT)
    with anyio.CancelScope() as scope:
        scope.cancel()
        await consultant.ask(ASKED)
    both = await asyncio.gather(consultant.ask(ASKED), consultant.ask(ASKED))
    (project / "README.md").write_text("Something else.\n", encoding="utf-8")
    replies, first = [*both, await consultant.ask(ASKED)], answered(both[0])
    assert first.response.startswith("_Rule-based answer (`rules`, no model)._\n\n")
    assert first.response.endswith("_Files that were not read, being binary, unreadable or too large: 2._")
    expected = Answer(tool="rules", response=first.response, duration_ms=0, usage=Usage(cost_usd=0.0))
    assert [reply.model_copy(update={"duration_ms": 0}) for reply in replies] == [expected] * 3


@pytest.mark.process
async def test_what_cannot_be_done_is_a_failure(tmp_path: Path) -> None:
    consultant = offline(make_project(tmp_path, CACHE_FILES))
    judges_not = "offline has no model: it finds passages and does not judge"
    refused: list[tuple[dict[str, object], FailureCode, str]] = [
        ({"timeout_s": 1e-9}, FailureCode.TIMEOUT, "no answer within 1e-09 s"),
        ({"model": "large"}, FailureCode.UNSUPPORTED, "it has no models; 'large' was requested"),
        ({"session_id": "s1"}, FailureCode.UNSUPPORTED, "there are no sessions to continue without a model"),
        *(({"brief": brief(step)}, FailureCode.UNSUPPORTED, judges_not) for step in NEITHER_JUDGED_NOR_WRITTEN),
    ]
    for changes, code, detail in refused:
        reply = failed(await consultant.ask(ASKED.model_copy(update=changes)))
        assert (reply.tool, reply.code, reply.detail) == ("offline", code, detail)
