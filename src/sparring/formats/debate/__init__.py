"""The two-sided debate (specification: seed 004; design: Debate).

Round 1 is opening and response (or two openings that do not hear each other), every later round defense and
follow-up; after each speech code looks up what it cites; then the judges. Reading order: ``rules`` decides what comes
next; ``hearing`` is what was said; ``speeches`` words the debaters' asks from ``showing``, ``context``, ``summaries``
(with ``preserving``) and ``ledgers``; ``judging`` obtains the ballots, for which ``sides`` (with ``blinding`` and
``lettering``) is what a judge sees, ``reading`` and ``arguments`` what it says; ``counting`` and ``tie_break`` make a
winner of them; ``endings`` and ``notices`` say how it ended and what a failure means.
"""

from sparring.formats.debate.rules import Debate

__all__ = ["Debate"]
