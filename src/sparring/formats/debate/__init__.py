"""The two-sided debate (specification: seed 004; design: Debate).

Round 1 is opening and response, every later round defense and follow-up; then the judge. Reading order: ``rules``
decides what comes next, ``speeches`` words the debaters' asks, ``context`` what they are shown of earlier rounds,
``judging`` obtains the verdict, ``asks`` makes each ask, ``endings`` says what a failure means.
"""

from sparring.formats.debate.rules import Debate

__all__ = ["Debate"]
