"""Verify claims: code decides only what structure shows, and leaves the rest to readers (design: Checks, Claims).

The pipeline:

1. **parse**: ``parsing`` cuts a text into sentences, tokens and words and recognises its language; ``values`` reads
   numbers with units, versions and dates as intervals; ``structured`` reads key paths with values from every format;
   ``document`` and ``items`` hold the parsed parts.
2. **align**: ``alignment`` finds the sentence that a claim repeats, and their differences.
3. **compare**: ``comparison`` determines the meaning of each difference; ``statements`` compares a claim about a key
   with the statements of the parsed formats.
4. **decide**: ``decision`` makes the label, its findings, and hints for a reader.

SUPPORTED: a parsed value, or a whole sentence of the evidence that its context does not limit. REFUTED: a different
parsed value, or a whole repeated sentence with exactly one typed change. Everything else is open (label NEI). Words are
compared in a recognised language only; ``words/*.toml`` lists them. ``check`` is the entry, for quotes as well.
"""

from sparring.checks.claims.check import ClaimEvidence, check_claim, check_support

__all__ = ["ClaimEvidence", "check_claim", "check_support"]
