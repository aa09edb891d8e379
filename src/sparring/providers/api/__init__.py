"""Model APIs: their dialects, and the consultant that asks one question.

Read ``protocol`` first, which defines a dialect; then ``anthropic``, ``openai``, ``gemini`` and ``ollama``, which
are dialects, and ``framing`` and ``reading``, which receive answers of all of them; then ``calls``, ``consultant`` and
``batches``. A new API is a module with an implementation of ``protocol.Api`` and a line in ``calls``; the difference
between endpoints that speak the same dialect is data in their provider files.
"""
