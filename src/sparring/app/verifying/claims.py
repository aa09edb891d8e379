"""A claim, quotes or both held against evidence, for somebody who goes on talking with what was found.

Secrets are taken out before anything is compared: what is found goes into a conversation, and a secret that is cut in
the middle is no longer recognised.
"""

from dataclasses import dataclass

from sparring.app.application import App
from sparring.app.evidence import gather_evidence
from sparring.app.wishes import EvidenceWish
from sparring.checks.claims import check_claim
from sparring.checks.quotes import Evidence
from sparring.errors import UsageError
from sparring.schema.verification import COMPARISONS_LIMIT, SAID_LIMIT, Verified, VerifiedQuote, comparisons
from sparring.text.tidying import is_encodable

MOST_QUOTES = 100


@dataclass(frozen=True)
class VerifyWish:
    """What is to be verified; a claim, quotes, or both."""

    claim: str
    quotes: tuple[str, ...]
    evidence: EvidenceWish


def verify(wish: VerifyWish, app: App) -> Verified:
    """What the evidence says about claim and quotes.

    Raises:
        UsageError: There is nothing to verify, too much of it, or the evidence cannot be used.
    """
    _refuse_unusable(wish)
    redactor = app.roster.redactor
    material = gather_evidence(wish.evidence, app.place, app.settings, redactor)
    texts = [part.text for part in material.parts]
    claim, quotes = redactor.redact(wish.claim), [redactor.redact(quote) for quote in wish.quotes]
    if comparisons(claim.text, texts) > COMPARISONS_LIMIT:
        raise UsageError("Claim and evidence hold too many numbers to compare them all.", hint="Leave evidence out.")
    evidence = Evidence(texts if quotes else ())
    return Verified(
        claim=claim.text,
        check=check_claim(claim.text, texts) if claim.text.strip() else None,
        quotes=tuple(VerifiedQuote(quote=each.text, **dict(evidence.find(each.text))) for each in quotes),
        evidence=material.parts,
        redactions=claim.count + sum(each.count for each in quotes) + material.redactions,
    )


def _refuse_unusable(wish: VerifyWish) -> None:
    said = [text for text in (wish.claim, *wish.quotes) if text.strip()]
    if not said:
        raise UsageError("There is nothing to verify.", hint="Give a claim, quotes, or both.")
    if not all(is_encodable(text) and "\0" not in text for text in said):
        raise UsageError("A claim or quote must be UTF-8 text without NUL characters.")
    if len(wish.quotes) > MOST_QUOTES:
        raise UsageError(f"{len(wish.quotes):,} quotes are too many; {MOST_QUOTES} can be verified at once.")
    if any(len(text) > SAID_LIMIT for text in said):
        raise UsageError(f"A claim or quote may have {SAID_LIMIT:,} characters.", hint="A document goes into evidence.")
