"""A quote is the same with and without the marks of Markdown."""

import pytest

from sparring.formats.debate.speeches import without_emphasis
from sparring.schema.base import Role
from sparring.schema.judgement import CitedArgument
from support.debating import outcome, played
from support.playing import ballot
from support.texts import texts

TEXTS = texts("debate")


@pytest.mark.parametrize(("said", "read"), TEXTS["marks-go-and-words-stay"])
def test_marks_go_and_words_stay(said: str, read: str) -> None:
    assert without_emphasis(said).text == read


def test_the_place_of_bare_words_is_that_of_the_words_themselves() -> None:
    bare = without_emphasis("On **write**, `turn`.")
    start = bare.text.index("write")
    assert bare.original_place(start, start + len("write, turn")) == (5, 19)


@pytest.mark.parametrize(("quote", "kept"), TEXTS["a-judge-may-leave-out-the-marks-of-what-it-quotes"])
def test_a_judge_may_leave_out_the_marks_of_what_it_quotes(quote: str, kept: str) -> None:
    speech = "speech of challenger in round 1. **P1 Stay.** On *write*, `src/a.py:3` says so. The end."
    cited = [{"side": "B", "quote": quote}]
    special = {f"judge1.{letters}.1": ballot(letters, arguments=cited) for letters in ("ab", "ba")}
    verdict = outcome(played({"r1.challenger": speech, **special}, rounds=1)).verdict
    assert verdict is not None
    assert verdict.arguments == (CitedArgument(side=Role.CHALLENGER, round=1, quote=kept),)
