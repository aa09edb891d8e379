"""MEASURE: influence of irrelevant facts, such as order, length and invented authority, on the judge in a seat.

Reading order: ``cases`` are the cases for a seat, ``probes`` the planted changes; ``auditing`` asks the pairs
through the ledger; ``measure`` computes figures from the answers, ``report`` and ``page`` show them.
"""
