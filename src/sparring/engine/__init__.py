"""Base of every format: rules as coroutines, the format descriptor, the runner.

It knows no format. Reading order: ``course`` (rules as coroutines, and how an answer is read), ``format``, ``runner``,
``estimate``.
"""
