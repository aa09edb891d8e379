"""The fact-check by several agents (specification: seed 000; design: Fact-check).

Round 1 is blind: every agent analyses the claim by itself. Debate rounds follow as far as they are called for, then
the votes of the last round are counted. Reading order: ``reading`` reads the answers, ``grounds`` looks up what they
quote, ``positions`` says where an agent stands; ``asks`` words the prompts; ``rules`` is the course, and how it ends.
"""

from sparring.formats.fact_check.rules import FactCheck

__all__ = ["FactCheck"]
