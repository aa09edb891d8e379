"""How debaters behave, as far as their words show it: what they give up, take back, agree to and applaud. Pure."""

from sparring.checks.conduct.conducting import Spoken, conduct
from sparring.checks.conduct.finding import concessions, withdrawals

__all__ = ["Spoken", "concessions", "conduct", "withdrawals"]
