"""Model APIs: how each spells a request and its answer, and the consultant that puts the one and hears the other.

To be read from ``protocol``, what an API has to say of itself, by ``anthropic``, ``openai`` and ``gemini``, which say
it, and ``calls``, which hold for all of them, to ``consultant`` and ``batches``. A new API is a module with an
implementation of ``protocol.Api`` and a line in ``calls``; how one endpoint differs from another that speaks the same
is data in its provider file.
"""
