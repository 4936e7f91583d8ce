"""Admission: what defaults a kind gets and which objects its webhooks refuse."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from devstack.cluster.admission import builtins, machines, storage
from devstack.cluster.admission.review import Review
from devstack.cluster.kinds import (
    CLAIM,
    DATA_VOLUME,
    EVENT,
    GUEST,
    MACHINE,
    NAMESPACE,
    NETWORK,
    POD,
    SECRET,
    VOLUME,
    Kind,
)

__all__ = ["ADMISSION", "Review", "Rules"]


def nothing(review: Review) -> None:
    """No opinion."""
    del review


@dataclass(frozen=True, slots=True)
class Rules:
    mutate: Callable[[Review], None] = nothing
    validate: Callable[[Review], None] = nothing


ADMISSION: Final[Mapping[Kind, Rules]] = {
    NAMESPACE: Rules(mutate=builtins.default_namespace),
    SECRET: Rules(mutate=builtins.default_secret, validate=builtins.validate_secret),
    POD: Rules(mutate=builtins.default_pod, validate=builtins.validate_pod),
    EVENT: Rules(validate=builtins.validate_event),
    CLAIM: Rules(mutate=storage.default_claim, validate=storage.validate_claim),
    VOLUME: Rules(mutate=storage.default_volume, validate=storage.validate_volume),
    DATA_VOLUME: Rules(validate=storage.validate_data_volume),
    NETWORK: Rules(validate=builtins.validate_network),
    MACHINE: Rules(mutate=machines.default_machine, validate=machines.validate_machine),
    GUEST: Rules(mutate=machines.default_guest, validate=machines.validate_guest),
}
