"""How the consultant without a model argues and keeps the record, also against people who are no rules."""

from pathlib import Path

import pytest

from sparring.checks.conduct import concessions
from sparring.checks.quotes import Evidence
from sparring.schema.base import Role
from sparring.schema.consultation import Speech
from sparring.schema.quotes import QuoteVerdict
from support.projects import CACHE_FILES, TOPIC, brief, debate, make_project, offline, say

pytestmark = pytest.mark.process


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_project(tmp_path, CACHE_FILES)


def proposer(text: str, round_: int = 1) -> Speech:
    return Speech(role=Role.PROPOSER, round=round_, text=text)


def challenger(text: str, round_: int = 1) -> Speech:
    return Speech(role=Role.CHALLENGER, round=round_, text=text)


async def test_an_opening_takes_a_position_and_quotes_what_carries_it(project: Path) -> None:
    words = await say(offline(project), brief("debate/opening"))
    assert words == (
        "_Rule-based answer (`offline`, no model)._\n\n"
        "**P1.1 Position: stay with what the repository does now.** On *cache*, *write*, *entry*, *disk*, "
        "`README.md:3` says: `The cache must write every entry to disk before it answers, so that a crash loses "
        "nothing.` That is a rule with its reason, not an accident of the code.\n\n"
        "**P1.2 On *write*, *entry*, *disk*, *answers*.** `src/cache.py:5` says: `Write an entry to disk, then "
        "answer.` That is how its authors describe it in place.\n\n"
        "**P1.3 On *cache*, *entry*, *disk*, *answers*.** `docs/guide.md:4` says: `The cache answers slowly on a "
        "network disk, but only for the first entry.`\n\n"
        "**P1.4 On *cache*, *entry*.** `src/cache.py:6` says: `A cache entry that fails validation is never written, "
        "because a corrupt one cannot be read.`\n\n"
        "_Searched by rule: 5 text files; 6 passages speak of the topic._"
    )


@pytest.mark.parametrize(
    ("topic", "position"),
    [
        ("Is it the disk or cloud storage?", "Position: disk, not cloud storage."),
        ("Should we use cloud storage rather than the disk?", "Position: disk, not storage."),
        ("Disk or cache?", "Position: stay with what the repository does now."),
        ("Disk or disk?", "Position: stay with what the repository does now."),
        ("Disk or tape or paper?", "Position: stay with what the repository does now."),
        ("Zebra or horse?", "Position: change nothing on the strength of this question alone."),
    ],
)
async def test_the_position_is_the_option_that_the_project_speaks_of(project: Path, topic: str, position: str) -> None:
    words = await say(offline(project), brief("debate/opening", topic))
    assert f"**P1.1 {position}**" in words


async def test_a_response_leads_with_faults_and_covers_the_three_categories(project: Path) -> None:
    opening = proposer(
        "The cache is perfect and needs no change at all.\n\n"
        "`src/cache.py:999` says: `the disk never fails`.\n\n"
        "`docs/guide.md:4` says: `The cache answers slowly on a network disk`."
    )
    words = await say(offline(project), brief("debate/response", TOPIC, opening))
    faults, alternative, holding = (
        words.index("### What is wrong or missing"),
        words.index("### A concrete alternative"),
        words.index("### What holds"),
    )
    assert faults < alternative < holding
    assert (
        "“The cache is perfect and needs no change at all” stands without evidence.** This claim is unsupported."
        in words
    )
    assert "`src/cache.py:999` is given as evidence but is not found there: the file has 12 lines." in words
    for category in ("Correctness", "Security", "Developer experience"):
        assert f"{category} is not covered.**" in words
    assert "`docs/guide.md:4`: the files have these lines." in words


async def test_a_response_to_a_thorough_opening_looks_for_the_risk_that_remains(project: Path) -> None:
    opening = proposer(
        "Correctness: `src/cache.py:6` says: `A cache entry that fails validation is never written`.\n\n"
        "Security: `src/access.py:3` says: `Cache entries hold a secret token`.\n\n"
        "Developer experience: `docs/guide.md:3` says: `A developer who debugs the cache`."
    )
    words = await say(offline(project), brief("debate/response", TOPIC, opening))
    assert "is not covered" not in words
    assert "Security is touched" in words


async def test_a_defense_answers_each_challenge_or_concedes_it(project: Path) -> None:
    speeches = (
        proposer("`src/cache.py:999` says: `the disk never fails`."),
        challenger(
            "- A corrupt entry that fails validation on disk is not considered.\n"
            "- Zebras eat the hay of the horses at night.\n"
            "- `docs/guide.md:1` speaks of zebras and horses only.\n"
            "- `src/cache.py:999` does not exist, the file is shorter.\n"
            "- `src/gone.py:3` proves that the disk loses every entry.\n"
        ),
    )
    words = await say(offline(project), brief("debate/defense", TOPIC, *speeches))
    assert (
        "> A corrupt entry that fails validation on disk is not considered\n\n**D2.1 Answered.** `src/cache.py:6`"
        in words
    )
    assert "**D2.2** I concede this point: Zebras eat the hay of the horses at night." in words
    assert (
        "**D2.3** I concede this point: `docs/guide.md:1` speaks of zebras and horses only. "
        "What it rests on is there: `docs/guide.md:1`." in words
    )
    assert "**D2.4** I concede that my citation is wrong" in words
    assert "**D2.5 Rejected.** The challenge itself rests on `src/gone.py:3`, which is not found" in words
    assert "before: 2." in words


async def test_a_defense_with_nothing_to_answer_says_so(project: Path) -> None:
    words = await say(offline(project), brief("debate/defense", TOPIC, proposer("It is so."), challenger("No.")))
    assert words.endswith("No challenge was raised that could be answered, so the position stands as it was.")


async def test_a_defense_goes_into_a_bounded_number_of_challenges(project: Path) -> None:
    many = "\n".join(f"- Challenge number {number} about the disk of the cache." for number in range(11))
    words = await say(offline(project), brief("debate/defense", TOPIC, challenger(many)))
    assert "_Further challenges, not gone into here: 3._" in words


async def test_a_follow_up_sorts_what_it_hears(project: Path) -> None:
    speeches = (
        proposer("The cache must write each entry to disk."),
        challenger(
            "**C1.1** A corrupt entry that fails validation may be written.\n\n"
            "**C1.2** The network disk makes the cache slow.\n\n"
            "**C1.3** Nobody tested a crash.\n\n"
            "**C1.4** The permission of the disk is unclear.\n\n"
            "**C1.5** The help message is missing."
        ),
        proposer(
            "**C1.1** `src/cache.py:6` says: `A cache entry that fails validation is never written`.\n\n"
            "**C1.2** `README.md:3` says: `so that a crash loses nothing`.\n\n"
            "**C1.3** I concede: nobody tested {that} crash.\n\n"
            "**C1.4** Trust me, it is all fine and well.\n\n"
            "**C1.5** `docs/gone.md:3` shows the help message.\n\n"
            "I withdraw my concession about the old format.",
            2,
        ),
    )
    words = await say(offline(project), brief("debate/follow-up", TOPIC, *speeches))
    assert (
        "- **C1.1** I'm convinced because `src/cache.py:6` says: `A cache entry that fails validation is never written`"
        in words
    )
    assert "- **C1.2** The network disk makes the cache slow (`README.md:3`)" in words
    assert "**C1.4 “Trust me, it is all fine and well” answers without evidence.** This defense is unsupported" in words
    assert "`docs/gone.md:3` is given as evidence but is not found there: there is no such file." in words
    assert "> **C1.3** I concede: nobody tested {that} crash." in words
    assert (
        "A concession is being taken back.** No new evidence comes with it, so it is rejected:\n\n> I withdraw" in words
    )
    assert "### Still open\n\n**C2." in words


async def test_each_follow_up_raises_something_new_until_nothing_is_left(tmp_path: Path) -> None:
    project = make_project(tmp_path, {"a.md": "The cache must write every entry to disk.\n"})
    speeches = await debate(offline(project), rounds=3)
    still_open = [speech.text.partition("### Still open\n\n")[2] for speech in speeches if "Still open" in speech.text]
    assert still_open == [
        (
            "**C2.1 No test is cited.** Everything cited so far states an intention; none of it is a test that would "
            "fail. No test that speaks of the topic could be found."
        ),
        (
            "**C3.1 Only words, no running code.** What is cited are descriptions. Not one cited line is code that "
            "runs, and descriptions outlive what they describe."
        ),
    ]
    words = await say(offline(project), brief("debate/follow-up", TOPIC, *speeches, proposer("Well.", 4)))
    assert "The repository holds no further line on the topic that could be raised." in words


async def test_when_every_sort_of_weakness_was_named_another_limit_is_looked_for(project: Path) -> None:
    named = "No test is cited. A condition left out. One file carries most of it. Only words, no running code."
    words = await say(offline(project), brief("debate/follow-up", TOPIC, challenger(named), proposer("So it is.", 2)))
    assert "Nothing in this speech can be checked" in words
    assert "**C2.1 Another limit.** `README.md:3` says: `The cache must write" in words


async def test_one_file_that_carries_the_case_is_named(tmp_path: Path) -> None:
    text = "The cache writes.\n\nThe disk answers.\n\nThe entry stays.\n"
    project = make_project(tmp_path, {"src/a.md": text, "tests/b.md": "x\n"})
    said = proposer("`src/a.md:1`, and `src/a.md:3`, and `src/a.md:5`, and `tests/b.md:1` show it.", 2)
    raised = challenger("No test is cited. A condition left out.")
    words = await say(offline(project), brief("debate/follow-up", TOPIC, raised, said))
    assert "One file carries most of it.** More than half of the proposer's citations come from `src/a.md`." in words


SECTIONS = ["## Core positions", "## Concessions", "## Evidence citations", "## Open disagreements", "## Walk-backs"]


async def test_a_summary_has_its_five_sections_and_keeps_its_length(project: Path) -> None:
    speeches = await debate(offline(project), rounds=5)
    words = await say(offline(project), brief("debate/summary", TOPIC, *speeches))
    assert [line for line in words.splitlines() if line.startswith("#")] == SECTIONS
    assert 500 <= len(words) / 4 <= 800


async def test_a_summary_keeps_every_concession_and_walk_back_word_for_word(project: Path) -> None:
    speeches = (
        proposer("I concede that {braces} and `code` stay. I concede that the index\nis stale."),
        challenger("I concede: the disk is fast.\n\n" + "A long claim about the cache and the disk. " * 200),
        proposer("I withdraw my concession: the braces go.", 2),
        challenger("I retract that. I withdraw my concession.", 2),
    )
    words = await say(offline(project), brief("debate/summary", TOPIC, *speeches))
    sections = {part.split("\n")[0]: part.partition("\n\n")[2].strip() for part in words.split("## ")[1:]}
    assert sections["Concessions"] == (
        "- Round 1, proposer: “I concede that {braces} and `code` stay.”\n"
        "- Round 1, proposer: “I concede that the index is stale.”\n"
        "- Round 1, challenger: “I concede: the disk is fast.”"
    )
    assert sections["Walk-backs"] == (
        "- Round 1, proposer: “I concede that {braces} and `code` stay.”\n"
        "- Withdrawn in round 2, proposer: “I withdraw my concession: the braces go.”\n"
        "- Round 1, challenger: “I concede: the disk is fast.”\n"
        "- Withdrawn in round 2, challenger: “I retract that.”\n"
        "- Withdrawn in round 2, challenger: “I withdraw my concession.”"
    )
    assert sections["Evidence citations"] == "None."


@pytest.mark.parametrize("rounds", [3, 5])
async def test_a_summary_of_its_own_debate_loses_no_concession_that_code_finds(project: Path, rounds: int) -> None:
    speeches = await debate(offline(project), rounds=rounds)
    made = [span.text for speech in speeches for span in concessions(speech.text)]
    summary = Evidence([await say(offline(project), brief("debate/summary", TOPIC, *speeches))])
    assert made
    assert [quote for quote in made if summary.find(quote).verdict is not QuoteVerdict.VERBATIM] == []


async def test_the_rules_concede_in_no_other_words_than_i_concede(project: Path) -> None:
    speeches = await debate(offline(project), rounds=5)
    made = [span.text for speech in speeches for span in concessions(speech.text)]
    assert [quote for quote in made if "I concede" not in quote] == []


async def test_a_challenger_that_opens_unheard_opposes_and_covers_the_three_categories(project: Path) -> None:
    words = await say(offline(project), brief("debate/blind-opening"))
    assert words == (
        "_Rule-based answer (`offline`, no model)._\n\n"
        "**C1.1 Position: no, not while this limit stands.** On *cache*, *entry*, *disk*, *answers*, `docs/guide.md:4` "
        "says: `The cache answers slowly on a network disk, but only for the first entry.`\n\n"
        "**C1.2 Correctness is a risk here.** `src/cache.py:6` says: `A cache entry that fails validation is never "
        "written, because a corrupt one cannot be read.` A position that does not account for how this fails is only "
        "right while nothing goes wrong.\n\n"
        "**C1.3 Security is a risk here.** `src/access.py:3` says: `Cache entries hold a secret token; the disk "
        "permission is 0600 so that nobody else can read an entry.` Whoever follows the position inherits this "
        "boundary without having been told of it.\n\n"
        "**C1.4 Developer experience is a risk here.** `README.md:5` says: ``Run `make install`, then read the help "
        "message of the command for usage.`` People meet the decision there first, and the position does not say what "
        "they will see.\n\n"
        "### A concrete alternative\n\n"
        "**C1.5 Alternative: test first.** Before the position is adopted, add a test that fails when the behavior "
        "described in `src/cache.py` stops being true. If no such test can be written, the position says nothing that "
        "can be checked.\n\n"
        "_Searched by rule: 5 text files; 6 passages speak of the topic._"
    )


@pytest.mark.parametrize(
    ("topic", "position"),
    [
        ("Is it the disk or cloud storage?", "Position: not disk by default.** That 6 passages"),
        ("Zebras?", "Position: no.** Whoever says yes must show a line that carries it, and none of the 5 text files"),
        ("?!", "Position: no.** Whoever says yes must show a line that carries it, and none of the 5 text files"),
    ],
)
async def test_an_opening_against_the_topic_knows_what_it_is_against(project: Path, topic: str, position: str) -> None:
    words = await say(offline(project), brief("debate/blind-opening", topic))
    assert f"**C1.1 {position}" in words
    assert "**C1.4 Developer experience is open.** No line could be found" in words or "disk" in topic


async def test_an_opening_against_the_topic_says_when_no_limit_is_written(tmp_path: Path) -> None:
    project = make_project(tmp_path, {"a.md": "The cache must write every entry to disk.\n"})
    words = await say(offline(project), brief("debate/blind-opening"))
    assert "**C1.1 Position: no, not on the strength of what is written.** On *cache*" in words


async def test_a_defense_answers_the_points_of_an_opening_it_had_not_heard_and_never_concedes_a_position(
    project: Path,
) -> None:
    consultant = offline(project)
    openings = (
        proposer(await say(consultant, brief("debate/opening"))),
        challenger(await say(consultant, brief("debate/blind-opening"))),
    )
    words = await say(consultant, brief("debate/defense", TOPIC, *openings))
    assert "C1.1" not in words
    assert [f"C1.{number}" in words for number in (2, 3, 4, 5)] == [True] * 4
    follow_up = await say(consultant, brief("debate/follow-up", TOPIC, *openings, proposer(words, 2)))
    assert "### Was the defense good enough?" in follow_up
