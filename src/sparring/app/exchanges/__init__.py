"""Asking through the ledger of exchanges: nothing is paid twice, and limits are reserved before each request.

Reading order: ``keys`` identify an exchange, ``session`` asks, ``need`` computes what must be left of a limit before
something begins, ``pacing`` makes questions wait for their turn by the rules of ``rates``, whose records are in the
ledger (``records``). ``batch.batch_queue`` submits questions to the batch interfaces of providers.
"""
