"""VERIFY claims: does the evidence say what the claim says (design: Checks, Claims)?

The evidence speaks of the same thing, or it does not: only in the first case can a claim mismatch, and a critical
mismatch is meant to be almost never wrong. Another day, place or thing makes a part of the claim *missing*.

A text is read once: ``tokens``, ``numerals``, ``quantities``, ``dates``, with what stands around them (``context``).
What it says is aligned with the claim (``alignment``; ``changes`` where a claim repeats a sentence; ``foreign`` in
another language) and compared (``comparison``); ``snapshots`` tells one day's numbers from another's. ``check`` puts it
together, as ``findings``. The words stand in ``lexicon/*.toml``.
"""

from sparring.checks.claims.check import ClaimEvidence, check_claim

__all__ = ["ClaimEvidence", "check_claim"]
