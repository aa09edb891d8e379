"""Verify claims: code decides only what structure shows, and leaves the rest to readers (design: Checks, Claims).

The pipeline:

1. **parse**: ``parsing`` cuts a text into sentences, tokens and words and recognises its language; ``values`` reads
   numbers with units, versions and dates as intervals; ``structured`` reads key paths with values from every format;
   ``document`` and ``items`` hold what was parsed.
2. **align**: ``alignment`` finds the sentence that a claim repeats, and what differs.
3. **compare**: ``comparison`` says what each difference means; ``statements`` compares a claim about a key with what
   the parsed formats state of it.
4. **decide**: ``decision`` makes the label, its findings, and hints for a reader.

SUPPORTED: a parsed value, or a whole sentence of the evidence that nothing around it limits. REFUTED: a parsed value
that differs, or a whole repeated sentence with exactly one typed change. Everything else is open (label NEI). Words are
compared in a recognised language only; they stand in ``words/*.toml``. ``check`` is the entry, for quotes as well.
"""

from sparring.checks.claims.check import ClaimEvidence, carried, check_claim

__all__ = ["ClaimEvidence", "carried", "check_claim"]
