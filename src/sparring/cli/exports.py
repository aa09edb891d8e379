"""How a command that begins a run hands it to other programs: what is typed for that, and what becomes of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sparring.cli.input import STDIN
from sparring.cli.invocation import invocation
from sparring.cli.printing import print_lines, say
from sparring.engine.format import Export, Format
from sparring.errors import UsageError
from sparring.schema.runs import Request, Run
from sparring.store.files import replace_file
from sparring.text.tidying import one_line

_STDOUT = STDIN
_SHOWN = 100


def export_options(format_: Format) -> dict[str, tuple[str, str]]:
    """What its command takes for that: what stands for the value of each option, and its help."""
    found: dict[str, tuple[str, str]] = {}
    for name, export in format_.exports.items():
        values = [each for each, other in format_.exports.items() if other.option == export.option]
        found[export.option] = ("FILE" if name == export.option else "|".join(values), export.help)
    return found


@dataclass(frozen=True)
class Handing:
    """What was typed: the file for each export, or that it takes the place of the report on standard output."""

    files: Mapping[str, Path] = field(default_factory=dict[str, Path])
    printed: str = ""
    exports: Mapping[str, Export] = field(default_factory=dict[str, Export])

    def check(self, request: Request) -> None:
        """Find out before anybody is asked whether all of it can be made and written; raises ``UsageError``."""
        for name in (*self.files, *filter(None, (self.printed,))):
            if why := self.exports[name].refused(request):
                raise UsageError(why)
        for path in self.files.values():
            if not path.parent.is_dir():
                raise UsageError(f"There is no folder {one_line(str(path.parent), _SHOWN)} to write to.")
            if path.is_dir():
                raise UsageError(f"{one_line(str(path), _SHOWN)} is a folder; name a file.")

    def print(self, run: Run) -> bool:
        """Print what takes the place of the report; whether there is anything that does."""
        if self.printed:
            print_lines(self.exports[self.printed].text(run))
        return bool(self.printed)

    def write(self, run: Run) -> None:
        """Write the files."""
        for name, path in self.files.items():
            replace_file(path, self.exports[name].text(run).encode())
            say(f"{name} written to {path}")


NOTHING_HANDED = Handing()


def handing_of(format_: Format, typed: Mapping[str, Any], *, as_json: bool) -> Handing:
    """What was typed; raises ``UsageError`` where two things are to be printed, or nobody knows one."""
    files, printed = dict[str, Path](), list[str]()
    for option, value in typed.items():
        if not value:
            continue
        if option not in format_.exports:
            printed.append(_known(format_, option, value))
        elif value == _STDOUT:
            printed.append(option)
        else:
            files[option] = invocation().path(value)
    if len(printed) + as_json > 1:
        raise UsageError("Only one thing can be printed.", hint="Leave out --json, or write to a file.")
    return Handing(files, next(iter(printed), ""), format_.exports)


def _known(format_: Format, option: str, value: str) -> str:
    names = [name for name, export in format_.exports.items() if export.option == option]
    if value not in names:
        raise UsageError(f"--{option} must be one of {', '.join(names)}; it is {one_line(repr(value), _SHOWN)}.")
    return value
