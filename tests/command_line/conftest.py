from collections.abc import Generator
from pathlib import Path

import pytest

from sparring.testing.model_endpoint import ModelEndpoint, Say
from support.workbench import Workbench


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return Workbench.below(tmp_path)


@pytest.fixture
def endpoint() -> Generator[ModelEndpoint]:
    """A model that agrees with everything."""
    with ModelEndpoint(Say("It is so."), keeps_alive=True) as listening:
        yield listening
