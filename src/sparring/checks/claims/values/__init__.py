"""Read the values of a stretch of text (numbers with units, versions, dates) as intervals, and compare two of them."""
