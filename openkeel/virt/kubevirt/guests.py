"""What the capabilities share: a project's namespace, the guest's objects, waiting and error mapping."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from openkeel.virt.driver import DriverError, GuestRejected, GuestSpec, GuestTimeout, HostFailure
from openkeel.virt.kubevirt import manifest, names, status
from openkeel.virt.kubevirt.client import KubeClient, Object
from openkeel.virt.kubevirt.errors import Clash, Denied, KubeError, Refused, WaitTimeout
from openkeel.virt.kubevirt.settings import Settings
from openkeel.virt.kubevirt.watch import wait_for

LOG = logging.getLogger(__name__)

_LOOK_AGAIN_S = 5.0


@contextmanager
def driver_errors() -> Iterator[None]:
    """Kubernetes errors leave this package as the driver's four."""
    try:
        yield
    except DriverError:
        raise
    except WaitTimeout as error:
        raise GuestTimeout(str(error)) from error
    except Refused as error:
        raise GuestRejected(reason=error.message) from error
    except Denied as error:
        LOG.error("the service account lacks a right: %s", error.message)  # noqa: TRY400 - no bug of ours
        raise HostFailure(reason="the cluster denied access") from error
    except KubeError as error:
        raise HostFailure(reason=error.message) from error


class Guests:
    """One host's guests in the cluster."""

    def __init__(self, client: KubeClient, settings: Settings, node_label: Callable[[], str]) -> None:
        self.client = client
        self.settings = settings
        self._node_label = node_label

    def namespace(self, project_id: str) -> str:
        """The project's namespace."""
        try:
            return names.namespace(self.settings.namespace_prefix, project_id)
        except ValueError as error:
            raise GuestRejected(reason=str(error)) from error

    def render(self, spec: GuestSpec) -> Object:
        """The VirtualMachine for a spec."""
        return manifest.virtual_machine(
            spec, self.settings, self._node_label(), self.namespace(spec.project_id)
        )

    def vm(self, instance_uuid: str, project_id: str) -> Object | None:
        """The VirtualMachine, if it is this host's."""
        found = self.client.find(
            names.virtual_machines(self.namespace(project_id), names.guest(instance_uuid))
        )
        return found if found and self.owns(found) else None

    def owns(self, vm: Object) -> bool:
        """Whether a VirtualMachine belongs to this host: its label decides, nothing else."""
        return bool(vm["metadata"].get("labels", {}).get(names.HOST) == self.settings.node_name)

    def vmi(self, instance_uuid: str, project_id: str) -> Object | None:
        """The running (or ended) instance of the guest."""
        return self.client.find(
            names.virtual_machine_instances(self.namespace(project_id), names.guest(instance_uuid))
        )

    def start(self, instance_uuid: str, project_id: str) -> Object:
        """Start the guest and wait until it runs. Fine when it runs; an ended instance is replaced.

        Raises: GuestRejected, HostFailure, GuestTimeout.
        """
        space, name = self.namespace(project_id), names.guest(instance_uuid)
        before = self.client.find(names.virtual_machine_instances(space, name))
        ended_uid = before["metadata"]["uid"] if before and status.phase_of(before) in status.FINAL else None
        if before is None or ended_uid:
            try:
                self.client.put(names.vm_subresource(space, name, "start"))
            except Clash as error:  # it runs, or another start is on its way
                LOG.debug("start of %s: %s", name, error)
        began = time.monotonic()

        def done(vmi: Object | None) -> bool:
            if vmi is None or vmi["metadata"]["uid"] == ended_uid:
                if self.client.find(names.virtual_machines(space, name)) is None:
                    # Somebody destroys the guest while it starts: there is nothing to wait for.
                    raise HostFailure(reason="the guest was removed while it started")
                return False
            if status.phase_of(vmi) == "Running":
                return True
            verdict = status.start_verdict(
                vmi,
                self.settings.node_name,
                time.monotonic() - began,
                self.settings.unschedulable_grace_s,
            )
            if verdict:
                raise verdict
            return False

        look_again_s = max(1.0, min(_LOOK_AGAIN_S, self.settings.unschedulable_grace_s))
        found = wait_for(
            self.client,
            names.virtual_machine_instances(space),
            name,
            done,
            self.settings.spawn_timeout_s,
            look_again_s,
        )
        assert found is not None  # noqa: S101 - `done` accepts nothing else
        return found

    def stop(self, instance_uuid: str, project_id: str, grace_s: int) -> None:
        """Stop the guest and wait until it has ended. Fine when it is off or gone."""
        space, name = self.namespace(project_id), names.guest(instance_uuid)
        vmi = self.client.find(names.virtual_machine_instances(space, name))
        if vmi is None or status.phase_of(vmi) in status.FINAL:
            return
        try:
            self.client.put(names.vm_subresource(space, name, "stop"), {"gracePeriod": grace_s})
        except Clash as error:  # it is off, or another stop is on its way
            LOG.debug("stop of %s: %s", name, error)
        self.await_instance_end(instance_uuid, project_id, vmi["metadata"]["uid"], grace_s + 60)

    def await_instance_end(self, instance_uuid: str, project_id: str, uid: str, timeout_s: float) -> None:
        """Wait until that very instance has ended."""
        wait_for(
            self.client,
            names.virtual_machine_instances(self.namespace(project_id)),
            names.guest(instance_uuid),
            lambda vmi: vmi is None or vmi["metadata"]["uid"] != uid or status.phase_of(vmi) in status.FINAL,
            timeout_s,
        )
