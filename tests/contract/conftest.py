"""Where an answer ledger is kept: in a file, or in Postgres."""

from pathlib import Path
from uuid import uuid4

import pytest

from support.postgres import of_its_own


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "made" / "answers.sqlite")
    return of_its_own(request.getfixturevalue("postgres"), f"ledger_{uuid4().hex}")
