import pytest

from sparring.text.prose import Prose


def blocks(text: str) -> list[str]:
    """The text of each block as its readers see it, with spaces folded."""
    prose = Prose(text)
    return [" ".join(prose.plain[block.start : block.end].split()) for block in prose.blocks]


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("It has **300** rooms.", "It has   300   rooms."),
        ("It has *three* _big_ ~~x~~ rooms.", "It has  three   big  ~~x~~ rooms."),
        ("a_b * c and 2*3", "a_b * c and 2*3"),
        ("The [5 towers](https://x.org/19_(99) 'x').", "The  5 towers                            ."),
        ('A [b](c "5").', "A  b        ."),
        ("A [b][12] c", "A  b      c"),
        ("Rooms[^1] and more [12, 13].", "Rooms     and more         ."),
        ("See https://x.org/1999, now.", "See                   , now."),
        ("Run `retry 3` now", "Run  retry 3  now"),
        ("a<br>b <!-- 12 --> c", "a    b             c"),
        ("## Rooms: 12", "   Rooms: 12"),
        ("3 < 4 and 5 > 4", "3 < 4 and 5 > 4"),
        ("never closed <!-- 12", "never closed <!-- 12"),
    ],
)
def test_markup_is_blank_and_what_is_read_stays_where_it_was(text: str, seen: str) -> None:
    assert Prose(text).plain.rstrip() == seen.rstrip()
    assert len(Prose(text).plain) == len(text)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("one\ntwo\n\nthree", ["one two", "three"]),
        ("# Head\nbody\r\n\r\nnext\r\n", ["Head", "body", "next"]),
        ("Head\n====\nbody\n---\nlast", ["Head", "body", "last"]),
        ("- one\n- two\n  more\n\n1. three\n2) four", ["one", "two more", "three", "four"]),
        ("It was built in\n1998. It stands.\n", ["It was built in 1998. It stands."]),
        ("It was built in\n199. It stands.\n", ["It was built in 199. It stands."]),
        ("> one\n> two\n>\n> three\nfour", ["one two", "three", "four"]),
        ("text\n```py\nx = 1\n```\nmore", ["text", "more"]),
        ("text\n~~~~\n```\nx\n~~~~\nmore", ["text", "more"]),
        ("text\n```\nnever closed", ["text"]),
        ("| a | b |\n|---|---|\n| 1 | 2 |\n\ntext", ["text"]),
        ("[ref]: https://x.org\n[^1]: A note with 7 rooms.", ["A note with 7 rooms."]),
        ("---\ntitle: 12 rooms\n---\ntext", ["text"]),
        ("---\ntitle: a\ntags:\n  - b\n- c\n\n# note\n---\r\ntext", ["text"]),
        ("---\nno front matter", ["no front matter"]),
        ("---\nA rule above: and\n---\nbelow.", ["A rule above: and", "below."]),
        ("a\u2028b", ["a b"]),
        ("", []),
        (" \n\t\n", []),
    ],
)
def test_a_block_is_a_paragraph_an_item_or_a_heading(text: str, found: list[str]) -> None:
    assert blocks(text) == found


def test_only_a_block_quotation_is_quoted() -> None:
    assert [block.is_quoted for block in Prose("one\n> two\n> > three\n\nfour > five").blocks] == [False, True, False]


def test_lines_are_counted_from_one() -> None:
    prose = Prose("a\nb\n\nc")
    assert [prose.line_at(place) for place in range(6)] == [1, 1, 2, 2, 3, 4]
