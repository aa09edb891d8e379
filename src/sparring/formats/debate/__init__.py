"""The debate of two sides before one judge or several (specification: seed 004; design: Debate).

Reading order: ``said`` is what was said, ``anonymize`` takes out who said it; ``summaries`` stand in for earlier
rounds; ``asks`` words what debaters are asked; ``sides`` is what a judge is shown, ``replies`` what it answers,
``judges`` obtain the ballots and ``verdict`` counts them; ``rules`` is the course, and how it ends.
"""

from sparring.formats.debate.rules import Debate

__all__ = ["Debate"]
