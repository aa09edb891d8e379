"""List the providers: what each is, where its definition came from, and whether it can be asked here."""

from sparring.app.application import App
from sparring.providers.available import Missing
from sparring.schema.diagnosis import ListedProvider, ProviderList
from sparring.schema.providers import ProviderSpec
from sparring.text.tidying import for_terminal


def list_providers(app: App) -> ProviderList:
    """Every provider, in the order of preference; nothing is started."""
    roster = app.roster
    return ProviderList(
        provider_dir=_shown(app.settings.provider_dir),
        providers=tuple(_listed(app, spec) for spec in roster.providers.specs.values()),
        problems=tuple(_shown(problem) for problem in roster.providers.problems),
        ignored=tuple(_shown(file) for file in roster.ignored),
    )


def _listed(app: App, spec: ProviderSpec) -> ListedProvider:
    available = app.roster.available(spec)
    listed = ListedProvider(
        name=spec.name,
        kind=spec.kind,
        family=spec.family,
        title=spec.title,
        origin=_shown(app.roster.providers.origin(spec.name)),
        available=not isinstance(available, Missing),
    )
    if isinstance(available, Missing):
        return listed.model_copy(update={"problem": available.reason, "advice": available.hint})
    return listed.model_copy(update={"location": _shown(available.location or "")})


def _shown(found: object) -> str:
    # A path may hold bytes that are no text, and JSON holds only text.
    return for_terminal(str(found))
