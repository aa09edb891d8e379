"""Where the user's own files lie: as the given environment says, whatever that of this process does."""

import sys
from pathlib import Path

import pytest

from sparring.errors import SettingsError
from sparring.settings import Settings


@pytest.mark.skipif(sys.platform != "linux", reason="other systems keep them elsewhere")
@pytest.mark.parametrize(
    ("environment", "providers", "private"),
    [
        ({"HOME": "/home/a"}, "/home/a/.config/sparring/providers", "/home/a/.cache/sparring"),
        ({"HOME": "/home/a", "XDG_CONFIG_HOME": "/c", "XDG_CACHE_HOME": "/d"}, "/c/sparring/providers", "/d/sparring"),
        ({"HOME": "/home/a", "XDG_CACHE_HOME": "d"}, "/home/a/.config/sparring/providers", "/home/a/.cache/sparring"),
        ({"HOME": "/home/a", "SPARRING_CONFIG_DIR": "/e"}, "/e/providers", "/home/a/.cache/sparring"),
    ],
)
def test_the_users_folders_are_those_of_the_environment(
    environment: dict[str, str], providers: str, private: str
) -> None:
    settings = Settings(environment, Path("/work"), Path(providers), Path(private))
    assert Settings.read(environment, Path("/work")) == settings


def test_without_a_home_in_the_environment_it_is_the_registered_one_and_what_is_not_certain_is_refused() -> None:
    assert Settings.read({}, Path("/work")).private_dir.is_absolute()
    for environment, cwd in (({"SPARRING_CONFIG_DIR": "config"}, Path("/work")), ({}, None)):
        with pytest.raises(SettingsError):
            Settings.read(environment, cwd)
