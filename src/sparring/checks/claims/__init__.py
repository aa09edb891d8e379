"""VERIFY claims: does the evidence say what the claim says (design: Checks, Claims)?

The evidence speaks of the same thing, or it does not: only in the first case can a claim mismatch, and a critical
mismatch is meant to be almost never wrong. Another day, place or thing makes a part of the claim *missing*.

A text is read once: ``tokens``, ``numerals``, ``quantities``, ``dates``, with what stands around them (``context``).
What it says is aligned with the claim (``alignment``; ``changes`` where a claim repeats a sentence; ``foreign`` in
another language) and compared (``comparison``); ``snapshots`` tells one day's numbers from another's.
``settings`` are keys with values. Whether a passage accounts for all words is for ``coverage``, by ``terms``, and
whether it says the opposite in the same words for ``swaps``.
``check`` puts it together, as ``findings``, and asks the same of a quote. The words are in ``lexicon/*.toml``.
"""

from sparring.checks.claims.check import ClaimEvidence, carried, check_claim

__all__ = ["ClaimEvidence", "carried", "check_claim"]
