"""Read statements from structured parts of a text: key path, typed value, place; ``reading.read`` tries all formats."""
