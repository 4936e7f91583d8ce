"""Making, finding and removing guests (docs/kubevirt.md, 2.2)."""

import logging
from collections.abc import Sequence

from openkeel.virt.driver import GuestRejected, GuestSpec, GuestStatus
from openkeel.virt.kubevirt import manifest, names, status
from openkeel.virt.kubevirt.client import Object
from openkeel.virt.kubevirt.errors import Absent, Clash
from openkeel.virt.kubevirt.guests import Guests, driver_errors
from openkeel.virt.kubevirt.images import Images
from openkeel.virt.kubevirt.watch import Cache, wait_for

LOG = logging.getLogger(__name__)

_GONE_S = 120.0


class KubevirtLifecycle:
    """`virt.driver.Lifecycle` on a cluster."""

    def __init__(self, guests: Guests, images: Images, vms: Cache, vmis: Cache) -> None:
        self._guests = guests
        self._images = images
        self._vms = vms
        self._vmis = vmis

    def spawn(self, spec: GuestSpec, *, start: bool = True) -> None:
        """Every step creates what is absent and waits, so a second try goes on where the first was cut."""
        with driver_errors():
            if spec.injected_files:
                raise GuestRejected(reason="files cannot be put into a guest; use user data instead")
            guests, client = self._guests, self._guests.client
            space = guests.namespace(spec.project_id)
            client.apply(f"/api/v1/namespaces/{space}", manifest.namespace(space, spec.project_id))
            vm = guests.render(spec)
            path = names.virtual_machines(space, vm["metadata"]["name"])
            self._refuse_foreign(client.find(path))
            # Ask the webhooks before anything is made: what they refuse no host will take.
            client.apply(path, vm, dry_run=True)
            if spec.config_drive:
                client.apply(
                    names.core(space, "secrets", names.config_drive(spec.instance_uuid)),
                    manifest.config_drive_secret(spec, space),
                )
            for nic in spec.nics:  # before the VM: a pod whose attachment is missing is never made
                client.apply(
                    names.attachments(space, names.attachment(nic.port_id)),
                    manifest.attachment(spec, nic, space),
                )
            for disk in spec.disks:
                if disk.image:
                    self._images.ensure_root_disk(spec, disk, disk.image, space)
                else:
                    self._images.ensure_blank_disk(spec, disk, space)
            self._vms.note(client.apply(path, vm))
            if start:
                self._vmis.note(guests.start(spec.instance_uuid, spec.project_id))

    def _refuse_foreign(self, found: Object | None) -> None:
        if found and not self._guests.owns(found):
            owner = found["metadata"].get("labels", {}).get(names.HOST)
            raise GuestRejected(reason=f"the guest exists on host {owner}")

    def destroy(self, instance_uuid: str, project_id: str, *, destroy_disks: bool = True) -> None:
        """Stop hard, delete, wait until the last pod is gone, then sweep what carries the label."""
        with driver_errors():
            guests, client = self._guests, self._guests.client
            space, name = guests.namespace(project_id), names.guest(instance_uuid)
            found = client.find(names.virtual_machines(space, name))
            if found and not guests.owns(found):
                LOG.warning("guest %s belongs to another host, left alone", name)
                return
            if found:
                try:
                    client.put(names.vm_subresource(space, name, "stop"), {"gracePeriod": 0})
                except (Absent, Clash) as error:
                    LOG.debug("stop of %s before its deletion: %s", name, error)
                client.delete(names.virtual_machines(space, name), foreground=True, grace_s=0)
                for collection in (names.virtual_machines(space), names.virtual_machine_instances(space)):
                    wait_for(client, collection, name, lambda item: item is None, _GONE_S)
            self._vms.forget(name)
            self._vmis.forget(name)
            self._sweep(instance_uuid, space, destroy_disks=destroy_disks)

    def _sweep(self, instance_uuid: str, space: str, *, destroy_disks: bool) -> None:
        client = self._guests.client
        label = f"{names.INSTANCE}={instance_uuid}"
        collections = [names.attachments(space)]
        if destroy_disks:
            collections += [names.data_volumes(space), names.core(space, "persistentvolumeclaims")]
        for collection in collections:
            for item in client.list(collection, labelSelector=label)[0]:
                client.delete(f"{collection}/{item['metadata']['name']}")
        # Secrets and ConfigMaps are not listed: their names are known, and we need no right to see others.
        client.delete(names.core(space, "secrets", names.config_drive(instance_uuid)))
        client.delete(names.core(space, "configmaps", names.console_log(instance_uuid)))

    def observe(self, instance_uuid: str, project_id: str) -> GuestStatus | None:  # noqa: ARG002 - cached by uuid
        """From the watches' caches."""
        name = names.guest(instance_uuid)
        if self._vms.get(name) is None:
            return None
        return status.guest_status(self._vmis.get(name))

    def list(self) -> Sequence[str]:
        """From the watch's cache."""
        return [vm["metadata"]["labels"][names.INSTANCE] for vm in self._vms.list()]
