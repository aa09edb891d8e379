"""A machine of its own for each test of the real command lines."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.desk import Desk, new_desk


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with new_desk(tmp_path) as desk:
        yield desk
