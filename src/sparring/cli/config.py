"""``sparring config``: what the user has set once for every run."""

import json

import typer
from pydantic import BaseModel, JsonValue

from sparring.app.configuration import Configuration, refuse_unknown
from sparring.cli.invocation import invocation
from sparring.cli.printing import print_json, print_lines, reporting_errors, say
from sparring.errors import ExitCode
from sparring.store.hosts import project_root


class Configured(BaseModel):
    """What ``sparring config show --json`` prints."""

    file: str
    defaults: dict[str, JsonValue]


def _configuration() -> Configuration:
    settings = invocation().settings()
    found = Configuration.of(settings, project_root(settings.cwd, settings.environment))
    if not found.is_read:
        say(f"[WARN] {found.file} lies in the project under work, and is not read.")
    return found


def show_path() -> None:
    """``sparring config path``."""
    with reporting_errors(as_json=False):
        print_lines(f"{_configuration().file}\n")


def show_all(*, as_json: bool) -> None:
    """``sparring config show``."""
    with reporting_errors(as_json=as_json):
        found = _configuration()
        defaults = found.checked()
        if as_json:
            print_json(Configured(file=str(found.file), defaults=defaults))
        elif defaults:
            print_lines("".join(f"{key} = {_written(value)}\n" for key, value in defaults.items()))
        else:
            say(f"No defaults are set in {found.file}. Set one: sparring config set effort high")


def show_value(key: str) -> None:
    """``sparring config get``: the value and nothing else; exit code 1 where none is set."""
    with reporting_errors(as_json=False):
        refuse_unknown(key)
        kind, dot, option = key.rpartition(".")
        key = f"{kind}{dot}{option.replace('-', '_')}"
        defaults = _configuration().checked()
        if key not in defaults:
            say(f"{key} is not set.")
            raise typer.Exit(ExitCode.FAILED)
        value = defaults[key]
        print_lines(f"{value if isinstance(value, str) else _written(value)}\n")


def set_value(key: str, value: str) -> None:
    """``sparring config set``."""
    with reporting_errors(as_json=False):
        found = _configuration()
        say(f"{key} = {_written(found.set(key, value))} in {found.file}")


def unset_value(key: str) -> None:
    """``sparring config unset``."""
    with reporting_errors(as_json=False):
        say(f"{key} is unset." if _configuration().unset(key) else f"{key} was not set.")


def _written(value: JsonValue) -> str:
    """A value as TOML and JSON alike write it."""
    return json.dumps(value, ensure_ascii=False)
