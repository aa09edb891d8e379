"""The fact-check by several agents (specification: seed 000; design: Fact-check).

Round 1 is blind: every agent analyses the claim by itself. Debate rounds follow as far as they are called for, then
the votes of the last round are counted. Reading order: ``rules`` decides what comes next and ``rounds`` obtains one
round; ``asks`` words its asks (``showing`` what is quoted in them) and ``reading`` reads the answers. What of them
counts is decided by ``weighing`` for an analysis, by ``moving``, ``changing`` and ``misquoting`` for a rebuttal, both
by what ``grounds``, ``citing`` and ``relating`` say of each quote. ``deciding`` counts votes and stops, ``endings``
puts the outcome together.
"""

from sparring.formats.fact_check.rules import FactCheck

__all__ = ["FactCheck"]
