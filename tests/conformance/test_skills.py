"""The skills are portable, and every argument that they name is one of the program's."""

import re
from pathlib import Path

import pytest
import typer.main

from sparring.cli import app

SKILLS = sorted((Path(__file__).parents[2] / "skills").glob("*/SKILL.md"))


def front_matter(text: str) -> dict[str, str]:
    head = text.split("---\n")[1]
    return dict(re.findall(r"^([a-z-]+): ?(.*)$", head, re.MULTILINE))


@pytest.mark.parametrize("file", SKILLS, ids=lambda file: file.parent.name)
def test_a_skill_is_named_after_its_folder_and_says_when_to_use_it(file: Path) -> None:
    head = front_matter(file.read_text(encoding="utf-8"))
    assert head["name"] == file.parent.name
    assert re.fullmatch(r"[a-z0-9-]{1,64}", head["name"])
    assert "Use when" in head["description"]
    assert len(head["description"]) <= 1024


@pytest.mark.parametrize("file", SKILLS, ids=lambda file: file.parent.name)
def test_every_option_of_a_skill_is_one_of_the_command(file: Path) -> None:
    group = typer.main.get_command(app)
    command = group.commands[file.parent.name]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType] -- Typer types its groups as commands
    known = {option for parameter in command.params for option in parameter.opts}  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] -- the same
    named = set(re.findall(r"`(--[a-z-]+)", file.read_text(encoding="utf-8")))
    assert named
    assert named <= known
