"""The serial console's log (docs/kubevirt.md, 2.4).

KubeVirt writes it through a sidecar of the launcher pod, whose log ends with the pod. Before a guest is
stopped its tail is kept in a ConfigMap, since clients expect to read it afterwards.
"""

import base64
import logging

from openkeel.virt.driver import GuestNotFound
from openkeel.virt.kubevirt import names
from openkeel.virt.kubevirt.errors import Absent, KubeError
from openkeel.virt.kubevirt.guests import Guests, driver_errors

LOG = logging.getLogger(__name__)

KEPT_BYTES = 100 * 1024
_CONTAINER = "guest-console-log"
_KEY = "console.log"


class KubevirtConsole:
    """`virt.driver.Console` on a cluster."""

    def __init__(self, guests: Guests) -> None:
        self._guests = guests

    def output(self, instance_uuid: str, project_id: str, *, max_bytes: int) -> bytes:
        """From the pod while there is one, else what was kept."""
        with driver_errors():
            live = self._live(instance_uuid, project_id)
            found = live if live is not None else self._kept(instance_uuid, project_id)
            if found is None:
                raise GuestNotFound(instance_uuid=instance_uuid)
            return found[-max_bytes:]

    def keep(self, instance_uuid: str, project_id: str) -> None:
        """Keep the tail; a failure costs the log, never the stop."""
        if not self._guests.settings.console_log_persist:
            return
        try:
            live = self._live(instance_uuid, project_id)
            if live is None:
                return
            space, name = self._guests.namespace(project_id), names.console_log(instance_uuid)
            self._guests.client.apply(
                names.core(space, "configmaps", name),
                {
                    "apiVersion": "v1",
                    "kind": "ConfigMap",
                    "metadata": {
                        "name": name,
                        "namespace": space,
                        "labels": {names.MANAGED_BY: names.OPENKEEL, names.INSTANCE: instance_uuid},
                    },
                    # Guests write any bytes: binaryData takes them as they are.
                    "binaryData": {_KEY: base64.b64encode(live[-KEPT_BYTES:]).decode()},
                },
            )
        except KubeError:
            LOG.exception("the console log of instance %s was not kept", instance_uuid)

    def _live(self, instance_uuid: str, project_id: str) -> bytes | None:
        vmi = self._guests.vmi(instance_uuid, project_id)
        if vmi is None:
            return None
        space = self._guests.namespace(project_id)
        selector = f"kubevirt.io=virt-launcher,kubevirt.io/created-by={vmi['metadata']['uid']}"
        pods = self._guests.client.list(names.core(space, "pods"), labelSelector=selector)[0]
        node = vmi.get("status", {}).get("nodeName")
        here = [pod for pod in pods if pod["spec"].get("nodeName") == node] or pods
        if not here:
            return None
        path = names.core(space, "pods", here[0]["metadata"]["name"]) + "/log"
        try:
            # No limitBytes: it would cut the end off, and the end is what is wanted.
            return self._guests.client.log(path, container=_CONTAINER, tailLines="20000")
        except Absent:
            return None

    def _kept(self, instance_uuid: str, project_id: str) -> bytes | None:
        space = self._guests.namespace(project_id)
        found = self._guests.client.find(names.core(space, "configmaps", names.console_log(instance_uuid)))
        if found is None:
            return None
        return base64.b64decode(found.get("binaryData", {}).get(_KEY, ""))
