"""What wishes are completed with."""

from dataclasses import dataclass

from sparring.app.place import Place
from sparring.app.roster import Roster
from sparring.settings import Settings


@dataclass(frozen=True)
class Desk:
    """Where wishes become requests: who can be asked, and where we are."""

    roster: Roster
    place: Place
    settings: Settings
