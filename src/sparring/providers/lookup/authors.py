"""What a repository says of who has written its files: in its attributes, and in the files' first lines."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sparring.providers.lookup.git import Git
from sparring.providers.lookup.repository import Repository
from sparring.text.authorship import GENERATED, GENERATED_MARKS, HEAD, VENDORED, says_generated

_LOOKING_S = 20.0
_ANSWER_LIMIT = 16 * 1024 * 1024
_UNSAID = "unspecified"
_MOST_NAMES = 100

Attributes = Mapping[str, Mapping[str, str]]
"""Of each file, what is said of it."""


@dataclass(frozen=True)
class Authors:
    """git, asked who has written the files of one project; where it does not answer, nothing is known."""

    git: Git
    repository: Repository

    async def attributes(self, paths: Collection[str]) -> Attributes:
        """The attributes of ``paths`` that say who wrote them, as far as there are any."""
        asked = "".join(f"{path}\0" for path in paths)
        fields = (await self._answer("check-attr", "--stdin", "-z", GENERATED, VENDORED, said=asked)).split("\0")
        found = defaultdict[str, dict[str, str]](dict)
        for path, name, value in zip(fields[::3], fields[1::3], fields[2::3], strict=False):
            if value != _UNSAID:
                found[path][name] = value
        return dict(found)

    async def marked(self, where: Sequence[str], paths: Sequence[str]) -> frozenset[str]:
        """Those of ``paths`` in whose first lines it stands that they are generated; ``where``: as git is told it."""
        patterns = [word for mark in GENERATED_MARKS for word in ("-e", mark)]
        found = set[str]()
        for begin in range(0, len(paths), _MOST_NAMES):
            names = paths[begin : begin + _MOST_NAMES]
            options = ("-z", "-n", "-I", "-E", "--no-color", *patterns, *where)
            said = await self._answer("--literal-pathspecs", "grep", *options, "--", *names)
            prefix = "" if not where or where[0].startswith("-") else f"{where[0]}:"
            found |= {
                path.removeprefix(prefix)
                for path, number, line in _lines_found(said)
                if number <= HEAD and says_generated([line])
            }
        return frozenset(found)

    async def _answer(self, *arguments: str, said: str = "") -> str:
        finished = await self.git.run(self.repository, *arguments, timeout_s=_LOOKING_S, limit=_ANSWER_LIMIT, said=said)
        return finished.stdout if finished.exit_code == 0 and not finished.overflowed else ""


def _lines_found(said: str) -> Iterator[tuple[str, int, str]]:
    """What ``grep -z -n`` says: name, number and line, separated by NUL."""
    for row in said.split("\n"):
        path, _, rest = row.partition("\0")
        number, _, line = rest.partition("\0")
        if number.isascii() and number.isdigit():
            yield path, int(number[:9]), line
