"""Receiving of answers, alike for every kind of provider: framing, thoughts, failures and their causes.

An answer is lost only when its text or its end is missing; text around it is noise. Parts that do not belong to an
answer, such as a thought that a server mixes with it, decide nothing and are never shown.
"""
