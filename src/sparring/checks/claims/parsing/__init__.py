"""Parse: a text as sentences, tokens and words, in a language that was recognised."""
