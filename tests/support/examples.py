"""Number of examples of a property where each costs a whole run."""

from hypothesis import settings

_QUICK, _ENOUGH = 25, 8
_wished = settings().max_examples

costly = settings(max_examples=_ENOUGH if _wished <= _QUICK else _wished)
"""A few in the quick profile, and as many as of any other property in the longer ones."""
