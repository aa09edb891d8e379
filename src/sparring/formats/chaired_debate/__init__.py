"""The chaired debate (specification: seed 003; design: Chaired debate).

Both debaters confirm their roles; the promoter opens, then the detractor; they act in turn in each rebuttal round,
after which the audience may ask and the chair reviews; the detractor closes, then the promoter; the chair concludes,
a reporter may sum up.

Reading order: ``rulebook`` says what may be entered; ``floor`` is where a debate stands; ``replies`` reads what is
said; ``turns`` is a debater's turn, ``chair`` what the others do; ``asks`` words the prompts; ``rules`` is the course.
"""

from sparring.formats.chaired_debate.rulebook import refusals
from sparring.formats.chaired_debate.rules import ChairedDebate, log_of

__all__ = ["ChairedDebate", "log_of", "refusals"]
