"""What the fields of options are for doors that read words."""

from enum import StrEnum
from typing import Annotated, ClassVar

import pytest
from pydantic import Field, ValidationError

from sparring.participants import options
from sparring.participants.options import Option, Options, subject_of
from sparring.schema.base import Effort, Participant
from sparring.schema.runs import Request
from support.sixth.records import PollOptions, PollRequest


class Shade(StrEnum):
    LIGHT = "light"
    DARK = "dark"


Few = Annotated[int, Field(ge=1, le=3)]


class Paint(Options[Request]):
    format: ClassVar[str] = "paint"

    wall: Annotated[str, Option("Which wall.", is_subject=True)]
    note: Annotated[str, Option("A note.")] = ""
    shade: Annotated[Shade, Option("How dark.")] = Shade.DARK
    second: Annotated[Shade | None, Option("The other one.")] = None
    coats: Annotated[Few, Option("How many coats.")] = 2
    most: Annotated[Few | None, Option("At the most.")] = None
    hours: Annotated[float, Option("How long.")] = 4.0


FIELDS = Paint.model_fields


def test_options_expose_types_defaults_texts_and_bounds() -> None:
    shades, few = ("light", "dark"), (1, 3)
    asked = (options.plain_type, options.plain_default, options.choices, options.bounds_of, options.range_of)
    seen = {name: tuple(ask(field) for ask in asked) for name, field in FIELDS.items() if name != "wall"}
    assert seen == {
        "note": (str, "", (), None, None),
        "shade": (str, "dark", shades, None, None),
        "second": (str, None, ("", *shades), None, None),
        "coats": (int, 2, (), few, few),
        "most": (int, None, (), few, None),  # what may be left out is bounded by whoever fills it in
        "hours": (float, 4, (), None, None),
    }
    assert subject_of(Paint) == "wall"


def test_an_empty_value_counts_as_absent_except_for_texts() -> None:
    said = {"wall": "", "note": "", "shade": "", "second": "", "most": ""}
    assert Paint.model_validate(said) == Paint(wall="")


def test_a_request_has_the_choices_of_its_options_and_no_text_that_was_not_completed() -> None:
    voters = {role: Participant(tool="ann") for role in ("first", "second")}
    asked = PollOptions(topic="The key is sk-1.", effort=Effort.HIGH)
    assert asked.as_request(PollRequest, topic="Safe?", **voters).effort is Effort.HIGH
    with pytest.raises(ValidationError):
        asked.as_request(PollRequest, **voters)
