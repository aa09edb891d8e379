"""What installations of this user have made and written, so that all of it, and nothing else, can be taken out again.

An empty folder that was there before stays, and a skill that nobody has touched since needs no copy when a newer one
takes its place; without this record nobody could tell.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError

from sparring.errors import ConfigurationError
from sparring.schema.base import SCHEMA_VERSION, Record

NAME = "installed.json"


class Receipt(Record):
    """Files and folders, as absolute paths.

    Attributes:
        made: What was not there before.
        written: The SHA-256 of each skill and command, as it was written.
    """

    schema_version: int = SCHEMA_VERSION
    made: tuple[str, ...] = ()
    written: Mapping[str, str] = {}

    def has_made(self, path: Path) -> bool:
        """Whether ``path`` was not there before."""
        return str(path) in self.made

    def has_written(self, path: Path, content: bytes) -> bool:
        """Whether ``content`` is what was written to ``path``."""
        return self.written.get(str(path)) == _digest(content)

    def with_made(self, paths: frozenset[Path], written: Mapping[Path, bytes]) -> "Receipt":
        """This record and ``paths``, which are new, and what is ``written``."""
        digests = {str(path): _digest(content) for path, content in written.items()}
        made = {*self.made, *map(str, paths)}
        return Receipt(made=tuple(sorted(made)), written={**self.written, **digests})

    def of_what_is_there(self) -> "Receipt":
        """This record without what is gone."""
        made = tuple(path for path in self.made if Path(path).exists())
        return Receipt(made=made, written={path: code for path, code in self.written.items() if Path(path).exists()})


def read_receipt(folder: Path) -> Receipt:
    """What was made and not taken out again; nothing if there is no record.

    Raises:
        ConfigurationError: It cannot be read.
    """
    path = folder / NAME
    try:
        return Receipt.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return Receipt()
    except (OSError, ValidationError) as error:
        raise ConfigurationError(
            f"{path} cannot be read. Nothing was changed anywhere.", hint="Move it away, then try again."
        ) from error


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
