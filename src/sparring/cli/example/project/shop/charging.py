"""Ask the payment provider for the money, and once more if it does not answer."""

from typing import Protocol

ATTEMPTS = 3


class Provider(Protocol):
    """Who moves the money; ``docs/provider.md`` says what it promises."""

    def charge(self, order_id: str, cents: int, key: str) -> str:
        """The receipt; raises ``TimeoutError`` when no answer comes in time."""
        ...


def charge(provider: Provider, order_id: str, cents: int) -> str:
    """The receipt of the payment; raises ``TimeoutError`` when all attempts have failed."""
    for attempt in range(ATTEMPTS):
        try:
            return provider.charge(order_id, cents, key=f"{order_id}-{attempt}")
        except TimeoutError:
            continue
    raise TimeoutError(order_id)
