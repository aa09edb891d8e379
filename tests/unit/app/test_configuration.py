"""Whose word counts for a seat: the call's before the user's default, and one that is made for it."""

import pytest

from sparring.formats.debate.options import DebateOptions
from support.installed import app_with
from support.workbench import Workbench

DEFAULTS = """
[defaults]
seat = ["judge=cy", "chair=bob"]
proposer = "ann"
effort = "high"

[defaults.debate]
effort = "low"
rounds = 1
challenger = "bob"
"""


@pytest.mark.parametrize(
    ("typed", "seats", "how"),
    [
        ({}, "ann bob cy", (1, "low")),
        ({"rounds": 2, "effort": "medium", "seat": ["judge=ann,bob"]}, "ann bob ann", (2, "medium")),
        ({"participants": "bob,bob"}, "bob bob cy", (1, "low")),
        ({"proposer": "bob", "challenger": "ann"}, "bob ann cy", (1, "low")),
        ({"participants": "offline"}, "offline offline offline", (1, "low")),
    ],
)
def test_defaults_count_unless_the_call_overrides_them(
    bench: Workbench, typed: dict[str, object], seats: str, how: tuple[int, str]
) -> None:
    (bench.root / "config" / "config.toml").write_text(DEFAULTS, encoding="utf-8")
    request = app_with(bench).request(DebateOptions.model_validate({"topic": "It?", **typed}))
    assert " ".join(each.tool for each in (request.proposer, request.challenger, request.judge)) == seats
    assert (request.rounds, request.effort) == how


def test_a_file_that_is_kept_elsewhere_is_read_and_changed_there_unless_that_is_the_project(bench: Workbench) -> None:
    file, kept = bench.root / "config" / "config.toml", bench.root / "dotfiles.toml"
    kept.write_text(DEFAULTS, encoding="utf-8")
    file.symlink_to(kept)
    configuration = app_with(bench).configuration
    configuration.set("effort", "max")
    assert (file.is_symlink(), 'effort = "max"' in kept.read_text(encoding="utf-8")) == (True, True)
    assert configuration.defaults()["seat"] == ["judge=cy", "chair=bob"]
    file.unlink()
    file.symlink_to(kept.rename(bench.project / "dotfiles.toml"))
    assert app_with(bench).configuration.defaults() == {}
