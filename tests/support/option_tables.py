"""The tables of options that the documentation shows, made from what the formats declare (see ``plugin_files``)."""

import re
from collections.abc import Iterable
from pathlib import Path

from pydantic.fields import FieldInfo

from sparring.cli.batch import BATCH_OPTIONS
from sparring.cli.formats import CLI_SETTINGS, SHARED_HELP
from sparring.cli.runs import export_options
from sparring.formats.registry import FORMATS
from sparring.participants.options import Option, bounds_of, choices, flag, plain_default, plain_type, subject_of
from sparring.prompts.skills import SKILL_NAMES, format_of

ROOT = Path(__file__).parents[2]
OPTIONS = "docs/options.md"
_BY_DEFAULT = re.compile(r"\s*By default [^.]*\.(?= |$)")
"""Sentence of a help text that repeats the column of defaults."""
_SHARED, _BATCH = "shared", "batch"
_MARKED = re.compile(r"(<!-- options: ([a-z-]+) -->\n\n)(?:\|.*\n)+")


def tabled_files() -> dict[str, str]:
    """The text of every file that holds such a table, or the arguments in a line, by its path in the repository."""
    files = {f"skills/{name}/SKILL.md": _with_hint(f"skills/{name}/SKILL.md", format_of(name)) for name in SKILL_NAMES}
    text = (ROOT / OPTIONS).read_text(encoding="utf-8")
    return files | {OPTIONS: _MARKED.sub(lambda marked: marked[1] + _lines(_table(marked[2])), text)}


def _with_hint(path: str, name: str) -> str:
    text = (ROOT / path).read_text(encoding="utf-8")
    return re.sub(r"(?m)^  argument-hint: .*$", f'  argument-hint: "{_hint(name)}"', text, count=1)


def _lines(rows: list[str]) -> str:
    return "".join(f"{row}\n" for row in rows)


def _hint(name: str) -> str:
    """The arguments in one line, as a command line would show them."""
    kind = FORMATS[name].options
    fields: dict[str, FieldInfo] = kind.model_fields
    hinted = (f"[{_hinted(*item)}]" for item in fields.items() if Option.of(item[1]).is_hinted)
    return " ".join((f"<{subject_of(kind)}>", *hinted))


def _hinted(name: str, field: FieldInfo) -> str:
    option, typed = Option.of(field), Option.of(field).typed(name)[0]
    bounds, words = bounds_of(field), [word for word in choices(field) if word]
    value = (
        f"{bounds[0]}-{bounds[1]}" if bounds else "|".join(words) or option.value.replace("`", "").replace(", ", "|")
    )
    return typed if plain_type(field) is bool else f"{typed} {value or 'TEXT'}"


def _table(name: str) -> list[str]:
    rows = _rows()
    if name == _BATCH:
        said = [
            _row(help_, f"`{default}`" if isinstance(default, str) and default else _number(default), [option])
            for option, (default, help_) in BATCH_OPTIONS.items()
        ]
        return ["| option | meaning | default |", "|---|---|---|", *said]
    if name == _SHARED:
        said = [f"{_row(*told, flags)} {_listed(of)} |" for (told, of), flags in rows.items() if len(of) > 1]
        said += [f"{_row(help_, '', [shared])} all |" for shared, help_ in SHARED_HELP.items()]
        return ["| option | meaning | default | of |", "|---|---|---|---|", *said]
    said = [_row(*told, flags) for (told, of), flags in rows.items() if of == (name,)]
    said += [
        _row(help_, "", [option if option in CLI_SETTINGS else flag(option)])
        for option, (_, help_) in export_options(FORMATS[name]).items()
    ]
    return ["| option | meaning | default |", "|---|---|---|", *said]


def _number(default: object) -> str:
    return f"{default:,}" if isinstance(default, int) and default else ""


def _rows() -> dict[tuple[tuple[str, str], tuple[str, ...]], list[str]]:
    """Return equal rows of help, default and commands, with the flags that share them."""
    commands: dict[tuple[str, str, tuple[str, ...]], list[str]] = {}
    for name in FORMATS:
        fields: dict[str, FieldInfo] = FORMATS[name].options.model_fields
        for called, field in fields.items():
            option, default = Option.of(field), plain_default(field)
            if not option.is_subject:
                shown = f"`{default}`" if default and isinstance(default, str) else str(default or option.usual)
                commands.setdefault((option.help, shown, option.typed(called)), []).append(name)
    rows: dict[tuple[tuple[str, str], tuple[str, ...]], list[str]] = {}
    for (help_, shown, flags), of in commands.items():
        rows.setdefault(((help_, shown), tuple(of)), []).extend(flags)
    return rows


def _row(help_: str, default: str, flags: list[str]) -> str:
    meaning = _BY_DEFAULT.sub("", help_) if default else help_
    return f"| {_listed(flags)} | {meaning} |{f' {default} ' if default else ' '}|"


def _listed(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)
