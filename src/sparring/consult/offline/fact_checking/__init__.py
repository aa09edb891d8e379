"""The agent of a fact-check without a model: ``analysis`` in the blind round, ``rebuttal`` in the rounds after it."""
