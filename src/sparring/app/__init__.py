"""The use cases, and the only place where parts are wired.

Both entry points (``cli``, ``server``) use an ``App`` to complete options into a request, begin a run, work on it, and
show it. Reading order: ``application``; ``project_context`` and ``roster``.
"""

from sparring.app.application import App

__all__ = ["App"]
