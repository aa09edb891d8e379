"""Number of examples of a property where each costs a whole run."""

from hypothesis import settings

_EACH_TIME = 50
_wished = settings().max_examples

costly = settings(max_examples=_wished // 3 if _wished <= _EACH_TIME else _wished)
"""A third in the profiles that a change must pass, and as many as of any other property in those that search."""
