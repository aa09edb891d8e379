"""The consultant without a model: it finds passages and compares by code, and neither argues nor judges."""

import os
from collections.abc import Mapping
from pathlib import Path

import anyio
import pytest

from sparring.prompts import PromptLibrary
from sparring.providers.offline import OfflineConsultant
from sparring.schema.base import Role
from sparring.schema.chaired_debate import LogDraft, Phase, Speaker
from sparring.schema.consultation import Answer, Brief, Failure, FailureCode, Question, Usage
from sparring.text.extraction import json_object
from support.desk import answered
from support.golden import Golden
from support.projects import CACHE_FILES, TOPIC, brief, composed, make_project, offline

NOTICE = "_Rule-based answer (`offline`, no model)._"
JUDGES_NOT = "offline has no model: it finds passages and does not judge"
SPOKEN = ("opening", "blind-opening", "response", "defense", "follow-up")
ENTERED = {"opening": Phase.OPENING, "action": Phase.REBUTTAL, "closing": Phase.CLOSING}
NEITHER_JUDGED_NOR_WRITTEN = [
    *("debate/summary", "debate/synthesis", "jury/x", "other/x"),
    *(f"chaired-debate/{step}" for step in ("clarification", "review", "conclusion", "questions", "report")),
]


def drafted(asked: Brief, files: Mapping[str, str]) -> LogDraft:
    """The entry that a debater wants to write, as the promoter's."""
    said = json_object(composed(asked, files)) or {}
    assert said.pop("source_challenge") is None
    return LogDraft.model_validate(
        {**said, "phase": ENTERED[asked.step.rpartition("/")[2]], "speaker": Speaker.PROMOTER}
    )


def test_a_question_is_answered_with_the_passages_that_the_golden_file_holds(golden: Golden) -> None:
    questions = {"a question": "Where is the permission of an entry set?", "a question that nothing answers": "Zebras?"}
    words = (f"# {name}\n\n{composed(brief('consult/question', topic))}\n" for name, topic in questions.items())
    golden.holds("offline/consult.md", "\n".join(words))


@pytest.mark.parametrize("step", SPOKEN)
def test_whoever_speaks_in_a_debate_says_the_passages_and_nothing_else(step: str) -> None:
    assert composed(brief(f"debate/{step}")) == composed(brief("consult/question"))


@pytest.mark.parametrize("step", ENTERED)
@pytest.mark.parametrize("files", [CACHE_FILES, {}, {"a.md": "It must write 12 entries to disk.\n"}])
def test_an_entry_of_a_chaired_debate_is_the_same_as_a_conjecture(step: str, files: dict[str, str]) -> None:
    draft = drafted(brief(f"chaired-debate/{step}"), files)
    said = composed(brief("consult/question"), files).removeprefix(f"{NOTICE}\n\n")
    assert draft.content == f"[CONJECTURE] {said}"


def test_an_entry_that_would_be_too_long_has_one_passage() -> None:
    long_lines = {f"{name}.md": f"The cache {'and the disk ' * 60}\n" * 12 for name in "abcd"}
    said = drafted(brief("chaired-debate/action"), long_lines).content
    assert "**The 1 passages that fit" in said


@pytest.mark.parametrize("role", [Role.PROMOTER, Role.DETRACTOR])
def test_a_role_is_confirmed_word_for_word(role: Role) -> None:
    assert composed(brief("chaired-debate/ready", role=role)) == (
        f"{role.capitalize()} ready. Topic: {TOPIC}. Awaiting opening statement cue."
    )


@pytest.mark.process
async def test_an_answer_says_what_it_is_and_what_it_cost_and_keeps_to_what_it_read_first(tmp_path: Path) -> None:
    project = make_project(tmp_path, CACHE_FILES | {"picture.md": b"\0\0", "other.md": b"\xff\xfe\x00"})
    consultant = OfflineConsultant(project, PromptLibrary(), tool="rules", environment={"PATH": os.environ["PATH"]})
    asked = Question(prompt="Not read.", brief=brief("consult/question"), timeout_s=60)
    with anyio.CancelScope() as scope:
        scope.cancel()
        await consultant.ask(asked)
    replies: list[Answer | Failure] = []

    async def ask() -> None:
        replies.append(await consultant.ask(asked))

    async with anyio.create_task_group() as group:
        group.start_soon(ask)
        group.start_soon(ask)
    (project / "README.md").write_text("Something else.\n", encoding="utf-8")
    await ask()

    first = answered(replies[0])
    assert first.response.startswith("_Rule-based answer (`rules`, no model)._\n\n")
    assert first.response.endswith("_Files that were not read, being binary, unreadable or too large: 2._")
    expected = Answer(tool="rules", response=first.response, duration_ms=0, usage=Usage(cost_usd=0.0))
    assert [reply.model_copy(update={"duration_ms": 0}) for reply in replies] == [expected] * 3


@pytest.mark.process
@pytest.mark.parametrize(
    ("changes", "code", "detail"),
    [
        ({"timeout_s": 1e-9}, FailureCode.TIMEOUT, "no answer within 1e-09 s"),
        ({"model": "large"}, FailureCode.UNSUPPORTED, "there is no model to choose, 'large' was asked for"),
        ({"session_id": "s1"}, FailureCode.UNSUPPORTED, "there are no sessions to continue without a model"),
        *(({"brief": brief(step)}, FailureCode.UNSUPPORTED, JUDGES_NOT) for step in NEITHER_JUDGED_NOR_WRITTEN),
    ],
)
async def test_what_cannot_be_done_is_a_failure(
    changes: dict[str, object], code: FailureCode, detail: str, tmp_path: Path
) -> None:
    question = Question(prompt="Not read.", brief=brief("consult/question"), timeout_s=60).model_copy(update=changes)
    reply = await offline(make_project(tmp_path, CACHE_FILES)).ask(question)
    assert reply == Failure(tool="offline", code=code, detail=detail, duration_ms=reply.duration_ms)


# -- what it finds in a claim and the texts beside it
