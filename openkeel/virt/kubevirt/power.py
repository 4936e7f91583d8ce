"""Turning guests on and off (docs/kubevirt.md, 2.3)."""

import logging

from openkeel.virt.driver import GuestNotFound, GuestSpec
from openkeel.virt.kubevirt import manifest, names, status
from openkeel.virt.kubevirt.console import KubevirtConsole
from openkeel.virt.kubevirt.errors import Absent, Away, Clash
from openkeel.virt.kubevirt.guests import Guests, driver_errors
from openkeel.virt.kubevirt.watch import Cache

LOG = logging.getLogger(__name__)


class KubevirtPower:
    """`virt.driver.Power` on a cluster."""

    def __init__(self, guests: Guests, console: KubevirtConsole, vms: Cache, vmis: Cache) -> None:
        self._guests = guests
        self._console = console
        self._vms = vms
        self._vmis = vmis

    def power_on(self, spec: GuestSpec) -> None:
        """Render anew, since the spec may have changed while the guest was off, and start."""
        with driver_errors():
            self._converge(spec)
            self._vmis.note(self._guests.start(spec.instance_uuid, spec.project_id))

    def power_off(self, instance_uuid: str, project_id: str, *, grace_s: int) -> None:
        """Keep the console's log, which KubeVirt loses with the pod, and stop."""
        with driver_errors():
            self._console.keep(instance_uuid, project_id)
            self._guests.stop(instance_uuid, project_id, grace_s)
            self._note_instance(instance_uuid, project_id)

    def reboot_soft(self, instance_uuid: str, project_id: str) -> bool:
        """Through the guest agent or the power button; there is no sign of its end."""
        space, name = self._guests.namespace(project_id), names.guest(instance_uuid)
        try:
            with driver_errors():
                try:
                    self._guests.client.put(names.vmi_subresource(space, name, "softreboot"))
                except (Absent, Clash, Away) as error:
                    LOG.info("guest %s cannot be asked to reboot: %s", name, error)
                    return False
        except GuestNotFound:
            return False
        return True

    def reboot_hard(self, spec: GuestSpec) -> None:
        """Restart in place when the spec still fits; otherwise off, converge, on."""
        with driver_errors():
            space, name = self._guests.namespace(spec.project_id), names.guest(spec.instance_uuid)
            vm = self._guests.vm(spec.instance_uuid, spec.project_id)
            vmi = self._guests.vmi(spec.instance_uuid, spec.project_id)
            wanted = self._guests.render(spec)["metadata"]["annotations"][names.SPEC_HASH]
            fits = bool(vm and vm["metadata"].get("annotations", {}).get(names.SPEC_HASH) == wanted)
            if fits and vmi and status.phase_of(vmi) not in status.FINAL:
                self._console.keep(spec.instance_uuid, spec.project_id)
                try:
                    self._guests.client.put(
                        names.vm_subresource(space, name, "restart"), {"gracePeriodSeconds": 0}
                    )
                    self._guests.await_instance_end(
                        spec.instance_uuid, spec.project_id, vmi["metadata"]["uid"], 120
                    )
                except Clash as error:  # it ended just now
                    LOG.debug("restart of %s: %s", name, error)
            else:
                self._guests.stop(spec.instance_uuid, spec.project_id, 0)
                self._converge(spec)
            self._vmis.note(self._guests.start(spec.instance_uuid, spec.project_id))

    def _converge(self, spec: GuestSpec) -> None:
        """Apply the VM and its ports; only while it is off (an apply replaces whole lists)."""
        guests, client = self._guests, self._guests.client
        space = guests.namespace(spec.project_id)
        vm = guests.vm(spec.instance_uuid, spec.project_id)
        if vm is None:
            raise GuestNotFound(instance_uuid=spec.instance_uuid)
        wanted = guests.render(spec)
        annotation = vm["metadata"].get("annotations", {}).get(names.SPEC_HASH)
        if annotation == wanted["metadata"]["annotations"][names.SPEC_HASH]:
            return
        vmi = guests.vmi(spec.instance_uuid, spec.project_id)
        if vmi and status.phase_of(vmi) not in status.FINAL:
            return  # it runs: the change waits for the next stop
        for nic in spec.nics:
            client.apply(
                names.attachments(space, names.attachment(nic.port_id)),
                manifest.attachment(spec, nic, space),
            )
        self._vms.note(client.apply(names.virtual_machines(space, wanted["metadata"]["name"]), wanted))

    def _note_instance(self, instance_uuid: str, project_id: str) -> None:
        vmi = self._guests.vmi(instance_uuid, project_id)
        if vmi is None:
            self._vmis.forget(names.guest(instance_uuid))
        else:
            self._vmis.note(vmi)
