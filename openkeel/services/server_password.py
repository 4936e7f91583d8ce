"""The administrator's password of a server as its guest encrypted it for the owner's keypair.

It lies in the system metadata, cut into pieces that fit there. Contract: keys password_0 to password_3.
"""

from typing import Any, Final

from openkeel.services import guards
from openkeel.services.lookup import Located

_KEYS: Final = tuple(f"password_{piece}" for piece in range(4))


class ServerPasswordService:
    """The use cases of kept passwords."""

    def show(self, server: Located) -> str:
        """The password, encrypted; empty when none was told."""
        kept = server.instance.system_metadata
        return "".join(kept.get(key) or "" for key in _KEYS)

    def clear(self, server: Located) -> None:
        """Forget it. Raises: InstanceNotReady."""
        instance: Any = server.instance
        cell = guards.in_a_cell(server)
        instance.system_metadata = {**instance.system_metadata, **dict.fromkeys(_KEYS, "")}
        cell.instances.save(instance)
