"""The chaired debate (specification: seed 003; design: Chaired debate).

Both debaters confirm their roles; the promoter opens, then the detractor; they act in turn in each rebuttal round,
after which the audience may ask and the chair reviews; the detractor closes, then the promoter; the chair concludes,
a reporter may sum up.

Reading order: ``rules`` is the format, ``course`` how a course is held, ``debating`` the course of a debate, made of
``startup``, ``turns``, ``rounds``, ``chairing``, ``concluding`` and ``endings``. ``floor`` is where a debate stands,
``standing`` what still counts of it, ``withheld`` what nobody may repeat. ``drafts`` and ``answers`` read what is said
(``spelling`` is forgiven), ``rulebook`` and ``turn_order`` say what may be entered, ``sources`` and ``conceding`` what
follows from an entry; ``asks`` and ``showing`` word the prompts.
"""

from sparring.formats.chaired_debate.rulebook import refusals
from sparring.formats.chaired_debate.rules import ChairedDebate, log_of

__all__ = ["ChairedDebate", "log_of", "refusals"]
