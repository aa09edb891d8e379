"""What every format runs on: ``course`` (rules as coroutines), ``replies`` (reading an answer), ``runner``.

It knows no format. Reading order: ``course``, ``replies``, ``runner``.
"""
