"""Antigravity CLI (``agy``), the successor of Gemini CLI, from public reports: it was never run in development."""
