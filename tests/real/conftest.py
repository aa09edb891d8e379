"""One server with a real small model for all tests of a run."""

from collections.abc import Iterator

import pytest

from support.real_model import RealModel, running
from support.workbench import Workbench


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealModel]:
    with running(tmp_path_factory.mktemp("model")) as found:
        yield found


@pytest.fixture
def bench(tmp_path_factory: pytest.TempPathFactory, model: RealModel) -> Workbench:
    """A project in which the model sits in every seat that ``SEATS`` names."""
    bench = Workbench.below(tmp_path_factory.mktemp("bench"))
    model.add_to(bench)
    return bench
