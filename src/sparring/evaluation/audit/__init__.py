"""MEASURE: how far the judge in a seat follows what should not matter, such as order, length and invented authority.

Reading order: ``cases`` are what is put to a seat, ``probes`` what is planted in them; ``auditing`` puts the pairs
through the ledger; ``measure`` makes figures of the answers, ``report`` and ``page`` show them.
"""
