"""The use cases, and the only place where parts are wired.

Both doors (``cli``, ``server``) do the same four things with an ``App``: complete a wish into a request, begin a run,
work on it, show it. Reading order: ``application``, then ``requests`` and ``roster``.
"""

from sparring.app.application import App
from sparring.app.requests import ConsultWish, DebateWish

__all__ = ["App", "ConsultWish", "DebateWish"]
