"""The seats of a jury without a model: ``pleading`` for Advocate and Skeptic, ``checklist``, and ``verdict``.

All of them look at one ``pair``: the claims check of claim and truth, and how much of each part the truth holds.
"""
