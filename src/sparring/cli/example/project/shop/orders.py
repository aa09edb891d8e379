"""Lifecycle of an order."""

from dataclasses import dataclass, replace

from .charging import charge
from .provider import Provider


@dataclass(frozen=True)
class Order:
    """An order; ``state`` is open, paid or cancelled."""

    id: str
    cents: int
    state: str = "open"
    receipt: str = ""


def settle(order: Order, provider: Provider) -> Order:
    """``order`` paid with its receipt, or cancelled."""
    try:
        return replace(order, state="paid", receipt=charge(provider, order.id, order.cents))
    except TimeoutError:
        return replace(order, state="cancelled")
