"""Asking through the ledger of exchanges: nothing is paid twice, and limits are reserved before each request.

Reading order: ``keys`` are what an exchange is known by, ``session`` asks, ``need`` says what must be left of a limit
before something begins, ``pacing`` lets questions wait for their turn by the rules of ``rates``, whose records are kept
in the ledger (``records``). ``gathering`` hands questions in to the batch interfaces of providers.
"""
