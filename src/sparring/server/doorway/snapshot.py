"""What the SDK answers to requests that nothing but the installed version decides, written down when we were built.

The file is made by ``python -m sparring.server.snapshot``; a test compares it with the SDK.
"""

import json
import os
import sys
from collections.abc import Mapping
from typing import Any

FILE = os.path.join(os.path.dirname(__file__), "snapshot.json")  # noqa: PTH118, PTH120 -- pathlib is slow to import

Result = dict[str, Any]


class Snapshot:
    """Results by protocol revision and method."""

    def __init__(self, recorded: Mapping[str, Any]) -> None:
        self.fallback: str = recorded["fallback"]
        """The revision that answers ``initialize`` with an unknown one."""
        self.modern: str = recorded["modern"]
        """The revision without a handshake."""
        self._results: dict[str, dict[str, Result]] = {}
        for answer in recorded["answers"]:
            for version in answer["versions"]:
                self._results.setdefault(version, {})[answer["method"]] = answer["result"]

    def negotiated(self, offered: str) -> str:
        """The revision that a handshake which offers ``offered`` agrees on."""
        return offered if "initialize" in self._results.get(offered, {}) else self.fallback

    def result(self, version: str, method: str) -> Result | None:
        """What the SDK answers to the plain request, if that is a result and known."""
        return self._results[version].get(method)


def load(file: str = FILE) -> Snapshot | None:
    """The snapshot, if it was made of what is installed; else nothing can be said before the SDK is there."""
    try:
        with open(file, encoding="utf-8") as stream:  # noqa: PTH123 -- the same
            recorded = json.load(stream)
    except (OSError, ValueError):
        return None
    made_of: dict[str, str] = recorded["made_of"]
    return Snapshot(recorded) if all(_installed(name, version) for name, version in made_of.items()) else None


def _installed(distribution: str, version: str) -> bool:
    """Whether Python would import that version; ``importlib.metadata`` takes longer to import than all of this."""
    described = f"{distribution}-{version}.dist-info"
    if distribution == __name__.partition(".")[0]:  # a checkout lies elsewhere than what describes it
        return any(_stands(folder, described) for folder in sys.path)
    imported = next((folder for folder in sys.path if _stands(folder, distribution, "__init__.py")), None)
    return imported is not None and _stands(imported, described)


def _stands(*path: str) -> bool:
    return os.path.exists(os.path.join(*path))  # noqa: PTH110, PTH118 -- the same
