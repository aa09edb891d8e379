"""What every format runs on, and what a format is for all others.

It knows no format. Reading order: ``course`` (rules as coroutines, and how an answer is read), ``format``, ``runner``,
``estimate``.
"""
