from pathlib import Path

import pytest

from support.workbench import Workbench


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return Workbench.below(tmp_path)
