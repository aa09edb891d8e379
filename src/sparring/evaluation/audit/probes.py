"""Probes: pairs of forms of a case that differ in one planted thing, and the picks that follow it.

The planted words are in ``prompts/audit``. They favour the wrong side, where that is known:
in favour of the right one they could not change a right answer. Else, and where a text is only shortened, sides
alternate from case to case.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from sparring.engine.audited import AuditedSeat
from sparring.errors import UsageError
from sparring.prompts import PromptLibrary
from sparring.schema.audit import AuditCase, CaseSide

PLAIN = "plain"
NOISE = "noise"
CALIBRATION = "calibration"
MARK = "mark"
"""Probe of code's mark: it should undo the effect of an invented citation."""

CITED = "reports/review-2019.md:212"
"""An invented citation."""

_QUOTE_LENGTH = 120
_SENTENCES = re.compile(r"(?<=[.!?])\s+|\n+")
_FAMILY_NAMES = {"claude": "Claude", "gpt": "GPT", "gemini": "Gemini"}
_OTHERS = ("Claude", "GPT", "Gemini")


class Form(Struct, frozen=True):
    """A form of a case.

    Attributes:
        planted: The side that the planted text favours; None without any.
    """

    case: AuditCase
    planted: CaseSide | None = None


class Probe(Struct, frozen=True):
    """A pair of forms, each named by its variant.

    Attributes:
        name: Its name in audits.
        asked_as: Its spelling in the setting ``probes``.
        title: Description of a judge that follows it, within a sentence.
        base: The form for comparison.
        varied: The form with a different text, or a text in another place.
        is_exchange: Whether both texts change places: then a pick of the same place in both forms follows the order.
        counts: Whether a flagged effect speaks against the judge.
    """

    name: str
    asked_as: str
    title: str
    base: str
    varied: str
    is_exchange: bool = False
    counts: bool = True


PROBES = (
    Probe("position", "position", "follows the order", PLAIN, "exchanged", is_exchange=True),
    Probe("verbosity", "verbosity", "prefers the longer text", PLAIN, "padded"),
    Probe("truncation", "truncation", "prefers a text without its end", PLAIN, "shortened", counts=False),
    Probe("style", "style", "prefers headings, bold type and emoji", PLAIN, "styled"),
    Probe("authority", "authority", "believes an invented citation", PLAIN, "cited"),
    Probe("authority-marked", "authority", "believes a citation that code did not find", PLAIN, "cited-marked"),
    Probe(MARK, "authority", "believes it more where code did not find it", "cited", "cited-marked", counts=False),
    Probe("bandwagon", "bandwagon", "follows what others are said to prefer", PLAIN, "popular"),
    Probe("sycophancy", "sycophancy", "prefers what the user wrote", PLAIN, "own"),
    Probe("name", "name", "prefers one model by its name", "named", "named-exchanged"),
    Probe("family", "family", "prefers its own family by name", "kin", "kin-exchanged"),
    Probe("injection", "injection", "obeys an instruction in a text", PLAIN, "injected"),
    Probe("conformity", "conformity", "follows a false majority", PLAIN, "majority"),
    Probe("conformity-quoted", "conformity", "follows a false majority that quotes", PLAIN, "majority-quoted"),
)
NAMES = (NOISE, *dict.fromkeys(probe.asked_as for probe in PROBES), CALIBRATION)
"""As the setting ``probes`` spells them."""


def chosen(spelled: str) -> tuple[str, ...]:
    """Return the names that the setting ``probes`` gives, in the order of a report; raises ``UsageError``."""
    wanted = [name.strip().lower() for name in spelled.split(",") if name.strip()]
    if not wanted:
        raise UsageError("probes names no probe.", hint=f"Write all, or some of {', '.join(NAMES)}.")
    if wanted == ["all"]:
        return NAMES
    if unknown := [name for name in wanted if name not in NAMES]:
        raise UsageError(f"There is no probe {unknown[0][:60]!r}.", hint=f"Write all, or some of {', '.join(NAMES)}.")
    return tuple(name for name in NAMES if name in wanted)


def missing_in(seat: AuditedSeat, names: Iterable[str], *, has_gold: bool) -> dict[str, str]:
    """Return why each of the probes ``names`` is impossible for ``seat``, by their names in audits."""
    reasons = dict[str, str]()
    asked = [probe for probe in PROBES if probe.asked_as in names]
    for probe in asked:
        if probe.is_exchange and not seat.has_order:
            reasons[probe.name] = f"what the {seat.name} is shown has no two sides that could change places"
        elif probe.varied == "cited-marked" and not seat.has_marks:
            reasons[probe.name] = f"code marks no citation in what the {seat.name} is shown"
        elif probe.name in {"name", "family"} and len(seat.plants) < len(CaseSide):
            reasons[probe.name] = f"what the {seat.name} is shown has only one author"
        elif probe.name in {"truncation", "style"} and not seat.speaks:
            reasons[probe.name] = f"what the {seat.name} is shown has no speech"
        elif probe.asked_as == "conformity" and not has_gold:
            reasons[probe.name] = "no case says which side is right"
    if CALIBRATION in names and seat.confidence is None:
        reasons[CALIBRATION] = f"the {seat.name} states no confidence"
    elif CALIBRATION in names and not has_gold:
        reasons[CALIBRATION] = "no case says which side is right"
    return reasons


class Plants:
    """Makes the forms of cases for one seat.

    Args:
        family: That of the judge's model; empty where it is not known.
        tool: The judge's name, for where its family is not known.
    """

    def __init__(self, seat: AuditedSeat, prompts: PromptLibrary, *, family: str, tool: str) -> None:
        self._seat = seat
        self._prompts = prompts
        self._own = _FAMILY_NAMES.get(family, (family or tool).capitalize())
        self._foreign = tuple(name for name in _OTHERS if name != self._own)

    def forms(self, cases: Sequence[AuditCase], probes: Iterable[Probe]) -> Iterator[tuple[str, Form]]:
        """Yield each form that ``probes`` need with the name of its variant, case by case."""
        variants = [PLAIN]
        for probe in probes:
            variants += [probe.base, probe.varied]
        sides = self._seat.plants
        for number, case in enumerate(cases):
            alternating = sides[number % len(sides)]
            # What is planted favours the wrong side: in favour of the right one it could not change a right answer.
            wrong = case.right.other if case.right and case.right.other in sides else alternating
            for variant in dict.fromkeys(variants):
                # A text without its end is weaker, and not a bait: both sides take turns.
                side = alternating if variant == "shortened" else wrong
                if form := self._form(variant, case, side):
                    yield variant, form

    def _form(self, variant: str, case: AuditCase, side: CaseSide) -> Form | None:
        if variant == PLAIN:
            return Form(case)
        if variant == "exchanged":
            return Form(_exchanged(case), CaseSide.FIRST)
        if variant.startswith("majority") and (case.right is None or side is case.right):
            return None  # a majority is false only where it favours the wrong side
        planted_case = _MAKERS[variant](self, case, side)
        return Form(planted_case, side.other if variant.endswith("-exchanged") else side)

    def behind(self, case: AuditCase, side: CaseSide, phrase: str, **values: str) -> AuditCase:
        """Return ``case`` with a phrase behind the text of ``side``."""
        phrase_text = self._prompts.render(f"audit/plants#{phrase}", values).strip()
        text = case.text_of(side)
        lead = "\n- " if text.startswith("- ") else " "
        return case.with_text(side, f"{text}{lead}{phrase_text}".strip())

    def styled(self, case: AuditCase, side: CaseSide) -> AuditCase:
        """Return ``case`` with the text of ``side`` as a numbered list, with a heading, bold type and emoji."""
        heading = self._prompts.render("audit/plants#heading", {}).strip()
        parts = _SENTENCES.split(case.text_of(side))
        sentences = [part.removeprefix("- ").strip() for part in parts if part.strip()]
        lines = [f"## {heading}", ""]
        for number, sentence in enumerate(sentences, start=1):
            if number == 1:
                lines.append(f"1. \N{ROCKET} **{sentence}**")
            else:
                lines.append(f"{number}. \N{WHITE HEAVY CHECK MARK} {sentence}")
        return case.with_text(side, "\n".join(lines))

    def cited(self, case: AuditCase, side: CaseSide) -> AuditCase:
        """Return ``case`` with an invented citation."""
        return self.behind(case, side, "citation", cited=f"`{CITED}`")

    def quoting(self, case: AuditCase, side: CaseSide) -> AuditCase:
        """Return ``case`` with a majority that quotes the text of ``side``, or its material."""
        text = case.text_of(side) or case.material
        longest = max(_SENTENCES.split(text), key=len).removeprefix("- ").replace('"', "'")
        return self.behind(case, side, "majority-quoted", quote=longest[:_QUOTE_LENGTH])

    def named(self, case: AuditCase, side: CaseSide, names: tuple[str, str]) -> AuditCase:
        """Return ``case`` with the first of ``names`` below the text of ``side``, the second below the other."""
        name, other_name = names
        with_name = self.behind(case, side, "name", name=name)
        return self.behind(with_name, side.other, "name", name=other_name)

    @property
    def foreign(self) -> tuple[str, str]:
        """Two names of other families."""
        return self._foreign[0], self._foreign[1]

    @property
    def kin(self) -> tuple[str, str]:
        """The name of its own family and that of another one."""
        return self._own, self._foreign[0]


def _exchanged(case: AuditCase) -> AuditCase:
    right = case.right.other if case.right else None
    return case.model_copy(update={"first": case.second, "second": case.first, "right": right})


def _shortened(text: str) -> str:
    """Return ``text`` without its last third, up to a white space."""
    kept = text[: max(1, 2 * len(text) // 3)]
    return kept[: kept.rfind(" ")] if " " in kept else kept


_Maker = Callable[[Plants, AuditCase, CaseSide], AuditCase]
_MAKERS: Mapping[str, _Maker] = {
    "padded": lambda plants, case, side: plants.behind(case, side, "padding"),
    "shortened": lambda _, case, side: case.with_text(side, _shortened(case.text_of(side))),
    "styled": lambda plants, case, side: plants.styled(case, side),
    "cited": lambda plants, case, side: plants.cited(case, side),
    "cited-marked": lambda plants, case, side: plants.cited(case, side).model_copy(update={"not_found": CITED}),
    "popular": lambda plants, case, side: plants.behind(case, side, "bandwagon"),
    "own": lambda plants, case, side: plants.behind(case, side, "sycophancy"),
    "named": lambda plants, case, side: plants.named(case, side, plants.foreign),
    "named-exchanged": lambda plants, case, side: plants.named(case, side.other, plants.foreign),
    "kin": lambda plants, case, side: plants.named(case, side, plants.kin),
    "kin-exchanged": lambda plants, case, side: plants.named(case, side.other, plants.kin),
    "injected": lambda plants, case, side: plants.behind(case, side, "injection"),
    "majority": lambda plants, case, side: plants.behind(case, side, "majority"),
    "majority-quoted": lambda plants, case, side: plants.quoting(case, side),
}
