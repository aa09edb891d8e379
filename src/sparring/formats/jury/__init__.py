"""The jury on one claim and its truth (specification: seed 001; design: Jury).

Advocate, Skeptic and Fact-Checker are asked at once, the two debaters answer each other, then the judge decides.
Reading order: ``rules`` decides what comes next; ``case`` searches and compares the two texts; ``statements`` and
``checklist`` read what is answered, ``hearing`` says what a transcript holds of it; ``asks`` and ``showing`` word the
prompts; ``judging`` obtains the verdict, which ``anchoring`` and ``objections`` hold against the texts; ``endings``
puts the outcome together.
"""

from sparring.formats.jury.rules import Jury

__all__ = ["Jury"]
