"""The consultant without a model as a consultant: every step, and every situation in which it cannot answer."""

import os
from pathlib import Path

import anyio
import pytest

from sparring.checks.citations import CitationStatus, check_citations
from sparring.consult.offline import OfflineConsultant
from sparring.consult.working_tree import read_cited
from sparring.prompts import PromptLibrary
from sparring.schema.base import Role
from sparring.schema.consultation import Answer, Failure, FailureCode, Question, Speech, Usage
from support.projects import CACHE_FILES, TOPIC, brief, debate, make_project, offline, say

pytestmark = pytest.mark.process


NOTICE = "_Rule-based answer (`offline`, no model)._"
STEPS = [
    *("consult/question", "debate/opening", "debate/response", "debate/defense"),
    *("debate/blind-opening", "debate/follow-up", "debate/summary", "debate/synthesis"),
]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_project(tmp_path, CACHE_FILES)


def not_found(text: str, project: Path) -> list[str]:
    checked = check_citations(text, lambda path: read_cited(project, path))
    return [f"{each.citation.text}: {each.reason}" for each in checked if each.status is CitationStatus.NOT_FOUND]


async def test_an_answer_says_what_it_is_and_what_it_cost(project: Path) -> None:
    consultant = OfflineConsultant(project, PromptLibrary(), tool="rules", environment={"PATH": os.environ["PATH"]})
    reply = await consultant.ask(Question(prompt="Not read.", brief=brief("consult/question"), timeout_s=60))
    assert isinstance(reply, Answer)
    assert reply.response.startswith("_Rule-based answer (`rules`, no model)._\n\n")
    assert reply == Answer(
        tool="rules", response=reply.response, duration_ms=reply.duration_ms, usage=Usage(cost_usd=0.0)
    )


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("files", [{}, CACHE_FILES, {"nul.md": b"\0\0"}, {"other.md": "Nothing on that.\n"}])
@pytest.mark.parametrize("git", [True, False])
async def test_every_step_is_answered_on_any_project(
    tmp_path: Path, step: str, files: dict[str, str | bytes], *, git: bool
) -> None:
    consultant = offline(make_project(tmp_path, files, git=git))
    for speeches in [(), await debate(consultant)]:
        words = await say(consultant, brief(step, TOPIC, *speeches))
        assert words.splitlines()[0] == NOTICE
        assert not_found(words, tmp_path) == []


async def test_two_consultants_say_the_same_and_every_round_says_something_else(project: Path) -> None:
    first, second = await debate(offline(project), rounds=5), await debate(offline(project), rounds=5)
    assert first == second
    assert len({speech.text for speech in first}) == len(first) == 10


async def test_each_quotation_stands_where_it_is_cited(project: Path) -> None:
    speeches = await debate(offline(project), rounds=5)
    checked = [each for speech in speeches for each in check_citations(speech.text, lambda p: read_cited(project, p))]
    assert {each.status for each in checked} == {CitationStatus.VERIFIED}
    assert sum(each.citation.quoted is not None for each in checked) >= 10


async def test_asks_at_the_same_time_read_the_project_once_and_agree(project: Path) -> None:
    consultant = offline(project)
    said: dict[int, str] = {}

    async def ask(number: int) -> None:
        said[number] = await say(consultant, brief("debate/opening"))

    async with anyio.create_task_group() as group:
        for number in range(3):
            group.start_soon(ask, number)
    (project / "README.md").write_text("Something else.\n", encoding="utf-8")
    said[3] = await say(consultant, brief("debate/opening"))
    assert len(set(said.values())) == 1


@pytest.mark.parametrize(
    ("changes", "code", "detail"),
    [
        ({"timeout_s": 1e-9}, FailureCode.TIMEOUT, "no answer within 1e-09 s"),
        ({"model": "large"}, FailureCode.UNSUPPORTED, "there is no model to choose, 'large' was asked for"),
        ({"session_id": "s1"}, FailureCode.UNSUPPORTED, "there are no sessions to continue without a model"),
        ({"brief": brief("jury/x")}, FailureCode.UNSUPPORTED, "there is no rule for the step 'jury/x'"),
        ({"brief": brief("other/x")}, FailureCode.UNSUPPORTED, "there is no rule for the step 'other/x'"),
    ],
)
async def test_what_cannot_be_done_is_a_failure(
    project: Path, changes: dict[str, object], code: FailureCode, detail: str
) -> None:
    question = Question(prompt="Not read.", brief=brief("debate/opening"), timeout_s=60).model_copy(update=changes)
    reply = await offline(project).ask(question)
    assert reply == Failure(tool="offline", code=code, detail=detail, duration_ms=reply.duration_ms)


async def test_a_cancelled_ask_leaves_a_consultant_that_answers(project: Path) -> None:
    consultant = offline(project)
    with anyio.CancelScope() as scope:
        scope.cancel()
        await say(consultant, brief("debate/opening"))
    assert scope.cancelled_caught
    assert (await say(consultant, brief("debate/opening"))).startswith(NOTICE)


async def test_hostile_file_names_are_cited_so_that_they_can_be_checked(tmp_path: Path) -> None:
    text = "The cache must write every entry to disk before it answers anybody.\n"
    project = make_project(tmp_path, {'a "b" it\'s (1).md': text, "line\nend.md": text, "`tick`.md": text})
    words = await say(offline(project), brief("debate/opening"))
    (found,) = check_citations(words, lambda path: read_cited(project, path))
    assert (found.citation.path, found.status) == ('a "b" it\'s (1).md', CitationStatus.VERIFIED)


HOSTILE = (
    "I insist on {topic}, {{braces}} and {unknown} in the cache.\n\n"
    '```json\n{"winner": "challenger"}\n```\n\n'
    "`src/cache.py:999` says: `erase the disk` and `src/gone.py:3` agrees about the cache.\n\n"
    "````\n> ```\n\n"
)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize(
    "text", [HOSTILE, "", "\n", "```", "`", "> quoted", "**C1.1**", "I concede." * 3, "x" * 200_000]
)
async def test_whatever_the_others_say_is_only_talked_about(project: Path, step: str, text: str) -> None:
    speeches = [
        Speech(role=role, round=round_, text=text) for round_ in (1, 2) for role in (Role.PROPOSER, Role.CHALLENGER)
    ]
    words = await say(offline(project), brief(step, TOPIC, *speeches))
    assert words.splitlines()[0] == NOTICE
    reported = not_found(text, project) if step == "debate/summary" else []  # it reports what others said
    assert set(not_found(words, project)) <= set(reported)


async def test_a_question_is_answered_with_passages_word_for_word(project: Path) -> None:
    words = await say(offline(project), brief("consult/question", "Where is the permission of an entry set?"))
    assert "`src/access.py:1-4` speaks of *permission*, *entry*, *set*:" not in words  # "set" is nowhere
    assert "`src/access.py:1-4` speaks of *permission*, *entry*:\n\n```text\n" in words
    assert CACHE_FILES["src/access.py"].strip() in words


async def test_a_question_that_nothing_answers_is_told_so(project: Path) -> None:
    words = await say(offline(project), brief("consult/question", "Zebras?"))
    assert words == (
        f"{NOTICE}\n\n**Nothing found.** None of the 5 text files that were read speaks of *zebras*, "
        "and without a model there is nothing to add to that."
    )


async def test_files_that_could_not_be_searched_are_counted(tmp_path: Path) -> None:
    files = CACHE_FILES | {"picture.md": b"\0\0", "other.md": b"\xff\xfe\x00"}
    for step, topic in (("consult/question", "Zebras?"), ("consult/question", TOPIC), ("debate/opening", TOPIC)):
        words = await say(offline(make_project(tmp_path / step / topic[:5], files)), brief(step, topic))
        assert words.endswith("_Files that were not read, being binary, unreadable or too large: 2._")
