import pytest

from sparring.providers.known import line_of

SOURCE = """\
kind = "cli"
"quoted" = 1   # a comment with key = value

[command]      # where the program is
program = "x"
argv = [
    "-c", 'model="x"',
]
[environment.fixed]
A.B = "1"
[ environment . 'defaults' ]
"C" = "2"
"""


@pytest.mark.parametrize(
    ("place", "line"),
    [
        (("kind",), 1),
        (("quoted",), 2),
        (("command",), 4),
        (("command", "argv"), 6),
        (("command", "argv", "1"), 6),
        (("command", "model"), 4),
        (("environment", "fixed", "A", "B"), 10),
        (("environment", "defaults", "C"), 12),
        (("environment", "defaults", "D"), 11),
        (("family",), None),
        ((), None),
    ],
)
def test_the_line_of_a_key_or_of_the_table_around_it_is_found(place: tuple[str, ...], line: int | None) -> None:
    assert line_of(SOURCE, place) == line
