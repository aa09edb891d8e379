from collections.abc import Generator
from pathlib import Path

import pytest

from sparring.testing.model_endpoint import ModelEndpoint, Say
from support.held_debates import Held
from support.jurors import REPLIES
from support.workbench import Workbench


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return Workbench.below(tmp_path)


@pytest.fixture
def jury(bench: Workbench) -> Workbench:
    """One whose ``ann`` takes every seat of a jury."""
    bench.add_tool("ann", REPLIES)
    return bench


@pytest.fixture(scope="session")
def held_once(tmp_path_factory: pytest.TempPathFactory) -> Held:
    """For tests that change nothing of it."""
    return Held.below(tmp_path_factory.mktemp("held"))


@pytest.fixture
def held(held_once: Held, tmp_path: Path) -> Held:
    return held_once.copied(tmp_path)


@pytest.fixture
def endpoint() -> Generator[ModelEndpoint]:
    """A model that agrees with everything."""
    with ModelEndpoint(Say("It is so."), keeps_alive=True) as listening:
        yield listening
