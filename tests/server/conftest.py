from pathlib import Path

import pytest

from support.mcp_project import project
from support.workbench import Workbench


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    """Nobody but the scripted tools can be asked: no AI tool of this machine is on its PATH."""
    return project(tmp_path)
