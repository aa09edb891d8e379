"""The requests of many rows of the same options are what each would be by itself."""

from pathlib import Path

import pytest

from sparring.app import App
from sparring.errors import ToolNotFoundError, UsageError
from sparring.formats.jury.options import JuryOptions
from sparring.seating.options import Given
from support.installed import app_with
from support.workbench import Workbench

pytestmark = pytest.mark.slow

TYPED = Given(is_by_user=True)
ROWS = [
    {"truth": "It is 330 m tall.", "claim": "It is 300 m tall.", "row_id": "a"},
    {"truth": "The key is ghp_0123456789abcdefghijABCDEFGHIJ012345.", "claim": "There is a key.", "row_id": ""},
]


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return Workbench.below(tmp_path)


@pytest.mark.parametrize("seats", [{}, {"provider": "codex"}, {"judge": "claude", "substitute": "codex"}], ids=str)
def test_each_row_has_the_request_that_it_has_alone(bench: Workbench, seats: dict[str, str]) -> None:
    app: App = app_with(bench, "claude", "codex")
    options = JuryOptions.model_validate({"claim": "-", **seats})
    request = app.requests(options, TYPED)
    for row in (*ROWS, ROWS[0]):
        assert request(row) == app.request(options.model_copy(update=row), TYPED)


def test_a_row_that_is_refused_leaves_the_others_as_they_are(bench: Workbench) -> None:
    request = app_with(bench, "claude", "codex").requests(JuryOptions(claim="-"), TYPED)
    with pytest.raises(UsageError, match="There is no claim"):
        request({**ROWS[0], "claim": ""})
    assert request(ROWS[0]).row_id == "a"


def test_a_tool_that_cannot_be_asked_is_refused_at_every_row(bench: Workbench) -> None:
    request = app_with(bench, "claude").requests(JuryOptions(claim="-", judge="codex"), TYPED)
    for row in ROWS:
        with pytest.raises(ToolNotFoundError):
            request(row)
