"""Read what the structured parts of a text state: key path, typed value, place; ``reading.read`` tries every format."""
