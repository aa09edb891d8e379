"""VERIFY: what was quoted and cited, decided by code and never by similarity or opinion."""
