"""The vocabulary: frozen records that everything above speaks in.

Validation happens where foreign data enters (tool input, provider output, disk). Inside, values are already right.
"""
