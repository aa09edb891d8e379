"""The letters by which a judge knows the sides (design: Debate, the judge sees "Side A / Side B")."""

from sparring.schema.base import Role
from sparring.schema.consultation import Brief
from sparring.schema.debate import SPEAKING_ORDER, Side

SIDE_A, SIDE_B = "Side A", "Side B"


def other_side(side: Side) -> Side:
    """Whom ``side`` debates with."""
    return Role.CHALLENGER if side is Role.PROPOSER else Role.PROPOSER


class Letters:
    """Who is Side A, and who is Side B. Where the speeches do not tell, the proposer is Side A."""

    def __init__(self, brief: Brief) -> None:
        is_turned = any(speech.role is Role.CHALLENGER and speech.name == SIDE_A for speech in brief.speeches)
        self.first: Side = Role.CHALLENGER if is_turned else Role.PROPOSER

    def name(self, role: Role) -> str:
        """``Side A`` or ``Side B``."""
        return SIDE_A if role is self.first else SIDE_B

    def letter(self, role: Role) -> str:
        """``A`` or ``B``."""
        return self.name(role)[-1]

    @property
    def sides(self) -> tuple[Side, Side]:
        """Both, Side A first."""
        return SPEAKING_ORDER if self.first is Role.PROPOSER else (Role.CHALLENGER, Role.PROPOSER)
