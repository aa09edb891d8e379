"""Whether a text can be written down."""


def is_encodable(text: str) -> bool:
    """Whether ``text`` holds no half of a surrogate pair, which JSON may escape and no encoding accepts."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
