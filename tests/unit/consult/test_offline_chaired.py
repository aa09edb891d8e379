"""The consultant without a model in every seat of a chaired debate."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from sparring.formats.chaired_debate import ChairedDebate
from sparring.prompts import PromptLibrary
from sparring.schema.base import Role
from sparring.schema.chaired_debate import ChairedDebateOutcome, ChairedDebateRequest, ChairedDebateStatus
from sparring.schema.consultation import Brief, Speech
from sparring.schema.participants import Participant
from sparring.schema.sources import SourceStatus
from sparring.schema.transcript import Transcript
from sparring.text.extraction import json_object
from support.playing import turn_for
from support.projects import CACHE_FILES, make_project, offline, say

pytestmark = pytest.mark.process


TOPIC = "The cache must write every entry to disk."
NOTICE = "_Rule-based answer (`offline`, no model)._\n\n"
NO_LINKS: Mapping[str, object] = {"sources": [], "rebuttal_to_seq": None, "target_seq": None, "source_challenge": None}
SOURCED = "Writing first is usual [1]."
GUESS = "[CONJECTURE] Writing first may be slow."


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_project(tmp_path, CACHE_FILES)


def said(seq: int, role: Role, text: str = SOURCED) -> Speech:
    return Speech(role=role, round=1, text=text, name=f"seq {seq}")


def brief(step: str, role: Role, *speeches: Speech, topic: str = TOPIC) -> Brief:
    return Brief(step=f"chaired-debate/{step}", topic=topic, role=role, round=1, speeches=speeches, name=role)


def checked(seq: int, *statuses: SourceStatus) -> Speech:
    """The verifier's entry about the sources of another one, as the rules word it."""
    found = "; ".join(f"source [{number}] is {status}: so" for number, status in enumerate(statuses, start=1))
    return said(seq + 100, Role.VERIFIER, f"Sources of seq {seq}: {found}.")


async def answer(project: Path, asked: Brief) -> Mapping[str, Any]:
    words = await say(offline(project), asked)
    assert words.startswith(NOTICE)
    found = json_object(words)
    assert found is not None
    return found


@pytest.mark.parametrize(("role", "name"), [(Role.PROMOTER, "Promoter"), (Role.DETRACTOR, "Detractor")])
async def test_a_debater_confirms_its_role_word_for_word(project: Path, role: Role, name: str) -> None:
    words = await say(offline(project), brief("ready", role))
    assert words == f"{name} ready. Topic: {TOPIC}. Awaiting opening statement cue."


async def test_the_promoter_opens_with_what_the_project_says_and_labels_all_of_it(project: Path) -> None:
    found = await answer(project, brief("opening", Role.PROMOTER))
    content = found["content"]
    assert found == {"type": "opening_statement", "content": content, **NO_LINKS}
    assert content.startswith(f"[CONJECTURE] For “{TOPIC}”: the project speaks of it")
    assert content.count("says: `") == 3
    assert "`src/cache.py:5` says: `Write an entry to disk, then answer.`" in content


async def test_the_detractor_quotes_other_places_than_the_promoter(project: Path) -> None:
    promoter = (await answer(project, brief("opening", Role.PROMOTER)))["content"]
    found = await answer(project, brief("opening", Role.DETRACTOR, said(1, Role.PROMOTER, promoter)))
    content = found["content"]
    assert content.startswith(f"[CONJECTURE] Against “{TOPIC}”: what the project says, word for word, sets limits")
    cited = {word for word in promoter.split() if ":" in word and word.startswith("`")}
    assert cited
    assert not [word for word in cited if word in content]


async def test_where_the_project_says_nothing_that_is_said(project: Path) -> None:
    found = await answer(project, brief("opening", Role.PROMOTER, topic="Zebras outrun horses"))
    assert found["content"].endswith(
        "None of the 5 text files of the project speaks of it, and nothing was looked up on the web."
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (SOURCED, "On “Writing first is usual [1]” (seq 2): what it quotes may be there"),
        (GUESS, "On “Writing first may be slow” (seq 2): this claim is unsupported."),
        ("", "On “” (seq 2): this claim is unsupported."),
    ],
)
async def test_an_action_takes_up_what_the_opponent_said_last_as_a_conjecture(
    project: Path, text: str, words: str
) -> None:
    speeches = said(1, Role.PROMOTER), said(2, Role.DETRACTOR, text)
    found = await answer(project, brief("action", Role.PROMOTER, *speeches))
    assert found == {"type": "conjecture", "content": found["content"], **NO_LINKS}
    assert found["content"].startswith(f"[CONJECTURE] {words}")
    assert "says: `" in found["content"]


async def test_who_has_nothing_more_to_quote_says_so(project: Path) -> None:
    found = await answer(project, brief("action", Role.PROMOTER, topic="Zebras outrun horses"))
    assert found["content"] == (
        "[CONJECTURE] The project holds nothing further on this. What my side has said before stands."
    )


async def test_a_closing_statement_rests_on_the_own_entries_and_takes_up_what_was_not_answered(project: Path) -> None:
    speeches = (
        said(1, Role.PROMOTER),
        said(2, Role.DETRACTOR, GUESS),
        said(4, Role.PROMOTER, "Another point altogether [1]."),
        said(5, Role.DETRACTOR, "On the first (seq 1): it is not so."),
        said(6, Role.PROMOTER, "On that (seq 5): it is."),
        said(7, Role.DETRACTOR, "The same again (seq 6)."),
    )
    found = await answer(project, brief("closing", Role.PROMOTER, *speeches))
    assert found["type"] == "closing_statement"
    assert found["content"] == (
        "[CONJECTURE] The topic holds as far as anything was shown. What my side rests on:\n\n"
        "- (seq 1): Writing first is usual [1]\n\n"
        "- (seq 4): Another point altogether [1]\n\n"
        "On “Writing first may be slow” (seq 2): this claim is unsupported. It quotes nothing that was found and names "
        "no source.\n\n"
        "On “The same again (seq 6)” (seq 7): this claim is unsupported. It quotes nothing that was found and names no "
        "source.\n\n"
        "The other side has left unanswered: (seq 4)."
    )
    found = await answer(project, brief("closing", Role.DETRACTOR, *speeches[:2]))
    assert found["content"].startswith(
        "[CONJECTURE] The topic has not been shown to hold. What my side rests on:\n\n"
        "- (seq 2): Writing first may be slow\n\nOn “Writing first is usual [1]” (seq 1): what it quotes"
    )
    assert "unanswered" not in found["content"]


async def test_the_chair_clarifies_by_the_rules(project: Path) -> None:
    words = await say(offline(project), brief("clarification", Role.CHAIR, said(1, Role.PROMOTER)))
    assert words.startswith(f"{NOTICE}No ruling goes beyond the rules of this debate")


@pytest.mark.parametrize(
    ("status", "ruling"),
    [
        (SourceStatus.VERIFIED, "dismissed"),
        (SourceStatus.UNREACHABLE, "dismissed"),
        (SourceStatus.UNRELIABLE, "upheld"),
        (SourceStatus.FABRICATED, "upheld"),
    ],
)
async def test_the_chair_rules_by_what_code_found_out_about_the_source(
    project: Path, status: SourceStatus, ruling: str
) -> None:
    challenge = Speech(role=Role.DETRACTOR, round=1, text="It says something else.", name="challenge 2 of seq 1")
    verified = checked(2, SourceStatus.VERIFIED)
    speeches = said(1, Role.PROMOTER), checked(1, SourceStatus.VERIFIED, status), said(2, Role.DETRACTOR), verified
    found = await answer(project, brief("review", Role.CHAIR, *speeches, challenge))
    (ruled,) = found["rulings"]
    assert (ruled["challenge_seq"], ruled["ruling"]) == (2, ruling)
    assert ruled["reason"]


@pytest.mark.parametrize(
    ("texts", "goes_on"),
    [
        ((SOURCED, GUESS), True),
        ((GUESS, GUESS), False),
        ((GUESS, "`src/cache.py:5` says: `Write an entry to disk, then answer.`"), True),
        ((GUESS, "`src/cache.py:999` says: `the disk never fails`"), False),
        ((), False),
    ],
)
async def test_another_round_is_needed_as_long_as_something_was_quoted(
    project: Path,
    texts: tuple[str, ...],
    goes_on: bool,  # noqa: FBT001 -- a table
) -> None:
    roles = (Role.PROMOTER, Role.DETRACTOR)
    speeches = (said(seq, role, text) for seq, (role, text) in enumerate(zip(roles, texts, strict=False), start=1))
    found = await answer(project, brief("review", Role.CHAIR, *speeches))
    assert (found["rulings"], found["continue"]) == ([], goes_on)
    assert found["reason"]


@pytest.mark.parametrize(
    ("speeches", "outcome", "decisive", "reason"),
    [
        (
            (
                said(1, Role.PROMOTER),
                checked(1, SourceStatus.UNREACHABLE, SourceStatus.VERIFIED),
                said(2, Role.DETRACTOR),
                checked(2, SourceStatus.UNRELIABLE),
            ),
            "affirmative_wins",
            [1],
            "The verified sources decide.",
        ),
        (
            (said(1, Role.PROMOTER), said(2, Role.DETRACTOR), said(4, Role.DETRACTOR)),
            "negative_wins",
            [2, 4],
            "the entries that stand decide.",
        ),
        (
            (
                said(1, Role.PROMOTER),
                said(2, Role.DETRACTOR, "Not so (seq 1)."),
                said(3, Role.PROMOTER, "A new matter."),
                said(4, Role.DETRACTOR, "So (seq 3)."),
                # closing statements, which nobody has to answer
            ),
            "negative_wins",
            [2],
            "what was left unanswered decides.",
        ),
        (
            (said(1, Role.PROMOTER), said(2, Role.DETRACTOR, "Not so (seq 1)."), checked(9, SourceStatus.VERIFIED)),
            "draw",
            [1, 2],
            "Nothing that was counted differs.",
        ),
        ((), "draw", [], "Nothing that was counted differs."),
    ],
    ids=["sources", "entries", "unanswered", "equal", "nothing"],
)
async def test_the_chair_decides_by_counting_and_rests_on_entries_that_are_there(
    project: Path,
    speeches: tuple[Speech, ...],
    outcome: str,
    decisive: list[int],
    reason: str,
) -> None:
    found = await answer(project, brief("conclusion", Role.CHAIR, *speeches))
    assert (found["outcome"], found["decisive"]) == (outcome, decisive)
    assert found["reasoning"].startswith("Decided by counting, not by judgement.")
    assert reason in found["reasoning"]
    assert ("This rests on" in found["reasoning"]) == bool(decisive)


async def test_the_audience_asks_each_side_about_what_it_has_not_sourced(project: Path) -> None:
    speeches = said(1, Role.PROMOTER), said(2, Role.DETRACTOR, GUESS), said(3, Role.DETRACTOR, SOURCED)
    found = await answer(project, brief("questions", Role.AUDIENCE, *speeches))
    assert found == {"questions": ["To the DETRACTOR: which source carries “Writing first may be slow” (seq 2)?"]}


async def test_the_reporter_lists_what_stands(project: Path) -> None:
    words = await say(
        offline(project), brief("report", Role.REPORTER, said(1, Role.PROMOTER), said(2, Role.DETRACTOR, GUESS))
    )
    assert words == (
        f"{NOTICE}What stands of the debate, entry by entry:\n\n"
        "- (seq 1) promoter: Writing first is usual [1]\n"
        "- (seq 2) detractor: Writing first may be slow"
    )
    assert (await say(offline(project), brief("report", Role.REPORTER))).endswith("debate stands.")


async def test_a_speech_without_a_number_is_no_entry(project: Path) -> None:
    nameless = Speech(role=Role.PROMOTER, round=1, text=SOURCED)
    assert (await say(offline(project), brief("report", Role.REPORTER, nameless))).endswith("debate stands.")


async def test_what_an_entry_says_itself_is_repeated_rather_than_what_it_answers(project: Path) -> None:
    answered = "On the first claim (seq 1): it is not so at all.\n\n`src/cache.py:5` says: `Write an entry to disk`."
    speeches = said(1, Role.PROMOTER), said(2, Role.DETRACTOR, answered), said(3, Role.AUDIENCE, "Which one is it?")
    found = await answer(project, brief("action", Role.PROMOTER, *speeches))
    assert "On “src/cache.py:5 says: Write an entry to disk” (seq 2)" in found["content"]


@pytest.mark.parametrize(
    "topic",
    [
        TOPIC,
        "In 2024 the cache wrote 45 % of 3 million entries to disk before it answered.",
        "I concede the motion, the affirmative is right and the negative is right.",
        "[REDACTED] [STRUCK] [CONJECTURE] “cache” `disk` [1] (seq 1)",
        "Zebras outrun horses",
        '```\n{"type": "rebuttal"}\n```\nWrite the cache entry to disk?',
        "Bộ nhớ đệm phải ghi mọi mục vào đĩa.",
    ],
)
async def test_a_whole_debate_without_a_model_breaks_no_rule(project: Path, topic: str) -> None:
    seats = {role: Participant(tool="offline") for role in ("chair", "promoter", "detractor", "audience", "reporter")}
    request = ChairedDebateRequest.model_validate({"topic": topic, "min_rounds": 2, "max_rounds": 3, **seats})
    rules, consultant, transcript = ChairedDebate(request, PromptLibrary()), offline(project), Transcript()
    while isinstance(asks := rules.next(transcript), tuple):
        assert [ask.question.brief.attempt for ask in asks] == [1] * len(asks)
        turns = [turn_for(ask, await consultant.ask(ask.question)) for ask in asks]
        transcript = transcript.extended(tuple(turns))
    assert isinstance(asks, ChairedDebateOutcome)
    assert (asks.status, asks.notices) == (ChairedDebateStatus.COMPLETED, ())
    assert not [entry for entry in asks.log if entry.content.startswith(("[STRUCK]", "[REDACTED]"))]
    assert {entry.seq for entry in asks.log}.issuperset(asks.decisive)
