"""Whether a provider can be asked here, found out without asking it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sparring.consult.process import find_program
from sparring.schema.providers import CliProvider, ProviderSpec, ScriptedProvider


@dataclass(frozen=True)
class Available:
    """The provider can be asked. ``location`` is its program or script, if it has one."""

    location: Path | None = None


@dataclass(frozen=True)
class Missing:
    """The provider cannot be asked, and what to do about it."""

    reason: str
    hint: str


def availability(spec: ProviderSpec, environment: Mapping[str, str]) -> Available | Missing:
    """Whether the provider is installed here. Nothing is started."""
    if isinstance(spec, CliProvider):
        program = find_program(spec.command.program, environment.get("PATH"))
        if program is None:
            return Missing(f"{spec.title} is not installed: no `{spec.command.program}` on PATH.", spec.install)
        return Available(Path(program))
    if isinstance(spec, ScriptedProvider):
        if spec.script is None:
            return Missing(f"{spec.name} has no script.", spec.install)
        if not spec.script.is_file():
            return Missing(f"The script of {spec.name} is not there: {spec.script}.", "Write it, or correct its path.")
        return Available(spec.script)
    return Available()
