"""MEASURE: what an arm of asking is worth on labelled rows, and how a judge is biased.

Everything is derived from the exchanges of a ledger; what code computes from the rows is in ``statistics``, which knows
neither arms nor providers.
"""
