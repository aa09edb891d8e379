"""The error tree as a whole."""

import errno

from sparring import errors
from sparring.errors import ExhaustedError, SparringError


def tree(root: type[SparringError]) -> list[type[SparringError]]:
    return [root, *(below for child in root.__subclasses__() for below in tree(child))]


def test_every_error_has_a_code_of_its_own_and_is_drawn_in_the_docstring() -> None:
    all_errors = tree(SparringError)
    assert len({error.code for error in all_errors}) == len(all_errors)
    assert [error.__name__ for error in all_errors if error.__name__ not in str(errors.__doc__)] == []


def _in_a_circle() -> Exception:
    first, second = ValueError("first"), ValueError("second")
    first.__context__, second.__context__ = second, first
    return first


def _below(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


FULL = OSError(errno.ENOSPC, "No space left on device")


def test_an_exhausted_resource_is_recognised_at_any_depth() -> None:
    several = ExceptionGroup("several", [_below(RuntimeError("broken"), OSError(errno.EMFILE, "x"))])
    unloaded = ImportError("x.so: failed to map segment from shared object")
    lacking = {FULL: "The disk is full.", several: "Too many files", unloaded: "There is not enough memory."}
    for error, told in {**lacking, _below(ValueError("no data"), FULL): "The disk is full."}.items():
        assert str(ExhaustedError.behind(error)).startswith(told)
    others = (OSError(errno.ENOENT, "No such file"), ImportError("No module named 'x'"), _in_a_circle())
    assert [ExhaustedError.behind(error) for error in others] == [None] * 3
