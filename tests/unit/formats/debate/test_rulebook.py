"""What code holds speeches and summaries to, and what becomes of one that breaks it."""

import pytest

from sparring.formats.debate.marks import on_their_own_lines, supplemented
from sparring.formats.debate.outcome import FinishedDebate
from sparring.formats.debate.rulebook import agreeing_citations, broken, headings, preserved
from sparring.formats.debate.speeches import DebateState
from sparring.schema.base import Role
from sparring.schema.debate import Concession, Conduct, SpeechLedger, SpeechRule, Withdrawal
from sparring.schema.judgement import Side
from sparring.schema.lookups import CitationKind, CitationLedger, CitationStatus, LedgerEntry
from sparring.schema.transcript import TurnKind
from support.debating import fails, ids, outcome, played, request
from support.playing import SUMMARY, ended
from support.texts import texts

TEXTS = texts("debate")

FLAW, OTHER = "Flaw: the key changes with every attempt.", "Alternative: ask for the receipt first."
WHOLE = f"{FLAW}\n\n{OTHER}"
LONG = "The key has the number of the attempt in it. Every attempt is a new payment to the provider."


@pytest.mark.parametrize(("kind", "text", "rules"), TEXTS["a-speech-has-the-marks-that-its-prompt-asks-for"])
def test_a_speech_has_the_marks_that_its_prompt_asks_for(kind: TurnKind, text: str, rules: list[SpeechRule]) -> None:
    assert list(broken(TurnKind(kind), text, ())) == rules


@pytest.mark.parametrize(("text", "is_new"), TEXTS["a-speech-is-not-made-of-what-its-speaker-has-said-before"])
def test_a_speech_must_be_new(text: str, is_new: bool) -> None:  # noqa: FBT001
    earlier = (
        "Something else entirely was said here.",
        f"{LONG} Not so. Wrong. It is.",
        "缓存会过期。每次重试都会向支付方发送新的付款请求。",
    )
    assert (SpeechRule.NEW not in broken(TurnKind.DEFENSE, text, earlier)) == is_new


def test_a_missing_line_of_a_speech_is_requested_alone_and_put_in_front() -> None:
    said = f"Here it is:\n\n{FLAW}\n\nWell argued, once more."
    found = played({"r1.challenger": "Well argued.", "r1.challenger.line": said}, rounds=2)
    assert ids(found)[:4] == [["r1.proposer"], ["r1.challenger"], ["r1.challenger.line"], ["r2.proposer"]]
    first, asked, later, judged = (
        found.asks[id_].question.prompt for id_ in ("r1.challenger", "r1.challenger.line", "r2.proposer", "judge1.ab.1")
    )
    assert asked.startswith(first)
    assert all(words in asked for words in ("Well argued.", "`Flaw: …`", "`Alternative: …`"))
    for prompt in (later, judged):
        assert f"{FLAW}\n\nWell argued.\n" in prompt
        assert "Well argued, once more." not in prompt
        assert "It proposes no alternative, although it was asked once more." in prompt
    (exchange,) = (
        each for each in FinishedDebate(ended(request(rounds=2), found)).exchanges if "Well" in each.response
    )
    assert exchange.response == f"{FLAW}\n\nWell argued."
    assert exchange.duration_ms == 2000


def test_a_speech_that_repeats_itself_is_requested_again() -> None:
    again = "Something new: the provider bills each attempt."
    found = played({"r1.proposer": LONG, "r2.proposer": LONG, "r2.proposer.2": again}, rounds=2)
    assert f"\n{again}\n" in found.asks["judge1.ab.1"].question.prompt
    assert outcome(found).broken_rules == ()


@pytest.mark.parametrize(
    ("supplement", "whole"),
    [
        ("Nothing is missing.", "Speech."),
        (f"{OTHER}\n\n{FLAW}\n\nFlaw: another one.", f"{FLAW}\n\n{OTHER}\n\nSpeech."),
        (f"**{FLAW}**\nIt costs money.\n\nSpeech.", f"**{FLAW}**\nIt costs money.\n\nSpeech."),
        (f"```\n{FLAW}\n```", "Speech."),
    ],
)
def test_only_marked_lines_of_a_supplement_precede_a_speech(supplement: str, whole: str) -> None:
    assert supplemented("Speech.", supplement) == whole


CONCEDED = "I concede: retries cost money."


def conceded(text: str = CONCEDED, role: Side = Role.PROPOSER, withdrawn: Withdrawal | None = None) -> Concession:
    return Concession(text=text, start=0, end=len(text), role=role, round=1, withdrawn=withdrawn)


def summary(concessions: str = "None.", walk_backs: str = "None.") -> str:
    return (
        f"## Core positions\nFor and against.\n\n## Concessions\n{concessions}\n\n"
        f"## Evidence citations\nNone.\n\n## Open disagreements\nNone.\n\n## Walk-backs\n{walk_backs}\n"
    )


QUOTED = f'- Proposer, round 1: "{CONCEDED}"'
PARAPHRASED = "- The proposer granted that retries cost money."
TWICE = (conceded(), conceded(), conceded(role=Role.CHALLENGER))
MARKED = (conceded("**C1.3** I concede: *retries* cost `money`."),)


@pytest.mark.parametrize(
    ("concessions", "said", "kept", "put_back"),
    [
        *(((conceded(),), nothing, QUOTED, 1) for nothing in ("", "- None.")),
        ((conceded(),), PARAPHRASED, f"{PARAPHRASED}\n{QUOTED}", 1),
        ((conceded(),), *("- Proposer (1): “I concede: retries\n  cost money.”",) * 2, 0),
        (TWICE, "None.", f'{QUOTED}\n- Challenger, round 1: "{CONCEDED}"', 2),
        (MARKED, *("- Proposer, round 1: C1.3 I concede: retries cost money.",) * 2, 0),
        ((conceded("I concede:\n  it is slow."),), "None.", '- Proposer, round 1: "I concede: it is slow."', 1),
    ],
)
def test_dropped_concessions_are_restored_once_and_quoted_ones_stay(
    concessions: tuple[Concession, ...], said: str, kept: str, put_back: int
) -> None:
    found = preserved(summary(said), Conduct(concessions=concessions))
    assert (found.text, found.put_back) == (summary(kept), put_back)


def test_a_withdrawn_concession_is_listed_under_walk_backs_with_both_quotes() -> None:
    withdrawal = "I withdraw my concession on the cost of retries."
    taken_back = conceded(withdrawn=Withdrawal(text=withdrawal, start=0, end=len(withdrawal), round=2))
    found = preserved(summary(QUOTED), Conduct(concessions=(taken_back,)))
    assert (found.text, found.put_back) == (summary(QUOTED, f'{QUOTED}; withdrawn in round 2: "{withdrawal}"'), 1)
    assert preserved(found.text, Conduct(concessions=(taken_back,))) == type(found)(found.text, 0)
    half = preserved(summary(QUOTED, QUOTED), Conduct(concessions=(taken_back,)))
    assert half.put_back == 1  # one quote alone does not say what was taken back


@pytest.mark.parametrize(
    ("said", "kept", "cited"),
    [
        ("None.", "- Challenger, round 2: app.py:3\n- Proposer, round 2: E1:4", 2),
        ("- The limit, app.py:33, E1:4.", "- The limit, app.py:33, E1:4.\n- Challenger, round 2: app.py:3", 1),
        ("- `app.py:3` and E1:4 hold.", "- `app.py:3` and E1:4 hold.", 0),
    ],
)
def test_dropped_citations_for_agreements_are_restored_under_their_heading(said: str, kept: str, cited: int) -> None:
    lines = ("- Challenger, round 2: app.py:3", "- Proposer, round 2: E1:4")
    found = preserved(summary().replace("citations\nNone.", f"citations\n{said}"), Conduct(), lines)
    assert (found.text, found.cited) == (summary().replace("citations\nNone.", f"citations\n{kept}"), cited)


def _ledger(round_: int, role: Side, speech: str) -> SpeechLedger:
    entries = (
        LedgerEntry(text=text, start=place, end=place + len(text), kind=CitationKind.PATH, status=status, reason="")
        for text, status in (
            ("app.py:3", CitationStatus.VERIFIED),
            ("gone.py:9", CitationStatus.NOT_FOUND),
            ("https://example.org", CitationStatus.UNCHECKED),
        )
        if (place := speech.find(text)) >= 0
    )
    return SpeechLedger(round=round_, role=role, ledger=CitationLedger(entries=tuple(entries)))


@pytest.mark.parametrize(
    ("speech", "lines"),
    [
        ("I concede: it costs money, app.py:3.", ["- Challenger, round 2: app.py:3"]),
        ("Resolved: I'm convinced, see https://example.org.", ["- Challenger, round 2: https://example.org"]),
        ("Resolved: I'm convinced, see gone.py:9.", []),
        ("I withdraw: it costs money, app.py:3.", []),
        ("Flaw: it costs money, app.py:3.", []),
    ],
)
def test_citations_next_to_a_concession_or_certificate_support_an_agreement(speech: str, lines: list[str]) -> None:
    turns = tuple(
        turn for turn in played({"r2.challenger": speech}, rounds=2).transcript.turns if turn.ask_id == "r2.challenger"
    )
    said = DebateState(turns=turns, ledgers=(_ledger(2, Role.CHALLENGER, speech),))
    assert list(agreeing_citations(said)) == lines


@pytest.mark.parametrize(("words", "is_asked_again"), [(100, False), (2000, True)])
def test_a_summary_too_short_for_its_round_is_requested_again(
    words: int,
    is_asked_again: bool,  # noqa: FBT001
) -> None:
    speech = f"Because of {' '.join(map(str, range(words)))}."
    found = played({"r1.proposer": speech, "r3.summary.1": SUMMARY, "r3.summary.2": SUMMARY}, rounds=3)
    assert ("r3.summary.2" in found.asks) == is_asked_again
    assert SUMMARY in found.asks["r3.proposer"].question.prompt


def test_a_heading_is_recognised_in_any_markup() -> None:
    for heading in ("## Concessions", "# concessions:", "### **Concessions** ###", "##\tConcessions"):
        text = f"{heading}\nbody\n## Next"
        start, end = headings(text)["concessions"]
        assert text[start:end] == "\nbody\n"


def test_a_summary_is_made_from_the_one_before_and_the_round_since() -> None:
    asks = played(rounds=5).asks
    prompt = asks["r5.summary.1"].question.prompt
    assert "The summary of rounds 1-2. Add what was said since then" in prompt
    assert f"```text\n{SUMMARY}\n```" in prompt
    assert [round_ for round_ in range(1, 6) if f"speech of challenger in round {round_}" in prompt] == [3]


def test_without_a_usable_summary_before_it_a_summary_is_made_from_all_speeches() -> None:
    prompt = played({"r4.summary.1": fails()}, rounds=5).asks["r5.summary.1"].question.prompt
    assert [round_ for round_ in range(1, 6) if f"speech of challenger in round {round_}" in prompt] == [1, 2, 3]
    assert "to which you add" not in prompt


@pytest.mark.parametrize(("second", "used"), [(0, 0), (2000, 1000), (None, 1000)])
def test_a_summary_that_is_too_long_is_requested_again_and_the_shorter_is_used(second: int | None, used: int) -> None:
    first, again = (SUMMARY + " word" * (length or 0) for length in (1000, second))
    found = played({"r3.summary.1": first, "r3.summary.2": fails() if second is None else again}, rounds=3)
    asked = found.asks["r3.summary.2"].question
    assert "500 to 800 tokens are asked for" in asked.prompt
    assert [speech.round for speech in asked.brief.speeches] == [1, 1]
    assert f"```text\n{SUMMARY}{' word' * used}\n```" in found.asks["r3.proposer"].question.prompt
    assert outcome(found).notices == ()


@pytest.mark.parametrize(
    ("speech", "shown"),
    [
        ("Flaw: a.\nAlternative: b.\nRisk: c.", "Flaw: a.  \nAlternative: b.  \nRisk: c."),
        ("So.\n**Resolved:** it is.\nI concede: d.", "So.  \n**Resolved:** it is.  \nI concede: d."),
        ("Flaw: a,\nand more of it.\n\nRisk: c.", "Flaw: a,\nand more of it.\n\nRisk: c."),
        ("```\nx\nFlaw: a.\n```", "```\nx\nFlaw: a.\n```"),
    ],
)
def test_marked_lines_are_shown_as_lines_of_their_own(speech: str, shown: str) -> None:
    assert on_their_own_lines(speech) == shown
