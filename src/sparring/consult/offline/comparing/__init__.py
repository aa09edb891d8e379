"""A claim and texts side by side, without a model.

``sentences`` and ``parts`` cut them, ``holding`` looks a part up with an eye on ``negation``, ``crossing`` finds what
can be compared between languages, and ``weighing`` decides: a part is in CONFLICT only where the claims check has a
critical mismatch, and COVERED only where one sentence holds half of it and no other name is in the place of its own.
"""
