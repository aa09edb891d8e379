"""Take out of a speech who made it, for a judge who is to see "Side A" and "Side B" and no tool's name.

Code, paths and addresses stay as they are: a masked citation could not be looked up any more.
"""

import re
from collections.abc import Iterator, Mapping

from sparring.formats.debate.rewriting import Rewritten, rewritten
from sparring.text.fences import FENCE


class Mask:
    """Replaces names, as whole words in any letter case, by what stands for them."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = {name.lower(): stand_in for name, stand_in in names.items()}
        longest_first = sorted(self._names, key=len, reverse=True)
        self._pattern = _pattern(longest_first) if longest_first else None

    def masked(self, text: str) -> Rewritten:
        """``text`` without the names."""
        return rewritten(
            text, ((start, end, self._names[text[start:end].lower()]) for start, end in self._places(text))
        )

    def _places(self, text: str) -> Iterator[tuple[int, int]]:
        """Where names stand outside fenced code, code spans, paths and addresses.

        A fence that is never closed hides nothing: else one line of backticks would lift the mask from all below it.
        """
        position, fence = 0, ""
        fenced: list[tuple[int, int]] = []
        for line in text.split("\n"):
            mark = FENCE.match(line)
            if fence and mark and mark[1].startswith(fence):
                fence = ""
                fenced.clear()
            elif fence:
                fenced.extend(self._named(line, position))
            elif mark and "`" not in line[mark.end() :]:
                fence = mark[1]
            else:
                yield from self._named(line, position)
            position += len(line) + 1
        yield from fenced

    def _named(self, line: str, position: int) -> Iterator[tuple[int, int]]:
        """Where names stand in a line that begins at ``position``."""
        for found in self._pattern.finditer(line) if self._pattern else ():
            if found["name"]:
                yield position + found.start(), position + found.end()


def is_named(name: str, text: str) -> bool:
    """Whether ``text`` speaks of ``name``, be it in code."""
    return re.search(rf"(?<!\w)(?ai:{re.escape(name)})(?!\w)", text) is not None


def _pattern(names: list[str]) -> re.Pattern[str]:
    """A code span, which is passed over, or one of ``names``; each run of backticks is tried once.

    Letter case is ignored in ASCII only: a long s would match an s, and be no name when it is looked up.
    """
    words = "|".join(re.escape(name) for name in names)
    return re.compile(rf"(?<!`)`++[^`]*+`++|(?<![\w./-])(?P<name>(?ai:{words}))(?![\w/@-]|\.\w)")
