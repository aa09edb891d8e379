"""Ask the payment provider for the money, and again when it does not answer."""

import logging

from .provider import Provider

log = logging.getLogger(__name__)

ATTEMPTS = 3


def charge(provider: Provider, order_id: str, cents: int) -> str:
    """The receipt of the payment; raises ``TimeoutError`` when no attempt was answered."""
    for attempt in range(ATTEMPTS):
        try:
            return provider.charge(cents, key=f"{order_id}-{attempt}")
        except TimeoutError:
            log.warning("order %s: no answer to attempt %d", order_id, attempt + 1)
    raise TimeoutError(order_id)


def refund(provider: Provider, receipt: str) -> None:
    """Give the money of a receipt back."""
    provider.refund(receipt, key=f"refund-{receipt}")
