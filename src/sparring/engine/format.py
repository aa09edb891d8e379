"""DECIDE: the rules of each kind of deliberation, as pure functions of the transcript.

A format does no I/O, keeps no state and never sees an exception. It may not know how an ask is put, where turns are
kept or who is watching. The same transcript always gives the same answer; that is why resuming a run is loading its
journal and asking again.
"""

from typing import Protocol

from sparring.engine.course import Asks
from sparring.schema.runs import Outcome
from sparring.schema.transcript import Transcript


class Format(Protocol):
    """The rules of one kind of deliberation."""

    def next(self, transcript: Transcript) -> Asks | Outcome:
        """What follows from everything said so far: more asks, or the end."""
        ...
