"""What of two measurements of a program is reported as a change."""

from copy import deepcopy
from typing import Any

import pytest

from lab.changes import changes
from lab.measured import measured

KNOWN = measured("codex")


@pytest.mark.parametrize(
    ("place", "value", "lines"),
    [
        (("version",), "9.9.9", []),
        (("day",), "2027-01-01", []),
        (("failures", "401", "seconds"), 99, []),
        (("adds",), 25_300, []),
        (("adds",), 90_000, ["adds: 25220 became 90000"]),
        (("hears",), ["AGENTS.md"], ['hears: [] became ["AGENTS.md"]']),
        (("failures", "401", "code"), "exit", ['failures, 401, code: "auth" became "exit"']),
        (("failures", "418"), {"code": "exit"}, ['failures, 418, code: null became "exit"']),
    ],
)
def test_changed_facts_are_reported_and_varying_values_are_not(
    place: tuple[str, ...], value: object, lines: list[str]
) -> None:
    assert KNOWN is not None
    before: dict[str, Any] = KNOWN.model_dump(mode="json")
    after = deepcopy(before)
    at = after
    for name in place[:-1]:
        at = at[name]
    at[place[-1]] = value
    assert list(changes(before, after)) == lines
