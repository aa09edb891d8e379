"""Receiving of answers, alike for every kind of provider: framing, thoughts, failures and their causes.

An answer is lost only when its text or its end is missing; what stands around it is noise. What is no part of an
answer, such as a thought that a server mixes with it, decides nothing and is never shown.
"""
