"""REMEMBER: which state directory applies, and what is kept in it."""
