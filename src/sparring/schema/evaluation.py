"""Records of an evaluation: its plan, the answers of all arms on each row, and the results.

Shares lie between 0 and 1. Unknown values are None, never 0.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Literal

from pydantic import AwareDatetime, Field

from sparring.schema.base import Record
from sparring.schema.pairs import SeatLabel

EVALUATION_VERSION = 1


class SpendUnit(StrEnum):
    """Unit in which arms spend the same."""

    CALLS = "calls"
    TOKENS = "tokens"
    USD = "usd"


class ArmUse(Record):
    """Use of an arm, for one row or for several.

    Attributes:
        tokens: None where an answer came without a count.
        cost_usd: None where an answer came without a price.
        seconds: Time of the questions; concurrent questions count once.
    """

    calls: int = 0
    tokens: int | None = 0
    cost_usd: float | None = 0.0
    seconds: float = 0.0

    def of(self, budget: SpendUnit) -> float | None:
        """Return the amount in the unit of ``budget``; None where it is not known."""
        return {SpendUnit.CALLS: self.calls, SpendUnit.TOKENS: self.tokens, SpendUnit.USD: self.cost_usd}[budget]


class ArmRow(Record):
    """Answer of one arm on one row.

    Attributes:
        label: None is an abstention: no answer, or not enough of them.
        votes: Labels of the samples that were counted, where the arm counts votes; None for a failed sample.
        run: Key of the run in the ledger, in hexadecimal digits; empty where the arm has no run.
        failure: Code of the failure where there is no label; empty otherwise.
        confidence: As stated by the deciding participant; None where none is stated.
    """

    label: str | None
    votes: tuple[str | None, ...] = ()
    use: ArmUse = ArmUse()
    run: str = ""
    failure: str = ""
    confidence: float | None = Field(default=None, ge=0, le=1)


class EvaluatedRow(Record):
    """One labelled row with the answers of all arms.

    Attributes:
        row: Its place in the table, from 1.
        about: The beginning of its subject.
        group: Value of the column that the setting ``group`` names; empty without one.
        seats: The blind and the final answer of each seat.
        by_code: The label that code alone gives; None where it leaves the row open.
    """

    row: int
    row_id: str = ""
    about: str = ""
    group: str = ""
    gold: str
    seats: tuple[SeatLabel, ...] = ()
    by_code: str | None = None
    arms: Mapping[str, ArmRow]


class PlannedSeat(Record):
    """A seat that answers blind."""

    tool: str
    model: str | None = None


class PlannedPrice(Record):
    """Expected use of all arms together, with an empty ledger; what several arms ask is counted once.

    Attributes:
        calls: Questions in the usual course of the format.
        prompt_tokens: Of their prompts, by a rule of thumb.
        tokens: Of prompts and answers, by earlier answers of the same tools; None without any.
        cost_usd: Also by earlier answers; 0 without a paid provider, None where a tool has reported no price so far.
        answers: Earlier answers by which tokens and price were estimated.
        expected_if: The condition of the usual course.
    """

    calls: int = Field(ge=0)
    prompt_tokens: int = Field(ge=0)
    tokens: int | None
    cost_usd: float | None
    answers: int = Field(ge=0)
    expected_if: str = ""


class EvaluationPlan(Record):
    """Plan of an evaluation, made before anything is paid.

    Attributes:
        about: The arm that the first sentence is about.
        against: The arm that it is compared with.
        margin: The largest loss of accuracy that still counts as "no worse".
        looks: Numbers of rows after which the evaluation may stop.
        rows: Rows of the table.
        rows_needed: Rows that show a difference of ``margin`` with 80 % power, at ``assumed_discordance``.
        detectable: The smallest difference that ``rows`` show with 80 % power; None where they show none.
        calls: The fewest and the most that all arms together can take.
        price: Expected use; an evaluation that uses more or less does not deviate from its plan.
        prompts_sha256: Digest of the prompts of the format.
        table_sha256: Digest of the rows with their labels.
    """

    version: Literal[1] = EVALUATION_VERSION
    format: str
    arms: tuple[str, ...]
    about: str
    against: str
    seats: tuple[PlannedSeat, ...]
    options: Mapping[str, str]
    budget: SpendUnit
    margin: float
    group: str = ""
    gate: str = ""
    looks: tuple[int, ...] = ()
    seed: int
    rows: int
    assumed_discordance: float
    rows_needed: int
    detectable: float | None
    calls: tuple[int, int]
    price: PlannedPrice
    prompts_sha256: str
    table_sha256: str
    sparring_version: str
    declared_at: AwareDatetime


class EvaluationVerdict(StrEnum):
    """The four sentences that an evaluation can end in."""

    BETTER = "better"
    NO_WORSE = "no_worse_and_cheaper"
    WORSE = "worse"
    CANNOT_TELL = "cannot_tell"


class ArmScores(Record):
    """Accuracy of an arm on a set of rows; an abstention is not right.

    Attributes:
        interval: Wilson's, 95 %.
    """

    rows: int
    right: int
    accuracy: float | None
    interval: tuple[float, float]
    macro_f1: float | None


class MeasuredArm(Record):
    """One arm over the table.

    Attributes:
        whole: On all rows; an abstention counts as wrong.
        answered: On the rows that all arms answered.
        selective_accuracy: On the rows that this arm answered; None where there are none.
        per_row: Mean use of a row.
        spend_ratio: Spend relative to the debate's, in the unit of the budget; None where one is not known.
        brier, calibration_error: Of stated confidence; None where none is stated.
    """

    name: str
    whole: ArmScores
    answered: ArmScores
    abstained: int
    selective_accuracy: float | None
    use: ArmUse
    spend_ratio: float | None
    brier: float | None = None
    calibration_error: float | None = None


class NonInferiority(Record):
    """Tests against a margin.

    Attributes:
        p_no_worse: One-sided: small where the first arm loses less than the margin.
        p_equivalent: TOST: small where the arms differ by less than the margin, either way.
    """

    margin: float
    p_no_worse: float
    p_equivalent: float


class Pair(Record):
    """Two arms on the rows that both answered.

    Attributes:
        wins, losses: Rows that only ``arm`` has right, and only ``against``.
        p_holm: The p value that decides (exact, or anytime-valid under looks), adjusted over all arms.
        cheaper: Whether ``arm`` used less, in the unit of the budget, by more than 2 %; None where that is not known.
        difference_all: Difference on all rows, an abstention counted as wrong.
        usd_per_right, seconds_per_right: Cost of each additional right row; None where none is added.
        rows_needed: Rows needed for a decision; None where these suffice.
    """

    arm: str
    against: str
    rows: int
    wins: int
    losses: int
    difference: float
    interval: tuple[float, float]
    p_exact: float
    p_mid: float
    e_value: float
    p_holm: float
    tost: NonInferiority
    cheaper: bool | None
    difference_all: float
    use_per_right: float | None
    usd_per_right: float | None
    seconds_per_right: float | None
    verdict: EvaluationVerdict
    rows_needed: int | None
    sentence: str


class Part(Record):
    """Part of the rows: by agreement of the seats in the first round, or by group."""

    name: str
    rows: int
    right: Mapping[str, int]
    wins: int
    losses: int


class DebateFigures(Record):
    """Effect of the exchange between seats, counted in votes of a seat on a row.

    Attributes:
        fixed, broke, kept: Votes that went from wrong to right, from right to wrong, and stayed the same.
        conformed: Right votes of a minority that went over to a wrong majority; ``could_conform`` counts candidates.
        oracle: Share of rows on which at least one seat was right blind.
        oracle_gap: ``oracle`` minus the accuracy of the debate.
        flow: Rows by outcome of the first round's vote and of the debate, as ``right->wrong``.
    """

    fixed: int
    broke: int
    kept: int
    conformed: int
    could_conform: int
    oracle: float | None
    oracle_gap: float | None
    flow: Mapping[str, int]
    by_agreement: tuple[Part, ...]


class SeatFigures(Record):
    """A seat in the first round."""

    seat: str
    tool: str | None
    rows: int
    right: int
    accuracy: float | None


class GateFigures(Record):
    """Saving and risk of deciding rows by code.

    Attributes:
        decided, right: Rows that code decides, and those of them that it has right.
        saved: Use of the arm for these rows.
        gained, lost: Of them, rows that only code has right, and rows that only the arm has right.
    """

    arm: str
    decided: int
    right: int
    saved: ArmUse
    gained: int
    lost: int


class Evaluation(Record):
    """All results of the rows.

    Attributes:
        sentence: The first line of the report.
        rows: Rows that were evaluated: fewer than planned where a look ended the evaluation.
        deviations: Where the evaluation differs from its plan, in sentences.
        notices: Further notices for a reader, in sentences.
    """

    version: Literal[1] = EVALUATION_VERSION
    verdict: EvaluationVerdict
    sentence: str
    plan: EvaluationPlan
    rows: int
    arms: tuple[MeasuredArm, ...]
    pairs: tuple[Pair, ...]
    debate: DebateFigures | None
    groups: tuple[Part, ...] = ()
    seats: tuple[SeatFigures, ...]
    error_correlation: float | None
    effective_votes: float | None
    krippendorff_alpha: float | None
    gate: GateFigures | None = None
    escalation: str | None = None
    deviations: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
