"""Records in a state folder that decide something: they are signed when written, and only the user's own are read."""

from pathlib import Path
from typing import TypeVar

from sparring.errors import ForeignStateError
from sparring.schema.base import Record
from sparring.store.files import (
    RECORD_LIMIT,
    make_folder,
    parsed_record,
    read_bounded,
    record_parts,
    refuse_links,
    replace_file,
)
from sparring.store.provenance import OpenedRecord, Provenance

R = TypeVar("R", bound=Record)


class OwnRecords:
    """The deciding records of one user in one state folder.

    A code is bound to the path of a record below the folder, so that one record is never taken for another.

    Args:
        root: The state folder.
        provenance: Signs records, and verifies that this user wrote them.
    """

    def __init__(self, root: Path, provenance: Provenance) -> None:
        self._root = root
        self._provenance = provenance

    def read(self, path: Path, record_type: type[R]) -> R | None:
        """Return the record in ``path`` below the root; None where there is none, or it came with the project.

        Raises:
            StateCorruptError: The user's own is damaged, or a newer version wrote it.
            StateUnwritableError: It cannot be read.
        """
        opened = self._opened(path)
        if opened is None or self._provenance.foreign_reason(path, is_signed=opened.is_own):
            return None
        return parsed_record(path, opened.content, record_type)

    def foreign(self, path: Path) -> str:
        """Return why the record in ``path`` decides nothing, in a sentence; empty where it does, or there is none."""
        opened = self._opened(path)
        why = self._provenance.foreign_reason(path, is_signed=opened.is_own) if opened else ""
        return f"{path} {why}: it is not used." if why else ""

    def replace(self, path: Path, record: Record) -> None:
        """Sign ``record`` and replace ``path`` by it.

        Raises:
            ForeignStateError: The present file is not the user's own, and must not be overwritten.
            StateKeyError: There is no key to sign it with.
            StateUnwritableError: It cannot be written; the file is unchanged.
        """
        self._provenance.key.ensure()
        if problem := self.foreign(path):
            raise ForeignStateError(problem, hint="Move it away, or take it out of git with `git rm --cached`.")
        make_folder(path.parent)
        replace_file(path, self._provenance.key.sealed(self._kind(path), b"".join(record_parts(record))))

    def _kind(self, path: Path) -> str:
        return path.relative_to(self._root).as_posix()

    def _opened(self, path: Path) -> OpenedRecord | None:
        refuse_links(self._root, path.parent)
        content = read_bounded(path, RECORD_LIMIT)
        return None if content is None else self._provenance.key.opened(self._kind(path), content)
