"""The three things a challenge must look at, and the words by which a text is seen to speak of them."""

from dataclasses import dataclass

from sparring.consult.offline.terms import terms


@dataclass(frozen=True)
class Aspect:
    """One category that a challenger must address. ``key`` names its templates."""

    key: str
    title: str
    words: str

    @property
    def terms(self) -> frozenset[str]:
        """The terms of its words."""
        return frozenset(terms(self.words))

    def is_covered(self, text: str) -> bool:
        """Whether ``text`` speaks of it in more than passing: by its name, or by two of its terms."""
        return self.title.lower() in text.lower() or len(self.terms.intersection(terms(text))) >= 2


ASPECTS = (
    Aspect(
        "correctness",
        "Correctness",
        "assert broken bug check corrupt correct correctness crash edge error exception fail failure guarantee invalid "
        "lost race raise regression test truncated validate verify wrong",
    ),
    Aspect(
        "security",
        "Security",
        "attack auth authentication credential escape exploit forbidden inject injection leak malicious password "
        "permission private redact redaction sandbox secret security symlink token traversal trust untrusted",
    ),
    Aspect(
        "experience",
        "Developer experience",
        "command configure contributor debug developer diagnostic documentation example experience help hint install "
        "maintain message onboarding readable readme setup understand upgrade usage",
    ),
)
