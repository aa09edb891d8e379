"""Check a claim against its evidence, and a quote against a part of a claim."""

from collections.abc import Sequence

from sparring.checks.claims.decision import decide
from sparring.checks.claims.document import ParsedText, parse
from sparring.checks.claims.parsing.language import Language
from sparring.schema.claims import Carried, ClaimCheck, Label, Relation

_RELATIONS = {Label.SUPPORTED: Relation.CARRIES, Label.REFUTED: Relation.CONFLICTS, Label.NEI: Relation.OPEN}


class ClaimEvidence:
    """Sources, parsed once, against which any number of claims can be checked."""

    def __init__(self, sources: Sequence[str]) -> None:
        self._sources = [parse(source) for source in sources]

    def check(self, claim: str) -> ClaimCheck:
        """See ``check_claim``."""
        return _checked(claim, self._sources)


def check_claim(claim: str, evidence: Sequence[str], *, belong_together: bool = False) -> ClaimCheck:
    """Return the check of ``claim`` by ``evidence``, by structure alone; see the package's docstring.

    Offsets refer to the given texts. ``belong_together``: claim and evidence are known to have the same topic, as in a
    jury, so that several typed changes of one sentence refute as one does.
    """
    return _checked(claim, [parse(source) for source in evidence], belong_together=belong_together)


def check_support(part: str, quote: str, around: str = "") -> Carried:
    """Return the result of ``quote`` for ``part``, by the rules for claims, with the quote as the only evidence.

    ``around`` is the sentence, or sentences, that contain the quote. Both results must agree: a condition that was cut
    off leaves the part open.
    """
    check = check_claim(part, [quote])
    if around and around != quote and check.is_decided:
        whole = check_claim(part, [around])
        if whole.label is not check.label:
            check = whole.model_copy(update={"label": Label.NEI})
    return Carried(relation=_RELATIONS[check.label], hints=check.hints)


def _checked(claim: str, sources: Sequence[ParsedText], *, belong_together: bool = False) -> ClaimCheck:
    """Check a claim in the language of its evidence: a short claim alone may fit several languages."""
    parsed = parse(claim)
    evidence = [source.with_language_of(parsed.language) for source in sources]
    languages = {source.language for source in evidence} - {Language.OTHER}
    if len(languages) == 1:
        parsed = parsed.with_language_of(languages.pop())
    return decide(parsed, evidence, belong_together=belong_together)
