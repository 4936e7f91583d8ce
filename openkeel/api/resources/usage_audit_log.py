"""Whether usage audits ran: /os-instance_usage_audit_log."""

from datetime import datetime
from typing import Any, Final

from openkeel.api.answer_types import TEXTS
from openkeel.api.request import Request
from openkeel.api.schema import Query
from openkeel.api.tables import Field, Operation, Rendering, View, a
from openkeel.api.versions import V
from openkeel.domain.errors import Invalid
from openkeel.policies import usage_audit as rules
from openkeel.services.usage import DONE, RUNNING

# Fields


def _status(log: Any, _: Rendering) -> str:
    """Contract: the texts that tools look for."""
    done, hosts = log.in_state(DONE), len(log.hosts)
    ran = "ALL hosts" if done == hosts else f"{done} of {hosts} hosts"
    return f"{ran} done. {log.errors} errors."


def _runs(log: Any, _: Rendering) -> dict[str, Any]:
    return {
        host: {
            "state": run.state,
            "instances": run.task_items,
            "errors": run.errors,
            "message": run.message,
        }
        for host, run in log.runs.items()
    }


LOG: Final = View(
    Field("period_beginning", get=lambda log, _: str(log.begin)),
    Field("period_ending", get=lambda log, _: str(log.end)),
    Field("num_hosts", get=lambda log, _: len(log.hosts)),
    Field("num_hosts_done", get=lambda log, _: log.in_state(DONE)),
    Field("num_hosts_running", get=lambda log, _: log.in_state(RUNNING)),
    Field("num_hosts_not_run", get=lambda log, _: len(log.not_run)),
    Field("hosts_not_run", get=a("not_run"), type=TEXTS),
    Field("total_instances", get=a("servers")),
    Field("total_errors", get=a("errors")),
    Field("overall_status", get=_status),
    Field("log", get=_runs, shape=(".*", ".*.state", ".*.instances", ".*.errors", ".*.message")),
)

# Bodies and queries

NOTHING: Final = Query(strict_since=V.FLAVOR_NAME_FILTER, since=V.BASE)

_TIMES: Final = ("%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M:%S.%f")

# Handlers


def show_last(request: Request) -> Any:
    """The audit of the last period."""
    return request.services.usage.audit_log()


def show(request: Request) -> Any:
    """The audit of the last period before a time."""
    before = request.params["id"]
    for form in _TIMES:
        try:
            moment = datetime.strptime(before, form)  # noqa: DTZ007 - naive UTC by contract
        except ValueError:
            continue
        return request.services.usage.audit_log(moment)
    raise Invalid(f"The time must look like 2026-01-31 12:00:00, not {before!r}.")


# Operations

OPERATIONS: Final = (
    Operation(
        "GET",
        "/os-instance_usage_audit_log",
        show_last,
        rule=rules.LIST,
        query=NOTHING,
        view=LOG.one("instance_usage_audit_logs"),
    ),
    Operation(
        "GET",
        "/os-instance_usage_audit_log/{id}",
        show,
        rule=rules.SHOW,
        query=NOTHING,
        view=LOG.one("instance_usage_audit_log"),
    ),
)
