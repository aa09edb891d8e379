"""The table of arguments that a skill has, read the way a person reads it."""

import re
from dataclasses import dataclass

from sparring.prompts.skills import Skill

COLUMNS = ("flag", "parameter", "value", "default", "in words")


@dataclass(frozen=True)
class Row:
    """One argument. ``flag`` is empty for what the skill is about, ``default`` where there is none."""

    flag: str
    parameter: str
    value: str
    default: str
    words: str

    @property
    def range(self) -> tuple[int, int] | None:
        """The numbers that it may be, if it is one of few."""
        found = re.fullmatch(r"(\d+) to (\d+)", self.value)
        return (int(found[1]), int(found[2])) if found else None

    @property
    def choices(self) -> tuple[str, ...]:
        """The words that it may be, if it is one of some."""
        return tuple(re.findall(r"`([^`]+)`", self.value))

    @property
    def examples(self) -> tuple[str, ...]:
        """What words of a user come to: ``"quick" = 1``."""
        return tuple(re.findall(r'"[^"]+" = ([\w-]+)', self.words))

    def admits(self, value: str) -> bool:
        """Whether ``value`` is one that the table allows."""
        if self.range:
            return value.isdecimal() and self.range[0] <= int(value) <= self.range[1]
        if self.value in {"SECONDS", "MINUTES"}:
            return value.isdecimal()
        return value in self.choices if self.choices else True


def table(skill: Skill) -> tuple[Row, ...]:
    """The rows of its table."""
    lines = [line for line in skill.body.splitlines() if line.startswith("|")]
    cells = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines]
    assert cells[0] == COLUMNS
    assert set(cells[1]) == {"---"}
    return tuple(_row(*row) for row in cells[2:])


def _row(flag: str, parameter: str, value: str, default: str, words: str) -> Row:
    plain = {"-": ""}
    return Row(
        plain.get(flag, flag.strip("`")), parameter.strip("`"), value, plain.get(default, default.strip("`")), words
    )


def section(skill: Skill, title: str) -> str:
    """What stands below a heading that begins so, down to the next."""
    found = re.search(rf"^## {re.escape(title)}.*?\n(.*?)(?=^## |\Z)", skill.body, re.MULTILINE | re.DOTALL)
    assert found, f"{skill.name} has no section {title}"
    return found[1]


def commands(text: str) -> tuple[str, ...]:
    """The commands in its fence of shell, each with the text that it is given."""
    fences = re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return tuple(
        command for fence in fences for command in re.findall(r"^sparring .*?(?=^sparring |\Z)", fence, re.M | re.S)
    )
