"""What everybody was shown, as a speech cites it: ``E3``, ``E3:12``, ``E3:10-14``; ``diff:12`` for what is no file."""

import re
from collections.abc import Sequence

from sparring.checks.citations.syntax import LINES_CITED
from sparring.checks.citations.tree import SourceText
from sparring.schema.consultation import Exhibit

_PLAIN_NAME = re.compile(r"[A-Za-z][\w -]{0,40}")
"""Such a name is none of a file that a citation could mean."""


class ShownExhibits:
    """The exhibits of a run, by whatever a citation calls them.

    Attributes:
        pattern: How they are cited; None where there are none, so that nothing that looks so is a citation.
    """

    def __init__(self, exhibits: Sequence[Exhibit]) -> None:
        self._by_name = {each.path: each for each in exhibits if _PLAIN_NAME.fullmatch(each.path)}
        self._by_name |= {f"E{each.number}": each for each in exhibits}
        names = "|".join(re.escape(each.path) for each in exhibits if _PLAIN_NAME.fullmatch(each.path))
        called = rf"E\d{{1,3}}|(?:{names})(?=:\d|\#L\d)" if names else r"E\d{1,3}"
        cited = rf"(?<![\w/.#])(?P<path>{called})(?:{LINES_CITED})?(?!\w|[./]\w)"
        self.pattern = re.compile(cited) if exhibits else None

    def find(self, path: str) -> Exhibit | None:
        """The exhibit that is called so."""
        return self._by_name.get(path)

    def source(self, path: str) -> SourceText | None:
        """The text of the exhibit that is called so, each line under the number that it has in its file."""
        found = self.find(path)
        return SourceText("\n" * (found.first - 1) + found.text) if found else None
