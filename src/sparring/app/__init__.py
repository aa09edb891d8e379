"""The use cases, and the only place where parts are wired.

Both doors (``cli``, ``server``) do the same four things with an ``App``: complete a wish into a request, begin a run,
work on it, show it. Reading order: ``application``, then ``requests`` (with ``wishes``, ``asked``, ``continuing``,
``context``) and ``roster``.
"""

from sparring.app.application import App
from sparring.app.wishes import CONTEXT_LIMIT, LAST, ConsultWish, ContextWish, DebateWish

__all__ = ["CONTEXT_LIMIT", "LAST", "App", "ConsultWish", "ContextWish", "DebateWish"]
