"""The jury on one claim and its truth (specification: seed 001; design: Jury).

Reading order: ``case`` searches and compares the two texts; ``statements`` reads what the three voices say; ``verdict``
holds the judge's answer against the texts; ``asks`` words the prompts; ``rules`` is the course, and how it ends.
"""

from sparring.formats.jury.rules import Jury

__all__ = ["Jury"]
