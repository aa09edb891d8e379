"""The values that ``--continue`` and ``--repo`` may lack."""

import pytest

from sparring.cli.parsing import with_values
from support.texts import texts


@pytest.mark.parametrize(("typed", "read"), texts("command-lines")["left-out"])
def test_where_the_value_is_left_out_the_usual_one_is_meant(typed: list[str], read: list[str]) -> None:
    assert with_values(typed) == read
