"""The real command lines: where they are missing, one line says so; where they must not be missing, nothing runs."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.desk import BINARIES, E2E, TOOLS, Desk
from support.model_endpoint import ModelEndpoint, Say


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    ours = [item for item in items if item.get_closest_marker("e2e")]
    missing = [tool for tool in TOOLS if not (BINARIES / tool).exists()]
    if not ours or not missing:
        return
    reason = f"no {' and no '.join(missing)} in {E2E.name}/node_modules: run `npm ci --prefix tests/e2e`"
    if os.environ.get("CI") == "true":
        raise pytest.UsageError(f"the end-to-end tests must run here, but there is {reason}")
    ours[0].add_marker(pytest.mark.skip(reason=f"all end-to-end tests: {reason}"))
    config.hook.pytest_deselected(items=ours[1:])
    items[:] = [item for item in items if item not in ours[1:]]


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
