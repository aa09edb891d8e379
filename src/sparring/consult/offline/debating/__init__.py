"""The steps of a debate by rule: open, challenge, defend, follow up, summarize, and judge by ``scoring``."""
