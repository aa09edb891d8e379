"""A preset stands for values of several options; what is given by itself goes before it."""

from typing import Any

import pytest

from sparring.formats.debate.options import DebateOptions
from sparring.formats.registry import FORMATS
from sparring.participants.options import Options, Preset, subject_of
from sparring.schema.base import Effort
from support.installed import app_with
from support.workbench import Workbench


def options_of(name: str, **given: object) -> Options[Any]:
    kind = FORMATS[name].options
    return kind.model_validate({subject_of(kind): ["It?"] if name == "review" else "It?", **given})


@pytest.mark.parametrize("name", list(FORMATS))
def test_standard_is_the_default_and_the_others_differ_from_it(name: str) -> None:
    plain = options_of(name).model_dump(exclude={"preset"})
    quick, standard, thorough = (options_of(name, preset=each).model_dump(exclude={"preset"}) for each in Preset)
    assert standard == plain
    assert quick["effort"] == "low"
    assert thorough["effort"] == "high"


def test_an_option_that_is_given_goes_before_the_preset_and_both_before_the_users_default(bench: Workbench) -> None:
    (bench.root / "config" / "config.toml").write_text("[defaults]\nrounds = 4\ntimeout = 77\n", encoding="utf-8")
    given = DebateOptions(topic="It?", participants="ann,bob,cy", preset=Preset.QUICK, effort=Effort.MAX)
    request = app_with(bench).request(given)
    assert (request.rounds, request.effort, request.timeout_s) == (1, Effort.MAX, 77)
