"""What code holds a speech to, and what becomes of one that breaks it."""

import pytest

from sparring.formats.debate.rulebook import broken
from sparring.schema.base import Role
from sparring.schema.debate import BrokenRule, SpeechRule
from sparring.schema.transcript import TurnKind
from support.debating import ids, outcome, played
from support.texts import texts

TEXTS = texts("debate")

FLAW, OTHER = "Flaw: the key changes with every attempt.", "Alternative: ask for the receipt first."
WHOLE = f"{FLAW}\n\n{OTHER}"
LONG = "The key has the number of the attempt in it. Every attempt is a new payment to the provider."


@pytest.mark.parametrize(("kind", "text", "rules"), TEXTS["a-speech-has-the-marks-that-its-prompt-asks-for"])
def test_a_speech_has_the_marks_that_its_prompt_asks_for(kind: TurnKind, text: str, rules: list[SpeechRule]) -> None:
    assert list(broken(TurnKind(kind), text, ())) == rules


@pytest.mark.parametrize(("text", "is_new"), TEXTS["a-speech-is-not-made-of-what-its-speaker-has-said-before"])
def test_a_speech_is_not_made_of_what_its_speaker_has_said_before(text: str, is_new: bool) -> None:  # noqa: FBT001
    earlier = ("Something else entirely was said here.", f"{LONG} Not so. Wrong. It is.")
    assert (SpeechRule.NEW not in broken(TurnKind.DEFENSE, text, earlier)) == is_new


def test_a_speech_that_breaks_a_rule_is_returned_once_and_the_other_one_takes_its_place() -> None:
    found = played({"r1.challenger": "Well argued.", "r1.challenger.2": WHOLE}, rounds=2)
    assert ids(found)[:4] == [["r1.proposer"], ["r1.challenger"], ["r1.challenger.2"], ["r2.proposer"]]
    asked = found.asks["r1.challenger.2"].question.prompt
    assert asked.startswith(found.asks["r1.challenger"].question.prompt)
    assert all(words in asked for words in ("Well argued.", 'begins with "Flaw:"', 'begins with "Alternative:"'))
    for later in ("r2.proposer", "judge1.ab.1"):
        prompt = found.asks[later].question.prompt
        assert FLAW in prompt
        assert [words for words in ("Well argued.", "RETURNED ONCE") if words in prompt] == []
    assert outcome(found).broken_rules == ()


def test_what_it_still_breaks_is_shown_to_the_judge_and_told() -> None:
    found = played({"r1.challenger": "Well argued.", "r1.challenger.2": f"Fine.\n\n{WHOLE}"}, rounds=1)
    assert outcome(found).broken_rules == (BrokenRule(round=1, role=Role.CHALLENGER, rule=SpeechRule.LEAD),)
    judged = found.asks["judge1.ab.1"].question.prompt
    assert "- RETURNED ONCE, IN VAIN: it does not begin with a flaw." in judged
