"""Antigravity CLI (``agy``), the successor of Gemini CLI, from public reports: nobody of sparring has run it."""
