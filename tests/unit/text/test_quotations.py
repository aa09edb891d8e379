import pytest

from sparring.text.prose import Prose, quotations


def quoted(text: str) -> list[str]:
    prose = Prose(text)
    return [" ".join(prose.plain[start:end].split()) for start, end in quotations(prose)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('He said "it is really so" to her.', ["it is really so"]),
        ("He said “it is\nreally so”.", ["it is really so"]),
        ("Er sagte „das ist es wirklich“.", ["das ist es wirklich"]),
        ("Il dit « c'est bien cela ».", ["c'est bien cela"]),
        ("「一 二 三」と", ["一 二 三"]),
        ('"one two three," he said, "four five six."', ["one two three", "four five six."]),
        ("(“a **b** [c](https://d.org) e”)", ["a b c e"]),
        ('A 6" pipe and a 4" pipe are not the same', []),
        ('the "so called" expert and "experts"', []),
        ("it's what the dogs' owner said", []),
        ('Never "closed by anybody at all', []),
        ('One "opens here\n\nand closes" in another one', []),
        ('Run `echo "one two three"` now', []),
        ('```\nsay "one two three"\n```', []),
    ],
)
def test_a_passage_in_quotation_marks_is_a_quotation(text: str, found: list[str]) -> None:
    assert quoted(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("> one two\n> three **four**\n", ["one two three four"]),
        ("> one two three\n>\n> four five six", ["one two three", "four five six"]),
        ("> one two three\n> — Somebody, 2020", ["one two three"]),
        ("> [!NOTE]\n> this is no quotation", []),
        ("> too short", []),
        ('> it has "marks of its own" inside', ['it has "marks of its own" inside']),
    ],
)
def test_a_block_quotation_is_one_for_each_paragraph(text: str, found: list[str]) -> None:
    assert quoted(text) == found


@pytest.mark.timeout(60)
def test_a_long_run_of_closing_marks_takes_no_more_than_its_length() -> None:
    text = "“one two three" + ",;" * 2**19 + "four”"  # looked at from each mark anew, this takes hours
    assert list(quotations(Prose(text))) == [(1, len(text) - 1)]
