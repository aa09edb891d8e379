import math

import pytest

from sparring.errors import SettingsError
from sparring.server.limits import ServerLimits


def test_the_environment_sets_how_long_a_call_waits() -> None:
    asked: list[dict[str, str]] = [{}, {"SPARRING_CALL_BUDGET_S": ""}, {"SPARRING_CALL_BUDGET_S": " 1 "}]
    assert [ServerLimits.of(each) for each in asked] == [
        ServerLimits(call_s=call_s, beat_s=4) for call_s in (44, 44, 1)
    ]


@pytest.mark.parametrize("asked", ["0", "46", "-1", "nan", "inf", "soon"])
def test_a_budget_that_no_host_could_mean_is_refused(asked: str) -> None:
    with pytest.raises(SettingsError, match=f"from 1 to 44, it is '{asked}'"):
        ServerLimits.of({"SPARRING_CALL_BUDGET_S": asked})


def test_a_user_sets_the_number_of_simultaneous_runs() -> None:
    assert ServerLimits.of({"SPARRING_MAX_RUNS": "9"}) == ServerLimits(most_runs=9)
    assert ServerLimits.of({}, most_runs=math.inf) == ServerLimits(most_runs=math.inf)
    with pytest.raises(SettingsError, match=r"must be a whole number from 1 to 1000, it is '2\.5'"):
        ServerLimits.of({"SPARRING_MAX_RUNS": "2.5"})
