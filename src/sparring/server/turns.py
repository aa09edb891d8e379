"""What a call gets when its run asks the host: who it is now, what it is asked, and how it answers."""

from sparring.consult.host import Posted
from sparring.errors import UsageError
from sparring.jobs import Job
from sparring.prompts import PromptLibrary
from sparring.reports.places import place
from sparring.reports.progress import rounds_of
from sparring.server.results import ToolResult, paged


def your_turn(job: Job, prompts: PromptLibrary, page: int) -> ToolResult:
    """Page number ``page`` of the oldest thing that ``job`` asks the host; it must ask something.

    Raises:
        UsageError: There is no such page.
    """
    posted, run_id = job.mailbox.waiting[0], job.header.run_id
    frame = ToolResult(
        status="your_turn",
        run_id=run_id,
        ask_id=posted.ask_id,
        text="",
        next=f'It has {{pages}} pages; read all before you answer: call wait with run_id "{run_id}" and page {{page}}.',
    )
    last = f'Write it, and call answer with run_id "{run_id}", ask_id "{posted.ask_id}" and your text.'
    found = paged(frame, _prompt(posted, job, prompts), page, last)
    if found is None:
        raise no_such_page(run_id, page)
    return found


def no_such_page(run_id: str, page: int) -> UsageError:
    """That ``run_id`` has nothing for the host to read on that page."""
    return UsageError(f"There is no page {page} of what {run_id} asks you.", hint="Call wait without a page.")


def _prompt(posted: Posted, job: Job, prompts: PromptLibrary) -> str:
    where = place(posted, rounds_of(job.header.request))
    seat = ", ".join(part for part in (where.voice, where.stage) if part)
    values = {"tool": posted.tool, "run": job.header.run_id, "ask": posted.ask_id, "seat": seat}
    return prompts.render("host/your-turn", values | {"prompt": posted.prompt})
