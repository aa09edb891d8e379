"""Claims held against evidence in another language."""

from sparring.checks.claims.crossing.deciding import Crossing

__all__ = ["Crossing"]
