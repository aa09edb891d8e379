"""What becomes of an order."""

from collections.abc import Callable


def settle(order_id: str, charge: Callable[[str], str]) -> str:
    """``paid`` with the receipt, or ``cancelled``."""
    try:
        return f"paid {charge(order_id)}"
    except TimeoutError:
        return "cancelled"
