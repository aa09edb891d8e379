"""The journal of a run that somebody else writes, read as it grows: nothing is locked and nothing changed."""

from dataclasses import dataclass
from pathlib import Path

from sparring.errors import StateCorruptError
from sparring.schema.runs import RunHeader
from sparring.schema.transcript import Turn
from sparring.store.journal import is_locked, journal_stream, untrusted
from sparring.store.lines import Defect, EndLine, Link, StartLine, TurnLine, placed, unseal

LOOK_EVERY_S = 0.5
"""Seconds between two looks at a journal."""

_LOOKS_PER_LOOK_AT_THE_LOCK = 4
"""Whether anybody works on the run is asked less often: it means to take the lock for an instant."""


class JournalFollower:
    """Reads on where it stopped. A last line that has no end yet is left for the next time.

    Attributes:
        header: What is held; None before the first line was written.
        is_over: Whether the end of the run has been read.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.header: RunHeader | None = None
        self.is_over = False
        self._link = Link()
        self._read = 0

    def turns(self) -> tuple[Turn, ...]:
        """What has been said since the last time, in the order in which it was written down.

        Raises:
            StateCorruptError: A line is not as it was written, or there is no journal any more.
            StateUnwritableError: It cannot be read.
        """
        found = list[Turn]()
        with journal_stream(self.folder) as stream:
            stream.seek(self._read)
            for content in stream:
                if not content.endswith(b"\n"):
                    break  # it is being written at this moment, or was torn and will be set aside
                sealed = unseal(content, self._link)
                if isinstance(sealed, str):
                    # After a power cut the end of a line can be on disk and its middle not.
                    if sealed is Defect.NOT_JSON and not stream.read(1):
                        break
                    raise untrusted(self.folder, self._link.seq + 1, sealed)
                self._link, self._read = sealed.following, self._read + len(content)
                match sealed.line:
                    case StartLine():
                        self.header = sealed.line.body
                    case TurnLine():
                        found.append(self._placed(sealed.line.body.turn))
                    case EndLine():
                        self.is_over = True
                    case _:
                        pass
        return tuple(found)

    def _placed(self, turn: Turn) -> Turn:
        if self.header is None:
            raise StateCorruptError(f"{self.folder} holds a journal that has no beginning.")
        return placed(turn, self.header)


@dataclass(frozen=True)
class News:
    """What a look at a run has found.

    Attributes:
        turns: What has been said since the last look.
        is_over: Whether no more is to come: the run has ended, or nobody works on it any more.
    """

    turns: tuple[Turn, ...]
    is_over: bool


class Watching:
    """A run that somebody else may be at work on, looked at again and again."""

    def __init__(self, folder: Path) -> None:
        self._follower = JournalFollower(folder)
        self._looks = 0

    def look(self) -> News:
        """What is new; raises as ``JournalFollower.turns`` does."""
        # Before reading: what was written until then is read.
        is_asked = self._looks % _LOOKS_PER_LOOK_AT_THE_LOCK == 0
        rests = is_asked and not is_locked(self._follower.folder)
        turns = self._follower.turns()
        self._looks = 0 if turns else self._looks + 1
        return News(turns, is_over=self._follower.is_over or (rests and not turns))
