"""The error tree as a whole."""

from sparring import errors
from sparring.errors import ExitCode, SparringError


def tree(root: type[SparringError]) -> list[type[SparringError]]:
    return [root, *(below for child in root.__subclasses__() for below in tree(child))]


def test_every_error_has_a_code_of_its_own_and_an_exit_code() -> None:
    all_errors = tree(SparringError)
    assert len({error.code for error in all_errors}) == len(all_errors)
    assert all(isinstance(error.exit_code, ExitCode) for error in all_errors)


def test_every_error_is_drawn_in_the_docstring() -> None:
    missing = [error.__name__ for error in tree(SparringError) if error.__name__ not in str(errors.__doc__)]
    assert missing == []
