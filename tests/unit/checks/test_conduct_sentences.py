"""Which sentences give something up, take that back, or applaud, and which only look so."""

import pytest

from sparring.checks.conduct import Spoken, concessions, conduct, withdrawals
from sparring.schema.base import Role
from sparring.schema.debate import FlagKind

GIVES_UP = """
I concede: the retry loop has no upper bound.
I fully concede the second point; the lock is taken twice.
**Conceded.** The file `src/store/files.py:41` does not call fsync.
- **C1.3** — Conceded. There is no test for the Windows branch.
You're right that the parser accepts trailing commas.
You’re right – the cache is never invalidated on rename.
You are correct that `run_child` swallows the exit code.
The challenger is right about the lock order.
The challenger is partly right: the timeout is per call and not per run.
I was wrong about the default; it is 240 seconds.
We were wrong about the lock.
Fair point, the README does not mention the flag.
**Fair point.** The benchmark ran on one machine only.
Granted, nothing in the tree tests a full disk.
I grant that two writers can race here, but the window is small.
I'll grant you that: the name is misleading.
I must admit that the migration has no rollback.
I accept that criticism: my number came from a warm cache.
I accept the challenger's point on error handling, and narrow my claim to reads.
I stand corrected: `journal.py` does chain the hashes.
I withdraw the claim that no caller depends on it.
I retract my argument about startup time.
I overlooked the second caller in `app/keeping.py`.
I overstated the cost of the index.
My earlier claim about memory was too strong.
Concession: the lock is missing.
1. **Agreed.** The docstring is out of date.
That criticism is fair, and I have no counter-evidence.
Your objection to the polling interval is valid.
This is a legitimate concern, and my opening did not address it.
I don't dispute that the regex is slow on long lines.
I cannot defend the 40 % figure.
It is not elegant, but you are right about the order of the arguments.
Point taken: I should have cited the test.
I no longer claim that the check is complete.
C2.1: I concede that if the disk is full the journal is truncated.
The challenger correctly notes that the hook runs before the lock is taken.
Tôi thừa nhận rằng không có kiểm thử nào cho nhánh này.
On reflection, you’re right that the cache key omits the locale (`src/i18n/cache.ts:88`).
Concede. I have no evidence that the second path is exercised.
The challenger’s point about Windows is well taken: `os.fsync` on a directory raises there.
I was mistaken in claiming that `Transcript` is mutable.
I will concede that the migration guide is silent on this.
I partially concede this: the error message does not say which file.
Yes, I concede the DX cost, but it is paid once.
It is fair to say I underestimated the cost of a cold start, and I concede that.
I concede this point in full, and my position now is that the lock must be held across the rename.
You have a point: two of the five callers pass `None`.
On C1.4 I concede. The flag was undocumented until commit `4d798ac`.
**Concession:** the 3.2x figure has no source and I withdraw it.
I retract the 3.2x figure; it came from a different machine.
I’ll narrow my claim: it holds for POSIX only.
The security concern is valid: the token is written before the mode is set.
I misread `consult/process.py:112`; the grace period is 2 s, not 5 s.
Good catch — the fallback in `hosts.py:40` is unreachable.
My statement that "no test covers this" was wrong; `tests/unit/test_runner.py:210` does.
I admit I did not check the Windows branch.
We concede that a single index file would be simpler to debug.
Point C1.2 is conceded.
This is a fair criticism. The opening gave no line for it.
That’s true: nothing bounds the queue.
You correctly identified that the journal is read twice.
I accept this correction.
I drop the claim about memory.
I have to concede that the current tests would not catch this.
Concession accepted: I should have said "at most once".
I grant the premise that latency matters here, and still prefer the simpler design.
The proposer is right that `SPARRING_DEPTH` guards against recursion.
To be clear, I agree that I was wrong on the default timeout.
- Lock ordering: conceded, see `store/files.py:77`.
- *Conceded*: we lose ordering guarantees under contention.
I can no longer defend the claim that startup is unaffected.
I made a mistake in citing `runner.py:300`; the file has 180 lines.
The point about `O_EXCL` holds up; I concede that two processes could win.
Your reading of `journal.py` is accurate: the tail is dropped silently.
I concede, with the caveat that this only happens on network file systems.
You're right to flag the missing fsync. The fix is one line.
I'll accept that the naming is confusing for newcomers.
I concede both points on developer experience.
C1.1 is correct and I concede it.
Reluctantly, I concede that a daemon would be faster.
Honestly, I was wrong here.
I take the point about portability, and amend my proposal accordingly.
**On security: conceded.** The socket is world-readable (`serve.py:31`).
I agree with the challenger that the default is too low, and I revise my recommendation to 240 s.
My opening overstated the benefit; I withdraw the "10x" claim.
We no longer maintain that the index is required.
I concede the narrower point: the retry is not idempotent for POST.
The challenger is correct that there is no test for the empty file.
As the challenger rightly points out, `rename` is not atomic across devices.
I had this wrong: the guard is on the other branch.
I must revise my claim about linear time.
That objection is sound, and it changes my recommendation.
I'm conceding C1.1 outright: there is no cross-process lock.
We have to grant that the index is rebuilt on every start.
The objection to my benchmark is fair; it was a single run.
Challenge 3 is accepted: the error text leaks the path.
My estimate of 2 ms was off, and I was wrong to present it as measured.
It was a mistake to cite `README.md:12`; I retract that citation.
Claude is correct about the exit code, it is 4 and not 3.
I cannot back up the claim that nobody uses this flag.
You are partly right: the guard only exists on Linux.
C2.2 is well taken.
I no longer dispute that the parser is recursive.
Admittedly, no test exercises the timeout branch.
I did overlook `consult/process.py:88`.
I give up the stronger version of my claim.
The proposer's reading of `journal.py:40` is right, and mine was not.
Yes — conceded.
I readily accept the correction about the default.
Good point: the cache key ignores the locale.
I underestimated the migration cost.
I have no rebuttal to the Windows objection.
"""

GIVES_NOTHING_UP = """
I do not concede this point.
I don’t concede anything here.
I concede nothing.
We concede no ground on correctness.
If you are right, I would change the default.
Even if I conceded the lock order, the design would stand.
If the benchmark holds on Linux, I will concede the point.
I would concede if there were a single failing test.
I will concede once you cite a line.
The proposer concedes that the lock is missing.
They concede the central claim and then ignore it.
You conceded in round 1 that the flag is unused.
Having conceded the first point, the proposer changes the subject.
Do I concede? No.
Why should I concede a point that has no evidence?
> I concede nothing of yours, and you are right.
The proposer wrote: "You are right that the cache is stale."
Claiming “I was wrong about the lock” would be premature.
The test prints `I concede` and exits.
Conceded: 0.
Conceded by the proposer in round 2: the flag is unused.
The lock is right.
It is not true that you are right about the parser.
I do not think you are right about the parser.
You claim that you are right, but cite nothing.
The proposer assumes the challenger is right only where it is convenient.
We grant access tokens for an hour.
The server will accept that header.
The challenger is not right about the lock order.
I refuse to say I was wrong.
My claim was never that the cache is free.
Whether the challenger is right depends on the platform.
Your objection is not valid, because `files.py:12` handles it.
That would be a fair point if the file existed.
I withdraw what I conceded.
I no longer concede the lock order.
Tôi không thừa nhận điểm này.
Unless the proposer cites a test, I concede nothing on C1.3.
This is not a concession; it is a clarification.
The proposer's concession in round 1 stands and cannot be walked back.
You granted that the lock is held; you cannot now say it is not.
The proposer has conceded C1.1, which was the load-bearing claim.
I maintain my position on the retry loop.
My position does not change.
I reject this: `retries.py:30` bounds the loop at three.
It would be wrong to concede this on the strength of one anecdote.
I would only concede this if `git log` showed such a commit.
There is nothing to concede here.
Had the proposer shown a test, I might have conceded the point.
The claim that "I concede" was ever said is false.
The user is right to expect an error message here.
Left and right operands are swapped in `compare()`.
What would it take for me to concede this?
I ask the challenger to concede this point.
The challenger must concede that the file exists.
This defense is unsupported, and the proposer admits as much.
We accept JSON and YAML, see `README.md:30`.
The parser accepts that input without complaint.
The API grants that permission only to owners.
I cannot agree that the risk is acceptable.
The proposer says I was wrong, yet `files.py:41` has no fsync.
Neither side has conceded this.
Granted permissions are never revoked, which is the flaw.
A fair point-in-time snapshot would need a lock.
It is a valid point estimate, but has no interval.
Nobody can say that I conceded this.
This only works when you are right about the ordering, and you are not.
The challenger is wrong about the lock order.
Rather than concede, the proposer repeats its opening.
My claim was that the loop is bounded, and it is (`retries.py:30`).
The right approach is to hold the lock.
Admittance control would drop the request.
If I accept that premise, the design still holds.
The proposer now admits that the guard is missing, which is the whole case.
I am not conceding the larger point.
Conceding this would gut the design.
The concession does not go far enough.
The proposer accepts the risk without a mitigation.
I accept no responsibility for the benchmark.
We are not wrong to prefer the simpler path.
The proposer would have me say that I was wrong about the lock.
You say "fair point", then ignore it.
Your point is not supported by any line.
Your argument is that the cache is valid for one hour.
The claim is right there in the README.
The check is correct, see `quotes.py:88`.
This is correct behavior, as `tests/a.py:3` shows.
Before I concede anything, show me the trace.
If the challenger is right, then the fix is trivial.
The lock was granted, then lost.
Wrong: the file exists.
The accepted value is 3.
I wonder whether you are correct about that file.
The proposer should concede this point.
Nothing here needs to be conceded.
I won't concede that without a failing test.
The proposer conceded C1.1; hold them to it.
Accepting this would mean rewriting the store.
I accept requests over stdio only.
The lock is granted after 30 s.
You have not shown that I was wrong.
The default is right for most users.
The correct reading is in `docs/rules.md:20`.
I would be wrong only if the file did not exist.
The critic is wrong about the parser.
No concession follows from that.
A valid point would cite a line.
The proposer claims it was right about the cache.
This objection is not valid on Linux.
I maintain that the challenger is wrong.
To concede this is to concede everything.
My claim is correct: see `runner.py:60`.
Whether I was wrong is for the judge to decide.
"""


def lines(table: str) -> list[str]:
    return table.strip().split("\n")


@pytest.mark.parametrize("said", lines(GIVES_UP))
def test_what_gives_something_up_is_a_concession(said: str) -> None:
    assert concessions(said) != ()


@pytest.mark.parametrize("said", lines(GIVES_NOTHING_UP))
def test_what_only_sounds_like_it_is_none(said: str) -> None:
    assert concessions(said) == ()


TAKES_BACK = """
I withdraw my concession on the lock order.
I retract what I granted about the retry loop.
I no longer concede that the cache is stale.
Contrary to what I granted in round 1, the flag is used.
Contrary to my earlier concession, `app/keeping.py:20` does call it.
I take that back: the test exists after all.
I am taking back my concession about memory.
I must withdraw the concession I made in round 2.
I retract that.
I should not have conceded the point on startup time.
I conceded too quickly that nobody calls it.
I was wrong to concede the lock order.
My concession in round 1 was premature.
My concession on the parser no longer stands.
Tôi rút lại sự nhượng bộ về kiểm thử.
I now withdraw the concession on C1.2, since `tests/unit/test_files.py:88` covers it.
Having looked again, I retract my round-1 concession about the journal.
In round 1 I conceded the point too readily; `journal.py:40` chains the hashes.
I must walk back my concession that no test exists.
I hereby revoke the admission I made about memory.
That concession was a mistake, and I take it back.
My earlier concession about fsync is withdrawn.
I no longer accept that the queue is unbounded.
I was too quick to concede the retry point.
Contrary to what I conceded earlier, the flag is documented in `README.md:80`.
I shouldn't have conceded C1.1.
I’m withdrawing my concession on startup time.
On reflection I retract my concession regarding `rename`.
I am walking back my concession on DX.
My round 2 concession was premature, as `cli.py:9` shows.
I take back what I accepted about the index.
I am withdrawing my earlier concession on C1.1.
I agreed too hastily that the index is needless.
The concession I made in round 1 was wrong, and I withdraw it.
I no longer agree that the flag is unused.
"""

TAKES_NOTHING_BACK = """
I do not withdraw my concession.
I will not walk back my concession on the lock.
If that test fails, I withdraw my concession.
You cannot withdraw your concession now.
The proposer withdraws its concession without new evidence.
I retract nothing that I said.
I withdraw the claim that no caller depends on it.
I retract my argument about startup time.
Should I take that back?
My concession on the parser stands.
As I conceded in round 1, the flag is unused.
The function can retract the arm by 3 mm.
> I withdraw my concession.
The proposer is walking back its round-1 concession on C1.1.
I hold the proposer to the concession it made in round 1.
I do not take back what I conceded in round 1.
You may not retract that now.
My concession from round 1 still stands.
I withdraw nothing.
I withdraw challenge C1.3, since the test at `tests/a.py:3` settles it.
The transaction takes the lock back after the rename.
I would retract the concession if the test were gone.
I retract the claim, not the conclusion.
The proposer cannot retract its concession.
They now withdraw the concession of round 1 without new evidence.
The concession was withdrawn by the proposer.
I will not let the proposer take that back.
I retract my objection.
I stand by my concession in round 1.
The proposer is taking back its concession.
I withdraw C1.3.
Nobody should take back a concession without evidence.
"""


@pytest.mark.parametrize("said", lines(TAKES_BACK))
def test_what_takes_a_concession_back_is_a_withdrawal_and_no_concession(said: str) -> None:
    assert len(withdrawals(said)) == 1
    assert concessions(said) == ()


@pytest.mark.parametrize("said", lines(TAKES_NOTHING_BACK))
def test_what_takes_no_concession_back_is_no_withdrawal(said: str) -> None:
    assert withdrawals(said) == ()


APPLAUDS = """
Great point about the cache!
That's a great question, and the proposer handles it well.
Excellent analysis. However, the lock is missing.
You're absolutely right that we need a lock.
You’re absolutely right!
I appreciate the thoughtful opening, but it misses the Windows case.
I really appreciate your detailed response.
The proposer makes a compelling case for SQLite.
The proposer presents a thoughtful and well-structured argument.
Thank you for the detailed defense.
Thanks for the clear write-up.
Your analysis is very thorough.
The proposer's analysis is impressive.
Absolutely right. Now to the details.
Well argued, though the numbers are missing.
Kudos to the proposer for citing lines.
**Great catch!** The fallback is indeed unreachable.
What an insightful argument.
You raise several excellent points.
The proposer has made some strong points here.
This is a really strong opening.
I commend the proposer for citing real lines.
Strong opening. Let me start with the weaknesses.
The opening is well-reasoned, but leaves out security.
"""

DOES_NOT_APPLAUD = """
The opening cites no line on security.
The strongest argument against the position is the missing lock.
This claim is unsupported.
A great deal of work remains before this is safe.
The proposer's strong claims have no evidence.
The opening makes a strong claim without a source.
That is not a great argument.
This would be a great point if the file existed.
What's wrong: the lock is missing.
I do not appreciate the tone.
You are right that the lock is missing, see `a.py:3`.
The proposer says "great point" and moves on.
Good defaults matter here, and these are not.
Is this an excellent analysis?
The proposer fails to make a strong case.
The answer is exactly one line long.
Correctness: the cache is stale.
Impressive numbers need a source.
The analysis is thin on security.
The proposer raises a point that has no evidence.
"""


def applauds(said: str) -> bool:
    found = conduct([Spoken(Role.CHALLENGER, 1, said, None)])
    return any(flag.kind is FlagKind.PRAISE for flag in found.flags)


@pytest.mark.parametrize("said", lines(APPLAUDS))
def test_a_speech_that_begins_by_applauding_the_other_is_flagged(said: str) -> None:
    assert applauds(said)


@pytest.mark.parametrize("said", lines(DOES_NOT_APPLAUD))
def test_criticism_and_praise_of_nobody_are_not_flagged(said: str) -> None:
    assert not applauds(said)
