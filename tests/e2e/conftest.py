"""A machine of its own for each test of the real command lines."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from sparring.testing.model_endpoint import ModelEndpoint, Say
from support.desk import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    home, project = tmp_path / "home", tmp_path / "project"
    home.mkdir()
    (project / ".git").mkdir(parents=True)
    with ModelEndpoint(Say("The answer is yes.")) as endpoint:
        desk = Desk(home, project, endpoint)
        desk.write_codex_config()
        desk.write_gemini_config()
        desk.write_opencode_config()
        yield desk
