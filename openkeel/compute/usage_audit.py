"""Usage audits: once each period is over, every host tells of each server that it had in it.

Contract: options instance_usage_audit and instance_usage_audit_period, notification instance.exists, task
log `instance_usage_audit`. The task log says that a host has done a period, so a restarted daemon does
not do it again; one that was killed in the middle leaves a run that looks as if it went on for ever, as
Nova's does.
"""

import logging
from typing import Final

from openkeel import objects
from openkeel.common.context import admin_context
from openkeel.common.periodic import Periodic, off_at_zero
from openkeel.compute.host import Host
from openkeel.compute.operation import EXPECTED_ATTRS
from openkeel.domain.errors import TaskAlreadyRunning

LOG = logging.getLogger(__name__)

TASK: Final = "instance_usage_audit"
_EVERY_S: Final = 60  # how soon after its end a period is audited


class UsageAudit:
    """The audit of one host."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def periodics(self) -> tuple[Periodic, ...]:
        """The audit, where operators want it."""
        wanted = self._host.settings.audit_period is not None
        return (Periodic("usage_audit", self.run, off_at_zero(_EVERY_S if wanted else 0)),)

    def run(self) -> None:
        """Audit the last period that is over, if that is still to be done."""
        host, period = self._host, self._host.settings.audit_period
        if period is None:
            return
        begin, end = period.last_completed(host.clock.now())
        if host.stores.task_logs.find(TASK, begin, end, host.name) is not None:
            return
        instances = host.stores.instances.list_active_by_window(
            begin, end, host=host.name, expected_attrs=EXPECTED_ATTRS
        )
        task = objects.TaskLog(
            task_name=TASK,
            period_beginning=begin,
            period_ending=end,
            host=host.name,
            task_items=len(instances),
            errors=0,
            message="Instance usage audit is running.",
        )
        try:
            host.stores.task_logs.begin(task)
        except TaskAlreadyRunning:
            LOG.info("the usage of %s to %s is audited already", begin, end)
            return
        ctx = admin_context()
        for instance in instances:
            host.operations.notifier.exists(ctx, instance, begin, end)
        task.message = f"Instance usage audit ran for host {host.name}, {len(instances)} instances."
        host.stores.task_logs.end(task)
        LOG.info("told of %d instances that were here from %s to %s", len(instances), begin, end)
