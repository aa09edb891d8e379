"""VERIFY: quotes and citations, decided by code and never by similarity or opinion."""
