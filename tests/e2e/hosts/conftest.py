"""A real host on a machine of its own, in a project in which scripted tools debate."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from sparring.testing.model_endpoint import ModelEndpoint, Say
from support.desk import Desk
from support.hosting import DONE, QUIET, Hosting
from support.manners import MANNERS, Driven, drive
from support.workbench import Workbench


@pytest.fixture
def hosting(tmp_path: Path) -> Iterator[Hosting]:
    bench, home = Workbench.below(tmp_path), tmp_path / "home"
    home.mkdir()
    with ModelEndpoint(Say(DONE)) as endpoint:
        variables = {**QUIET, "SPARRING_CONFIG_DIR": str(bench.root / "config")}
        desk = Desk(home, bench.project, endpoint, variables)
        desk.write_codex_config()
        desk.write_gemini_config()
        desk.write_opencode_config(snapshot=False)  # it would start git forty times, to undo what nobody does
        yield Hosting(desk, bench)


@pytest.fixture(params=MANNERS, ids=lambda manner: manner.name)
def driven(request: pytest.FixtureRequest, hosting: Hosting) -> Driven:
    """Every host in turn, set up and with a model that debates."""
    return drive(hosting, request.param)
