"""What of a project everybody is shown before anybody speaks: looked for in the working tree, and made harmless."""

import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import anyio

from sparring.errors import StoreError
from sparring.providers.lookup.git import Git
from sparring.providers.lookup.working_tree import FILE_LIMIT, is_in_repository, list_files, without_debates
from sparring.seating.exhibits import Candidate, NamedPlace, choose, looked_into, places_named, symbols_named
from sparring.seating.seats import Gathered, Wish
from sparring.store.files import StateFolder
from sparring.store.hosts import EXHIBITS_FOLDER
from sparring.text.redaction import Redactor
from sparring.text.secret_shapes import may_hold_secrets

_LISTING_S = 20.0
_MOST_RANKED = 400
"""Files among which those are that are looked into."""

_CHANGED = 1.15
"""What a file that is being worked on counts for beside others."""


@dataclass(frozen=True)
class ExhibitSearch:
    """Where exhibits are looked for, and what takes the secrets out of them."""

    project: Path
    state: Path
    environment: Mapping[str, str]
    redactor: Redactor

    def gather(self, topic: str, wished: Wish, shown: frozenset[str], first_number: int) -> Gathered:
        """What bears on ``topic`` beside the files that are ``shown`` already."""
        paths, changed, refusal = anyio.run(self._listed)
        notices = (refusal,) if refusal else ()
        if not paths:
            return Gathered(notices=(*notices, *_nothing(wished)))
        named = [place for place in places_named(topic, paths) if place.path not in shown]
        from sparring.providers.lookup.term_index import rank  # noqa: PLC0415 -- only who debates a project needs it

        ranked = rank(
            self.project,
            tuple(without_debates(paths)),
            topic,
            index=self._index(),
            most=_MOST_RANKED,
            room=wished.size_bytes,
            redact=self._harmless,
        )
        scores = {
            path: value * (_CHANGED if path in changed else 1.0)
            for path, value in ranked.scores.items()
            if path not in shown
        }
        candidates = list(self._candidates(looked_into(scores), named))
        found = choose(candidates, ranked.query, symbols_named(topic), wished, first_number=first_number)
        notices += _nothing(wished) if not found else ()
        return Gathered(found, (*notices, *_left_out(ranked.secret if found else 0)))

    async def _listed(self) -> tuple[tuple[str, ...], frozenset[str], str]:
        """What files there are, which of them differ from the last commit, and why git is not asked if it is not."""
        paths = await list_files(self.project, self.environment, timeout_s=_LISTING_S)
        if not is_in_repository(self.project):
            return paths, frozenset(), ""
        git = Git(self.project, self.environment)
        return paths, await git.changed(timeout_s=_LISTING_S), await git.refusal()

    def _index(self) -> Path | None:
        """Where the index is kept; None where nothing can be."""
        folder = self.state / EXHIBITS_FOLDER
        with suppress(StoreError, OSError):
            state = StateFolder(self.state)
            state.ensure_writable(folder)
            state.hide_from_git(folder)
            return folder / "index.sqlite"
        return None

    def _harmless(self, text: str) -> str:
        return self.redactor.redact(text).text

    def _candidates(self, scores: Mapping[str, float], named: list[NamedPlace]) -> Iterator[Candidate]:
        """The files that may be shown, those first that are named; one whose secrets go over lines is none."""
        for path in dict.fromkeys((*(place.path for place in named), *scores)):
            text = _text(self.project / path)
            if text is None or may_hold_secrets(path):
                continue
            harmless = self._harmless(text)
            if harmless.count("\n") == text.count("\n"):
                lines = tuple((place.first or 1, place.last) for place in named if place.path == path)
                yield Candidate(path, harmless, scores.get(path, 0.0), lines)


def _text(file: Path) -> str | None:
    with suppress(OSError, ValueError):
        status = file.lstat()
        if stat.S_ISREG(status.st_mode) and status.st_size <= FILE_LIMIT:
            content = file.read_bytes()
            return None if b"\0" in content else content.decode("utf-8-sig").replace("\r\n", "\n")
    return None


def _nothing(wished: Wish) -> tuple[str, ...]:
    return ("No exhibits: nothing in this folder bears on the topic.",) if wished.is_explicit else ()


def _left_out(secret: int) -> tuple[str, ...]:
    if not secret:
        return ()
    files = "1 file that may hold secrets was" if secret == 1 else f"{secret:,} files that may hold secrets were"
    return (f"{files} left out of the exhibits.",)
