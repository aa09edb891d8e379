"""The journal of a run that another process writes, read as it grows: nothing is locked and nothing changed."""

from datetime import datetime
from pathlib import Path

from msgspec import Struct

from sparring.schema.transcript import Placed, Turn
from sparring.store.journal import journal_stream, lines_in
from sparring.store.lines import AskedLine, EndLine, Link, TurnLine
from sparring.store.run_lock import is_locked

LOOK_EVERY_S = 0.5
"""Seconds between two looks at a journal."""

_LOOKS_PER_LOOK_AT_THE_LOCK = 4
"""Number of looks per check of the run's lock, since a check takes the lock for an instant."""


class Waiting(Struct, frozen=True):
    """An ask that has no answer yet.

    Attributes:
        since: Time at which it was sent.
    """

    place: Placed
    since: datetime


class RunNews(Struct, frozen=True):
    """New events of a run since the last look.

    Attributes:
        turns: New turns, in the order in which they were recorded.
        is_over: Whether no more can follow: the run has ended, or no process works on it any more.
        waiting: Asks that have no answer yet, oldest first.
    """

    turns: tuple[Turn, ...]
    is_over: bool
    waiting: tuple[Waiting, ...] = ()


class RunWatcher:
    """A run that another process may be working on, polled for news.

    Each look continues where the last one stopped. A last line without an end is left for the next look: it is being
    written at this moment, or was torn and will be set aside.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._looks = 0
        self._has_ended = False
        self._waiting = dict[str, Waiting]()
        self._link = Link()
        self._read = 0

    def read_new_turns(self) -> RunNews:
        """Return the turns that are new.

        Raises:
            StateCorruptError: A line is not as it was written, or there is no journal any more.
            StateUnwritableError: It cannot be read.
        """
        # Before reading: all lines written until then are read.
        is_asked = self._looks % _LOOKS_PER_LOOK_AT_THE_LOCK == 0
        rests = is_asked and not is_locked(self._folder)
        turns = self._turns()
        self._looks = 0 if turns else self._looks + 1
        is_over = self._has_ended or (rests and not turns)
        return RunNews(turns, is_over, () if is_over else tuple(self._waiting.values()))

    def _turns(self) -> tuple[Turn, ...]:
        turns = list[Turn]()
        with journal_stream(self._folder) as stream:
            stream.seek(self._read)
            for each in lines_in(stream, self._folder, self._link):
                if isinstance(each, bytes):
                    break
                self._link, self._read = each.following, self._read + len(each.content)
                match each.line:
                    case AskedLine():
                        self._waiting |= {ask.ask_id: Waiting(ask.place, each.line.at) for ask in each.line.body.asks}
                    case TurnLine():
                        turns.append(each.line.body.turn)
                        self._waiting.pop(each.line.body.turn.ask_id, None)
                    case EndLine():
                        self._has_ended = True
                    case _:
                        pass
        return tuple(turns)
