"""Read files of a project that somebody, perhaps a model, has named."""

from functools import lru_cache
from pathlib import Path

from sparring.text.secret_files import may_hold_secrets

_CITED_FILE_LIMIT = 8 * 1024 * 1024


class SpelledFiles:
    """The files of a project by their names exactly as they are spelled, also where the disk does not care.

    What may hold secrets, be it behind a link, is not read.
    """

    def __init__(self, project: Path) -> None:
        self._project = project.resolve()
        self._names_in = lru_cache(maxsize=None)(_names_in)

    def read(self, path: str) -> str | None:
        """The text of the file at ``path`` from the root, with slashes; None if there is none of that name."""
        if not self._is_spelled_so(path):
            return None
        try:
            resolved = (self._project / path).resolve()
            if not resolved.is_relative_to(self._project) or may_hold_secrets(path):
                return None
            is_secret = may_hold_secrets(resolved.relative_to(self._project).as_posix())
            return None if is_secret else _text(resolved)
        except (OSError, RuntimeError, ValueError):
            return None

    def _is_spelled_so(self, path: str) -> bool:
        folder = self._project
        for part in path.split("/"):
            if part in ("", ".", "..") or part not in self._names_in(folder):
                return False
            folder /= part
        return True


def _text(file: Path) -> str | None:
    if not file.is_file():
        return None
    with file.open("rb") as stream:
        return stream.read(_CITED_FILE_LIMIT).decode("utf-8", errors="replace")


def _names_in(folder: Path) -> frozenset[str]:
    try:
        return frozenset(file.name for file in folder.iterdir())
    except (OSError, ValueError):
        return frozenset()
