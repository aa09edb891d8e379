"""Hold a claim against its evidence: every quantity, date and changed word of the claim becomes a finding."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from sparring.checks.claims import changes
from sparring.checks.claims.alignment import Aligned, InEvidence, align_date, align_quantity, dates_of_names, same_date
from sparring.checks.claims.comparison import are_whole, may_be_told_for
from sparring.checks.claims.coverage import Coverage, MatchedValue, cover, is_said_alone
from sparring.checks.claims.dates import DateMention
from sparring.checks.claims.findings import (
    change_finding,
    exchange_finding,
    mention_finding,
    setting_finding,
    span_in,
    uncompared_finding,
)
from sparring.checks.claims.foreign import ForeignSource, ForeignSources
from sparring.checks.claims.lexicon import bounding_words
from sparring.checks.claims.parsing import (
    ParsedText,
    asserted,
    bounds_of,
    denials,
    joined_to,
    parse,
    stands_in_bounds,
    stretch_of,
)
from sparring.checks.claims.quantities import AGE, ORDINAL, Quantity
from sparring.checks.claims.settings import Property, holds, read_claim
from sparring.checks.claims.snapshots import Snapshots, of_the_time
from sparring.checks.claims.terms import Word, fold
from sparring.checks.claims.tokens import Language, Text
from sparring.schema.claims import Carried, ClaimCheck, Finding, Label, Relation, Status
from sparring.schema.lookups import Span

_TELLING_DIGITS = 3
_MOST_NUMBERS = 256
"""Numbers and dates of a claim that are compared; so many are a table."""

_MOST_PAIRS = 1 << 13
"""Of a number of the claim and one of its kind in the evidence, beyond the first few numbers; 5 µs each."""

_ALWAYS = 4
"""Numbers of a claim that are compared however many the evidence has; few sentences have more."""

_PER_OTHER = 64
"""Numbers of another kind that take as long to pass over as one of the same kind to compare."""

_OTHERS_REACH = 8
"""Numbers before one of the evidence among which another is looked for that may be told of the same."""

_LONGEST_FORM = 200
"""Terms of a sentence whose form is compared; each number of the claim may ask for that."""

_DATE = "#date"
_There = InEvidence[Quantity] | InEvidence[DateMention]
_Numbers = list[tuple[Quantity | DateMention, Aligned]]
_Quantities = list[tuple[Quantity, Aligned]]
_Dates = list[tuple[DateMention, Aligned]]


class ClaimEvidence:
    """Sources, read once, that any number of claims can be held against."""

    def __init__(self, sources: Sequence[str], beside: Language = Language.ENGLISH) -> None:
        self._sources, self._language = _parsed(sources, beside)

    def check(self, claim: str) -> ClaimCheck:
        """See ``check_claim``."""
        return _Check(parse(claim, self._language), self._sources).result()


def check_claim(claim: str, evidence: Sequence[str]) -> ClaimCheck:
    """What ``evidence`` says about the quantities, dates and changed words of ``claim``.

    A critical mismatch is meant to be almost never wrong; whatever is doubtful is MISSING. Offsets are those of the
    texts as given. The time grows with the length of the texts: what the claim has beyond so many numbers, or pairs
    of numbers, is MISSING, in one finding that says so.
    """
    read = parse(claim)
    sources, language = _parsed(evidence, read.text.language)
    if language is not read.text.language:
        read = parse(claim, language)
    return _Check(read, sources).result()


def _parsed(sources: Sequence[str], beside: Language) -> tuple[Sequence[ParsedText], Language]:
    """What they assert, and in which language: English where they have several."""
    parsed = [parse(asserted(source), beside) for source in sources]
    languages = {source.text.language for source in parsed}
    return parsed, languages.pop() if len(languages) == 1 else Language.ENGLISH


_RELATIONS = {Label.SUPPORTED: Relation.CARRIES, Label.REFUTED: Relation.CONFLICTS, Label.NEI: Relation.OPEN}


def carried(part: str, quote: str, around: str = "") -> Carried:
    """What ``quote`` says of ``part``; by the rules for claims, with the quote for all of the evidence.

    ``around`` is the sentence, or sentences, that the quote was taken from: what was cut off there, such as a "not" or
    an "over", may leave open what the quote by itself carries or contradicts.
    """
    check = ClaimEvidence([quote], Text(f"{part}\n{around or quote}").language).check(part)
    if around and check.label is not Label.NEI and check_claim(part, [around]).label is not check.label:
        return Carried(relation=Relation.OPEN)
    return Carried(relation=_RELATIONS[check.label], uncovered=check.uncovered)


class _Check:
    def __init__(self, claim: ParsedText, sources: Sequence[ParsedText]) -> None:
        self._claim = claim
        self._sources = sources
        self._texts = [source.text for source in sources]
        self._said = (*claim.quantities, *claim.dates)
        self._own = {(each.kind, each.amount) for each in claim.quantities if not each.bound}
        # Where a claim has no number, those of the evidence need not be read.
        numbered = list(enumerate(sources)) if self._said else []
        near = [(index, each) for index, each in numbered if each.text.language is claim.text.language]
        self._quantities = [InEvidence(index, each) for index, source in near for each in source.quantities]
        self._dates = [InEvidence(index, each) for index, source in near for each in source.dates]
        others = [(index, each) for index, each in numbered if each.text.language is not claim.text.language]
        far = [ForeignSource(index, each.text, (*each.quantities, *each.dates)) for index, each in others]
        self._uncompared = self._beyond([each for _, each in numbered])
        # Of a claim that is read in part nobody can tell what it leaves out.
        self._foreign = ForeignSources(claim.text, self._said, () if self._uncompared else far)
        self._said_beside: dict[tuple[int, int], bool] = {}
        self._changes = changes.find_changes(claim.text, self._texts)
        self._timely = self._quantities
        if len(claim.dates) == 1:
            self._timely = of_the_time(claim.dates[0], self._texts, self._quantities, self._dates)

    def _beyond(self, there: Sequence[ParsedText]) -> tuple[int, int] | None:
        """The tokens of the claim from the first number that is not compared with those ``there``; None if all are."""
        kinds = Counter(each.kind for source in there for each in source.quantities)
        kinds[_DATE] = sum(len(source.dates) for source in there)
        passed, pairs = kinds.total() // _PER_OTHER, 0
        for number, each in enumerate(sorted(self._said, key=lambda said: said.begin)):
            pairs += kinds[each.kind if isinstance(each, Quantity) else _DATE] + passed
            if number >= _MOST_NUMBERS or (number >= _ALWAYS and pairs > _MOST_PAIRS):
                return each.begin, max(said.end for said in self._said)
        return None

    def _is_compared(self, mention: Quantity | DateMention) -> bool:
        return self._uncompared is None or mention.begin < self._uncompared[0]

    def result(self) -> ClaimCheck:
        """What was found, and what it adds up to."""
        if (setting := self._setting()) is not None:
            return setting
        quantities, dates = self._aligned()
        numbers = [(each, self._or_foreign(each, found)) for each, found in (*quantities, *dates)]
        findings = tuple(self._findings(numbers))
        if any(each.is_critical_mismatch for each in findings):
            return ClaimCheck(label=Label.REFUTED, findings=findings)
        if repeated := self._repeated():
            return ClaimCheck(label=Label.SUPPORTED, findings=findings, passage=repeated)
        coverage = self._coverage(numbers)
        if coverage.exchange:
            exchanged = exchange_finding(coverage.exchange, self._claim.terms, [each.terms for each in self._sources])
            return ClaimCheck(label=Label.REFUTED, findings=(*findings, exchanged))
        if coverage.passage and all(each.status is Status.MATCH for each in findings):
            return ClaimCheck(label=Label.SUPPORTED, findings=findings, passage=coverage.passage)
        return ClaimCheck(label=Label.NEI, findings=findings, uncovered=coverage.uncovered)

    def _repeated(self) -> Span | None:
        claim = self._claim.text
        if not self._claim.terms.words:
            return None
        for index, source in enumerate(self._texts):
            begin = changes.repeated_at(claim, source)
            if begin is None:
                continue
            end = begin + len(claim.written)
            there = self._sources[index].terms
            is_alone = is_said_alone(self._claim.terms, there, *source.offsets(begin, end))
            if is_alone and self._has_whole_numbers(index, begin, end):
                return span_in(self._texts, index, begin, end)
        return None

    def _has_whole_numbers(self, index: int, begin: int, end: int) -> bool:
        """Whether each number and date of the source that stands there stands there whole, with what bounds it.

        "20 people came" stands in "10 to 20 people came", in "at least 20 people came" and in "20 came an hour",
        and is said by none.
        """
        if not self._said:
            return True
        source, is_relative = self._sources[index], any(each.is_relative for each in self._claim.quantities)
        for each in (*source.quantities, *source.dates):
            first, until = stretch_of(source.text, each)
            is_cut_off = isinstance(each, Quantity) and each.is_relative and not is_relative
            if first < end and begin < until and (is_cut_off or not begin <= first <= until <= end):
                return False
        return True

    def _setting(self) -> ClaimCheck | None:
        """What the claim says of a setting of the evidence; None where it says anything else."""
        settings = [each.settings for each in self._sources]
        said = read_claim(self._claim.terms, settings) if any(settings) else None
        if said is None:
            return None
        words = {term.lower for term in self._claim.terms.words}
        there = [
            (index, each)
            for index, source in enumerate(self._sources)
            for each in source.settings.get(said.key, ())
            if each.property is said.property or {each.property, said.property} == {Property.DEFAULT, Property.VALUE}
        ]
        told = [(holds(said, each, words), index, each) for index, each in there]
        for wanted, status, label in ((True, Status.MATCH, Label.SUPPORTED), (False, Status.MISMATCH, Label.REFUTED)):
            if found := next((each for each in told if each[0] is wanted), None):
                finding = setting_finding(said, status, self._claim.text, found[1], found[2], self._texts)
                passage = finding.evidence if label is Label.SUPPORTED else None
                return ClaimCheck(label=label, findings=(finding,), passage=passage)
        return ClaimCheck(label=Label.NEI, findings=(), uncovered=(said.value,))

    def _coverage(self, numbers: _Numbers) -> Coverage:
        language, sources = self._claim.text.language, enumerate(self._sources)
        near = [(index, each.terms) for index, each in sources if each.text.language is language]
        return cover(self._claim.terms, near, [*self._told(numbers)])

    def _told(self, numbers: _Numbers) -> Iterator[MatchedValue]:
        text, keys = self._claim.text, {word.key for word in self._claim.terms.words}
        for mention, found in numbers:
            if found.status is Status.MATCH and (there := found.evidence):
                source = self._texts[there.index]
                joined = joined_to(source, there.mention)
                if joined and fold(joined, text.language) not in keys:
                    continue  # "5-pin wires" are not 5 wires
                bounds = bounds_of(text, mention), bounds_of(source, there.mention)
                other = self._other_before(there)
                yield MatchedValue(*text.offsets(*stretch_of(text, mention)), there.index, *bounds, other)

    def _other_before(self, there: _There) -> int:
        """Where the last number or date before it that may be told of the same begins; -1: there is none near by."""
        source, said = self._sources[there.index], there.mention
        mentions = source.quantities if isinstance(said, Quantity) else source.dates
        before = bisect_left(mentions, said.begin, key=lambda each: each.begin)
        near = reversed(mentions[max(0, before - _OTHERS_REACH) : before])
        other = next((each for each in near if may_be_told_for(each, said)), None)
        return source.text.offsets(other.begin, other.end)[0] if other else -1

    def _findings(self, numbers: _Numbers) -> Iterator[Finding]:
        """Every finding: quantities, then dates, then other changed words, each in the claim's order."""
        text = self._claim.text
        for mention, found in numbers:
            yield mention_finding(text, mention, found, self._texts)
        if self._uncompared:
            yield uncompared_finding(text, *self._uncompared)
        agree = all(found.status is Status.MATCH for _, found in numbers)
        for change in self._changes:
            is_of_other = change.kind == "negation" and not agree  # that 3.9 is not supported says nothing of 3.8
            if not is_of_other and not self._is_told(change):
                yield change_finding(change, text, self._texts)

    def _or_foreign(self, mention: Quantity | DateMention, found: Aligned) -> Aligned:
        """What was ``found``; where nothing was, what sources in another language tell."""
        if found.status is not Status.MISSING:
            return found
        foreign = self._foreign.align(mention)
        return found if foreign.status is Status.MISSING else foreign

    def _aligned(self) -> tuple[_Quantities, _Dates]:
        compared = filter(self._is_compared, self._claim.quantities)
        quantities = [(each, self._unless_denied(each, self._aligned_quantity(each))) for each in compared]
        told = filter(self._is_compared, self._claim.dates)
        dates = [(each, self._unless_denied(each, self._aligned_date(each))) for each in told]
        snapshots = Snapshots(self._texts, self._dates, quantities)
        is_other_day = any(snapshots.is_other_day(date, found) for date, found in dates)
        dates = [(date, snapshots.settle(date, found)) for date, found in dates]
        is_repeated = any(changes.is_word_for_word(self._claim.text, text) for text in self._texts)
        is_else = self._is_of_another_time(quantities, dates) or self._is_of_another_number([*quantities, *dates])
        if is_other_day or is_repeated or is_else:
            quantities = [(each, _doubted(found)) for each, found in quantities]
        if is_repeated or is_else:
            dates = [(each, _doubted(found)) for each, found in dates]
        return quantities, dates

    def _is_of_another_time(self, quantities: _Quantities, dates: _Dates) -> bool:
        """Whether no number and no date agrees, and one of each stands in one sentence: that tells of another time.

        What is said of all the time before or after a date is held against what is told of that time.
        """
        if any(found.status is Status.MATCH for _, found in (*quantities, *dates)):
            return False
        days = _denied([(date, found) for date, found in dates if date.window not in {"<", ">"}])
        return not {*map(self._sentence_of, _denied(quantities))}.isdisjoint(map(self._sentence_of, days))

    def _is_of_another_number(self, numbers: _Numbers) -> bool:
        """Whether several differ in a sentence of the same words: one may name what the others are of."""
        told = [there for _, found in numbers if found.status is not Status.MATCH and (there := found.evidence)]
        times = Counter(map(self._sentence_of, told))
        apart = {self._sentence_of(there): there for there in _denied(numbers)}
        return any(times[number] > 1 and self._words_apart(there) == [] for number, there in apart.items())

    def _sentence_of(self, there: _There) -> tuple[int, int]:
        return there.index, self._texts[there.index].sentence_at(there.mention.begin)

    def _aligned_date(self, date: DateMention) -> Aligned:
        named = dates_of_names(date, self._dates) if len(self._claim.dates) == 1 else ()
        found = changes.replaced_date(date, self._changes, self._dates, self._quantities)
        found = found or same_date(date, named or self._dates)
        if found or named:
            return found or align_date(date, named)
        aligned = self._unless_written(date, align_date(date, self._dates))
        there = aligned.date if aligned.status is Status.MISMATCH else None
        is_else = there and (self._is_said_beside(there) or self._tells_else(there))
        return _doubted(aligned) if is_else else aligned

    def _is_said_beside(self, there: InEvidence[DateMention]) -> bool:
        """Whether the claim has the very date that stands there: then that tells of it."""
        place = there.index, there.mention.begin
        if place not in self._said_beside:
            said = filter(self._is_compared, self._claim.dates)
            self._said_beside[place] = any(same_date(each, (there,)) for each in said)
        return self._said_beside[place]

    def _aligned_quantity(self, quantity: Quantity) -> Aligned:
        if found := changes.replaced_quantity(quantity, self._changes, self._quantities, self._dates):
            return found
        aligned = align_quantity(quantity, self._own, self._timely)
        there = aligned.quantity if aligned.status is Status.MISMATCH else None
        is_else = there and there.mention.kind not in {AGE, ORDINAL} and self._tells_else(there)
        if there and (is_else or are_whole(quantity, there.mention)):
            aligned = _doubted(aligned)
        return self._unless_written(quantity, aligned)

    def _unless_denied(self, mention: Quantity | DateMention, found: Aligned) -> Aligned:
        """What was ``found``; in doubt where one of the two is denied: "over 5 MB are not" is no other than "up to"."""
        if found.status is not Status.MISMATCH or not (there := found.evidence):
            return found
        ours, theirs = denials(self._claim, mention), denials(self._sources[there.index], there.mention)
        return _doubted(found) if ours % 2 != theirs % 2 else found

    def _tells_else(self, there: _There) -> bool:
        """Whether its sentence has the claim's words but for one: "12 were hurt" does not tell how many died."""
        apart = self._words_apart(there)
        if apart is None or len(apart) != 1:
            return False
        ours, theirs = (word.text[0] for word in apart[0])
        return ours.isalpha() and theirs.isalpha() and ours.isupper() == theirs.isupper()

    def _words_apart(self, there: _There) -> Sequence[tuple[Word, Word]] | None:
        """Where its sentence has other words than the claim, of equally many; None where it has more or fewer."""
        source, claim = self._sources[there.index], self._claim
        start, _ = source.text.offsets(there.mention.begin, there.mention.end)
        begin, end = source.terms.sentence_of(source.terms.place_at(start))
        if max(end - begin, len(claim.terms.words)) > _LONGEST_FORM:
            return None
        ours, theirs = self._beside, source.told_beside(begin, end)
        if len(ours) != len(theirs):
            return None
        return [pair for pair in zip(ours, theirs, strict=True) if pair[0].key != pair[1].key]

    @cached_property
    def _beside(self) -> Sequence[Word]:
        """What the claim tells beside its numbers."""
        return self._claim.told_beside(0, len(self._claim.terms.words))

    def _unless_written(self, mention: Quantity | DateMention, found: Aligned) -> Aligned:
        """What was ``found``; in doubt where the evidence has the same digits, whatever they were taken for."""
        written = self._claim.text.word(mention.begin)
        is_plain = mention.end == mention.begin + 1 and len(written) >= _TELLING_DIGITS
        is_open = mention.bound if isinstance(mention, Quantity) else mention.window
        if is_plain and not is_open and any(written in text.words for text in self._texts):
            return _doubted(found)
        return found

    def _is_told(self, change: changes.WordChange) -> bool:
        """Whether the changed words bound a quantity or a date, or are one, which have findings of their own."""
        begin, end = change.claim
        if change.kind in {"negation", "opposite"}:
            are_bounds = stands_in_bounds(self._claim, begin, end)
            are_bounds = are_bounds and stands_in_bounds(self._sources[change.source], *change.evidence)
            if are_bounds or change.kind == "negation":
                return are_bounds
        words = {*self._claim.text.lowered[begin:end]}
        is_bound = change.kind == "opposite" and words <= bounding_words(self._claim.text.language)
        if change.kind != "number" and not is_bound:
            return False
        stretches = (stretch_of(self._claim.text, mention) for mention in self._said)
        return any(first - 3 <= begin < until and first <= end + 2 for first, until in stretches)


def _denied(numbers: Sequence[tuple[Quantity | DateMention, Aligned]]) -> list[_There]:
    """What contradicts them."""
    return [there for _, found in numbers if found.status is Status.MISMATCH and (there := found.evidence)]


def _doubted(found: Aligned) -> Aligned:
    return replace(found, status=Status.MISSING) if found.status is Status.MISMATCH else found
