"""Taking other people's speeches apart."""

import pytest

from sparring.consult.offline.reading import HeardSpeech, Point
from sparring.schema.base import Role
from sparring.schema.consultation import Speech

FILES = {"src/a.py": "def run():\n    return 1\n"}


def heard(text: str, role: Role = Role.PROPOSER) -> HeardSpeech:
    return HeardSpeech(Speech(role=role, round=1, text=text), FILES.get)


def test_points_are_paragraphs_and_list_items_of_the_speakers_own() -> None:
    speech = heard(
        "_An aside in italics is no point of the speech._\n"
        "# A heading is no point of the speech either\n\n"
        "**C1.1 The first point.** It goes on\nin a second line, with `__init__.py` kept.\n\n"
        "> somebody else said this in another speech\n\n"
        "| a | table | is | no | point |\n\n"
        "```python\nnothing in here is a point at all\n```\n"
        "Here is what follows from all of this:\n"
        "1. A *numbered* item that says something.\n"
        "- Too short.\n"
        "- **C1.2** Short.\n"
    )
    assert [(point.label, point.text) for point in speech.points] == [
        ("C1.1", "The first point. It goes on in a second line, with `__init__.py` kept."),
        ("", "A numbered item that says something."),
        ("C1.2", "Short."),
    ]


def test_a_point_carries_the_citations_that_stand_in_it() -> None:
    speech = heard("Nothing is cited in this point.\n\nBut `src/a.py:2` says: `return 1`, and `src/b.py:1` is gone.")
    first, second = speech.points
    assert first == Point("", "Nothing is cited in this point.", (), "Nothing is cited in this point.")
    assert second.citations == speech.citations
    assert [found.citation.text for found in second.verified] == ["src/a.py:2"]


def test_the_core_of_a_point_is_its_first_sentence_and_what_it_quotes() -> None:
    (point,) = heard("A limit is left out here. `src/a.py:2` says: `return 1` That is bad.").points
    assert (point.gist, point.core) == ("A limit is left out here.", "A limit is left out here. return 1")
    (bare,) = heard("A limit is left out here. That is bad.").points
    assert bare.core == "A limit is left out here. That is bad."


def test_concessions_and_walk_backs_are_kept_word_for_word() -> None:
    speech = heard(
        "First. I concede that {braces} stay.  More.\n\n> I concede nothing of yours.\n\nI withdraw my concession."
    )
    assert speech.concessions == ("I concede that {braces} stay.",)
    assert speech.walk_backs == ("I withdraw my concession.",)
    assert [point.concedes for point in speech.points] == [True]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("**C1.1** I'm convinced because `src/a.py:2` says: `return 1`", True),
        ("**C1.1** I'm convinced because it sounds nice to me.", False),
        ("**C1.1** I'm convinced that `src/a.py:2` is wrong.", False),
    ],
)
def test_only_evidence_certifies(text: str, *, expected: bool) -> None:
    assert [point.certifies for point in heard(text).points] == [expected]


def test_a_point_is_kept_as_it_stands_in_the_speech() -> None:
    (point,) = heard("- **C1.1** The *first*\n  point.").points
    assert (point.text, point.said) == ("The first point.", "- **C1.1** The *first*\n  point.")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("**C1.1** The lock is never released.", True),
        ("**C1.1** Position: no, not while the lock is there.", False),
        ("**C1.1** I concede that the lock is released.", False),
        ("**C1.1** I'm convinced because `src/a.py:2` says: `return 1`", False),
    ],
)
def test_what_argues_wants_an_answer(text: str, *, expected: bool) -> None:
    assert [point.wants_answer for point in heard(text).points] == [expected]
