"""Many juries: a table of pairs (``table``), judged row by row and never twice (``judging``)."""

from sparring.app.pairs.judging import MOST_AT_ONCE, Batch, PairJury
from sparring.app.pairs.table import read_pairs

__all__ = ["MOST_AT_ONCE", "Batch", "PairJury", "read_pairs"]
