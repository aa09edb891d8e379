"""Commits as people spell them, looked up without git's own references, which may lead anywhere.

The name is looked up among the files of the repository; what follows it (``~2``, ``^``) git is asked by way of its
standard input, beginning with a hash.
"""

import re
from dataclasses import dataclass

from sparring.errors import UsageError
from sparring.providers.lookup.git import Git
from sparring.providers.lookup.repository import Repository
from sparring.text.tidying import one_line

_LOOKING_S = 20.0
_SPELLED = re.compile(
    r"(?P<name>[^\s~^:?*\[\\\x00-\x20\x7f-]?[^\s~^:?*\[\\\x00-\x20\x7f]*)(?P<steps>(?:[~^][0-9]{0,6})*)"
)
_SHORT_HASH = re.compile(r"[0-9a-f]{4,64}")
_RANGE = re.compile(r"(?P<base>[^.](?:[^.]|\.(?!\.))*|)(?P<dots>\.{2,3})(?P<head>[^./].*|)", re.DOTALL)
_SHOWN = 120


@dataclass(frozen=True)
class Range:
    """Two commits as they were spelled. ``is_since_fork``: what the second has done since it left the first."""

    base: str
    head: str
    is_since_fork: bool


def range_of(spelled: str) -> Range | None:
    """What ``A..B`` or ``A...B`` names, HEAD where nothing stands; None if it is no such thing."""
    found = _RANGE.fullmatch(spelled)
    if found is None or not (found["base"] or found["head"]):
        return None
    return Range(found["base"] or "HEAD", found["head"] or "HEAD", found["dots"] == "...")


@dataclass(frozen=True)
class Revisions:
    """The commits of one repository."""

    git: Git
    repository: Repository

    async def find(self, spelled: str) -> str | None:
        """The hash of the commit that ``spelled`` names; None if there is none."""
        found = _SPELLED.fullmatch(spelled)
        if found is None or not found["name"]:
            return None
        name = "HEAD" if found["name"] == "@" else found["name"]
        known = self.repository.reference(name) or (name if _SHORT_HASH.fullmatch(name) else None)
        if known is None:
            return None
        said = await self._answer("cat-file", "--batch-check", said=f"{known}{found['steps']}^{{commit}}\n")
        kind = said.split()
        return kind[0] if kind[1:2] == ["commit"] else None

    async def needed(self, spelled: str, kind: str = "commit") -> str:
        """The hash of the commit that ``spelled`` names; raises ``UsageError`` that there is no such ``kind``."""
        found = await self.find(spelled)
        if found is not None:
            return found
        shown = one_line(repr(spelled), _SHOWN)
        if "@{" in spelled:
            raise UsageError(
                f"{shown} names a commit by the log of a branch, which is not read.", hint="Name its hash."
            )
        raise UsageError(f"There is no {kind} {shown} here.", hint=self._how_to_get_more())

    async def fork(self, base: str, head: str) -> str:
        """The last commit that two of them have in common; raises ``UsageError`` if there is none."""
        found = (await self._answer("merge-base", base, head)).strip()
        if not found:
            raise UsageError("The two commits have no history in common.", hint=self._how_to_get_more())
        return found

    def _how_to_get_more(self) -> str:
        """What to do where the history is cut off."""
        is_shallow = self.repository.is_shallow
        return "Only a part of the history is here; `git fetch --unshallow` gets the rest." if is_shallow else ""

    async def _answer(self, *arguments: str, said: str = "") -> str:
        """What git says; nothing where it finds nothing."""
        finished = await self.git.run(self.repository, *arguments, timeout_s=_LOOKING_S, said=said)
        return finished.stdout if finished.exit_code == 0 else ""
