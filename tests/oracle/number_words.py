"""English numbers in words, to read them back."""

_ONES = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("zero", "ten", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SCALES = ((10**9, "billion"), (10**6, "million"), (10**3, "thousand"), (100, "hundred"))
_IRREGULAR = {"one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth"}
_ENDINGS = {1: "st", 2: "nd", 3: "rd"}


def spelled(number: int, joint: str = "and") -> str:
    """The number in words, with ``joint`` before what is left below a hundred."""
    if number < 20:
        return _ONES[number]
    if number < 100:
        return _TENS[number // 10] + (f"-{_ONES[number % 10]}" if number % 10 else "")
    scale, name = next(each for each in _SCALES if number >= each[0])
    head, rest = f"{spelled(number // scale, joint)} {name}", number % scale
    if not rest:
        return head
    return " ".join(filter(None, (head, joint if rest < 100 else "", spelled(rest, joint))))


def spelled_rank(number: int) -> str:
    """The number in words, as an ordinal."""
    words = spelled(number)
    last = words.replace("-", " ").split()[-1]
    head = words.removesuffix(last)
    if last in _IRREGULAR:
        return head + _IRREGULAR[last]
    stem = f"{last[:-1]}ie" if last.endswith("y") else f"{last[:-2]}f" if last.endswith("ve") else last
    return f"{head}{stem}th"


def rank(number: int) -> str:
    """The number in digits, as an ordinal."""
    is_teen = number % 100 in {11, 12, 13}
    return f"{number}{'th' if is_teen else _ENDINGS.get(number % 10, 'th')}"
