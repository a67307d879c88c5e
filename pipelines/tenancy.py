"""What the sources of one tenant declare together: predicates and listeners, kept in the lake.

A basis names the definitions in force, so they are recorded before anything is extracted under
them. Listeners may not change under a recorded history: every mask would mean something else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from lakehouse.ledger import Ledger
from lakehouse.model.errors import ConfigurationError, ConflictError
from lakehouse.model.fold import CardinalityOf
from lakehouse.model.ledger import Stage
from lakehouse.model.listeners import Listener, Listeners
from lakehouse.model.predicates import Cardinality, Predicate
from pipelines.extract.declaration import Declaration

PREDICATES, LISTENERS, SOURCE = "predicates", "listeners", "source"


def record(ledger: Ledger, tenant: str, declarations: Iterable[Declaration]) -> None:
    """Record what the tenant's sources declare, where it differs from what is recorded.

    ConfigurationError where two sources disagree, ConflictError where listeners changed after
    beliefs were recorded, or a predicate changed its cardinality or kind.
    """
    mine = [declared for declared in declarations if declared.tenant == tenant]
    predicates = _predicates(mine)
    _keep_predicates(ledger, tenant, predicates)
    _keep_listeners(ledger, tenant, _listeners(mine))
    for name, predicate in predicates.items():
        ledger.define(tenant, PREDICATES, name, _plain(asdict(predicate)))
    for declared in mine:
        ledger.define(tenant, SOURCE, declared.name, dict(declared.body))


def cardinality_of(ledger: Ledger, tenant: str) -> CardinalityOf:
    """How many values a predicate of the tenant has at a time; undeclared ones have one."""
    declared = {
        name: Cardinality(str(body["cardinality"]))
        for name, body in ledger.definitions(tenant, PREDICATES).items()
    }
    return lambda predicate: declared.get(predicate, Cardinality.ONE)


def _predicates(declarations: Iterable[Declaration]) -> dict[str, Predicate]:
    found: dict[str, Predicate] = {}
    for declared in declarations:
        for name, rule in declared.predicates.items():
            if found.setdefault(name, rule.predicate) != rule.predicate:
                raise ConfigurationError(
                    f"predicate {name!r} of tenant {declared.tenant!r} is declared in two ways, "
                    f"the second in {declared.path}",
                    remedy="Give both sources the same cardinality and object kind.",
                )
    return found


def _keep_predicates(ledger: Ledger, tenant: str, wanted: Mapping[str, Predicate]) -> None:
    for name, body in ledger.definitions(tenant, PREDICATES).items():
        if name in wanted and body != _plain(asdict(wanted[name])):
            raise ConflictError(
                f"predicate {name!r} of tenant {tenant!r} is recorded as "
                f"{body['cardinality']} {body['object_kind']}, and is declared otherwise now",
                remedy="Keep the recorded declaration, or use another predicate name.",
            )


def _listeners(declarations: Iterable[Declaration]) -> tuple[Listener, ...]:
    found: dict[str, Listener] = {}
    for declared in declarations:
        for listener in declared.listeners:
            if found.setdefault(listener.name, listener) != listener:
                raise ConfigurationError(
                    f"listener {listener.name!r} of tenant {declared.tenant!r} is declared in "
                    f"two ways, the second in {declared.path}",
                    remedy="Give both sources the same rule.",
                )
    return tuple(found.values())


def _keep_listeners(ledger: Ledger, tenant: str, wanted: tuple[Listener, ...]) -> None:
    body = Listeners(wanted).as_record()
    recorded = ledger.definitions(tenant, LISTENERS).get(LISTENERS)
    if recorded == body:
        return
    if ledger.commits(tenant, stage=Stage.BELIEVE):
        raise ConflictError(
            f"the listeners of tenant {tenant!r} differ from those its beliefs were recorded for",
            remedy="Declare them as before; other listeners need a tenant of their own.",
        )
    ledger.define(tenant, LISTENERS, LISTENERS, body)


def _plain(fields: Mapping[str, Any]) -> dict[str, object]:
    return {name: str(value) for name, value in fields.items()}
