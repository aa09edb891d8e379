"""One speech in the making: its labels, what it has quoted already, and its paragraphs."""

from collections.abc import Callable, Collection, Mapping

from sparring.consult.offline.case import Case, places
from sparring.consult.offline.evidence import Evidence, Kind


class Draft:
    """Collects paragraphs. No place is quoted twice, and no remark is made twice."""

    def __init__(self, case: Case, prefix: str) -> None:
        self.case = case
        self._prefix = f"{prefix}{case.brief.round}"
        self._labels = 0
        self._used: set[tuple[str, int]] = set()
        self._remarks: set[Kind] = set()
        self._paragraphs: list[str] = []

    def label(self) -> str:
        """The next name for a point of this speech, such as ``C2.1``."""
        self._labels += 1
        return f"{self._prefix}.{self._labels}"

    def find(
        self,
        query: Mapping[str, float],
        *,
        at_least: int = 1,
        among: Collection[str] | None = None,
        near: Collection[str] | None = None,
        fits: Callable[[Evidence], bool] | None = None,
        limits_first: bool = False,
    ) -> Evidence | None:
        """The best new quotation on ``query``, used up from now on; None if the project has none.

        Args:
            query: Terms with their importance.
            at_least: How many of them the quoted words must hold.
            among: Terms of which the quoted words must hold one.
            near: Terms of which they, or the lines around them, must hold one.
            fits: What else must be true of them.
            limits_first: Prefer words that state a limit, a condition or a failure.
        """
        for evidence in self.case.evidence(query, avoid=self._used, limits_first=limits_first):
            holds = len(evidence.terms) >= at_least
            holds = holds and (among is None or not evidence.terms.isdisjoint(among))
            holds = holds and (near is None or not evidence.nearby.isdisjoint(near))
            if holds and (fits is None or fits(evidence)):
                self._used.update(places(evidence))
                return evidence
        return None

    def remark(self, evidence: Evidence) -> str:
        """What kind of evidence it is, in a sentence; empty when this speech has said so before."""
        if evidence.kind in self._remarks:
            return ""
        self._remarks.add(evidence.kind)
        return self.case.say(f"remark-{evidence.kind}")

    def quote(self, evidence: Evidence) -> str:
        """The citation and the quotation."""
        return self.case.say("quote", citation=evidence.citation, quotation=evidence.quotation)

    def argue(self, evidence: Evidence) -> str:
        """The citation and the quotation, and what sort of evidence that is if this speech has not said it before."""
        return f"{self.quote(evidence)} {self.remark(evidence)}".strip()

    def add(self, template: str, **values: str) -> None:
        """Append a paragraph."""
        self.append(self.case.say(template, **values))

    def append(self, paragraph: str) -> None:
        """Append a finished paragraph."""
        self._paragraphs.append(paragraph)

    def text(self) -> str:
        """All paragraphs so far."""
        return "\n\n".join(self._paragraphs)
