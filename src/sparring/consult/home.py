"""Where the user's own files are, as the programs that we start would look for them."""

import os
from collections.abc import Mapping
from pathlib import Path


def home_folder(environment: Mapping[str, str]) -> Path:
    """The home folder that ``environment`` names, else the one that the system knows; need not exist. Never raises."""
    return Path(environment.get("HOME") or os.path.expanduser("~"))  # noqa: PTH111 - Path.home() may raise
