"""Verify by code: rows of claims and quotes, a text for people, one claim in a conversation. Nobody is asked."""
