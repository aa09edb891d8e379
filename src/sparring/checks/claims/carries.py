"""Whether a verbatim quote carries a part of a claim, conflicts with it, or leaves it open."""

from sparring.checks.claims.check import check_claim
from sparring.schema.claims import Carried, Label, Relation

_RELATIONS = {Label.SUPPORTED: Relation.CARRIES, Label.REFUTED: Relation.CONFLICTS, Label.NEI: Relation.OPEN}


def carried(part: str, quote: str, around: str = "") -> Carried:
    """What ``quote`` says of ``part``; by the rules for claims, with the quote for all of the evidence.

    ``around`` is the sentence, or sentences, that the quote was taken from: what was cut off there, such as a "not" or
    an "over", may leave open what the quote by itself carries or contradicts.
    """
    check = check_claim(part, [quote])
    if around and check.label is not Label.NEI and check_claim(part, [around]).label is not check.label:
        return Carried(relation=Relation.OPEN)
    return Carried(relation=_RELATIONS[check.label], uncovered=check.uncovered)
