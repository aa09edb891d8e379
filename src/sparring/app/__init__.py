"""The use cases, and the only place where parts are wired.

Both doors (``cli``, ``server``) do the same four things with an ``App``: complete options into a request, begin a run,
work on it, show it. Reading order: ``application``; ``project_context`` and ``roster``.
"""

from sparring.app.application import App

__all__ = ["App"]
