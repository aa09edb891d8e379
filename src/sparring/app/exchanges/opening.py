"""Opening of a ledger, the project's own or a named one, for one batch."""

from collections.abc import AsyncGenerator, Callable, Iterable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial

import anyio
from anyio import to_thread

from sparring.app.application import App
from sparring.app.exchanges.pacing import Pacing, ToolRates
from sparring.app.exchanges.records import LedgerRecords
from sparring.app.exchanges.session import Exchanges
from sparring.schema.base import ToolName
from sparring.schema.providers import ApiProvider
from sparring.store.exchanges.amounts import Maximum
from sparring.store.exchanges.ledger import ExchangeLedger
from sparring.store.files import StateFolder
from sparring.store.ledger_origin import LEDGER


def ledger_of(app: App, address: str) -> str:
    """Return the address of the ledger at ``address``, or of the project's own, whose folder is created.

    Raises:
        StoreError: That folder cannot be written.
    """
    if not address:
        folder = StateFolder(app.place.state)
        folder.ensure_writable(app.place.state / LEDGER.parent)
        folder.hide_from_git(app.place.state / LEDGER.parent)
    return ledger_address(app, address)


def ledger_address(app: App, address: str) -> str:
    """Return the address of the ledger at ``address``, or of the project's own."""
    return address if "://" in address else str(app.settings.cwd / (address or app.place.state / LEDGER))


def models_of(app: App, tools: Iterable[ToolName]) -> Iterator[tuple[ToolName, str]]:
    """Yield the models that answer where none is requested, as far as the provider files name them."""
    for tool in dict.fromkeys(tools):
        spec = app.roster.spec(tool)
        if isinstance(spec, ApiProvider):
            variable = app.settings.environment.get(spec.model_variable or "", "")
            yield tool, variable.strip() or spec.model or ""


@asynccontextmanager
async def using_ledger(
    app: App,
    batch: Callable[[ExchangeLedger], str],
    maximum: Maximum,
    tools: Iterable[ToolName],
    *,
    address: str = "",
    rates: ToolRates | None = None,
    is_fresh: bool = False,
    notify: Callable[[str], None] = lambda _: None,
) -> AsyncGenerator[Exchanges]:
    """Ask through the ledger at ``address``, by default the project's own, while the block runs.

    Args:
        app: The project.
        batch: Creates the id of the batch whose limits apply.
        maximum: Limits of the batch, over all of its starts.
        tools: The tools to ask.
        address: A file, or an address of a Postgres database.
        rates: Rates and numbers of simultaneous requests of the tools.
        is_fresh: Whether to ignore earlier answers.
        notify: Receives notices for the user.

    Raises:
        StoreError: The ledger cannot be opened.
        UsageError: Other processes work on the batch with other limits.
    """
    opened = partial(
        ExchangeLedger.open,
        ledger_of(app, address),
        max_wait_s=app.settings.ledger_wait_s,
        spill_folder=app.place.state / LEDGER.parent,
        notify=notify,
        provenance=app.place.provenance,
    )
    ledger = await to_thread.run_sync(opened)
    try:
        async with AsyncExitStack() as stack:
            pacing = Pacing(LedgerRecords(ledger), rates or ToolRates({}, {}, {}))
            models = dict(models_of(app, tools))
            exchanges = Exchanges(
                ledger,
                batch(ledger),
                maximum,
                pacing,
                app.roster,
                lambda tool: models.get(tool, ""),
                app.roster.turns,
                is_fresh=is_fresh,
            )
            await stack.enter_async_context(pacing.running())
            yield exchanges
    finally:
        with anyio.CancelScope(shield=True):
            await to_thread.run_sync(ledger.close)
