"""Batch interfaces: many questions handed in at once, answered within a day, for about half of the price.

To be read from ``protocol``, what such an interface has to say of itself, by ``anthropic``, ``openai`` and ``gemini``,
which say it, to ``consultant``, which holds for all of them. What a request and an answer look like is said beside this
package, for a batch holds the same ones.
"""
