"""A jury, complete."""

from sparring.app.evidence import read_truth
from sparring.app.requests.desk import Desk
from sparring.app.requests.seats import seat_jury
from sparring.app.requests.validating import effort, language, valid
from sparring.app.wishes import JuryWish
from sparring.schema.base import Role
from sparring.schema.jury import JuryRequest


def complete_jury(wish: JuryWish, desk: Desk) -> JuryRequest:
    """The whole request; raises ``UsageError`` where it contradicts itself or names what does not exist."""
    roster = desk.roster
    seating = seat_jury(wish, roster)
    truth = read_truth(wish.truth, desk.place, desk.settings)
    texts = truth, wish.claim, wish.row_id, wish.dataset
    truth, claim, row_id, dataset = (roster.redactor.redact(text) for text in texts)
    return valid(
        lambda: JuryRequest(
            truth=truth.text.strip(),
            claim=claim.text.strip(),
            row_id=row_id.text.strip() or None,
            dataset=dataset.text.strip() or None,
            advocate=seating.participant(Role.ADVOCATE),
            skeptic=seating.participant(Role.SKEPTIC),
            fact_checker=seating.participant(Role.FACT_CHECKER),
            judge=seating.participant(Role.JUDGE),
            rebuttals=wish.rebuttals,
            language=language(wish.language),
            effort=effort(wish.effort),
            timeout_s=wish.timeout_s,
            redactions=truth.count + claim.count + row_id.count + dataset.count,
            notices=roster.notices + seating.notices,
        ),
    )
