"""Any program that prints its answer and nothing else: `output = "text"` in a provider file of the user's own."""
