"""The file that tells which compute node a host is: `<state_path>/compute_id`.

Contract: Nova's computes read it before they start and write it once, so a host on which one daemon has
run can be taken over by the other. Deployers may write it before the first start. The node itself
remembers too (virt.driver.Host.node_uuid); where nothing outlives the daemon, the file is merely missing.
"""

import logging
import uuid
from pathlib import Path
from typing import Final

from openkeel.domain.errors import Internal

LOG = logging.getLogger(__name__)

FILE_NAME: Final = "compute_id"


class NodeIdentity:
    """The file of one host."""

    def __init__(self, state_path: str) -> None:
        self._path = Path(state_path) / FILE_NAME

    def read(self) -> str | None:
        """The node's UUID; None when the file is not there. Raises: Internal when it holds anything else."""
        try:
            text = self._path.read_text().strip()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise Internal(f"{self._path} cannot be read: {error}") from error
        try:
            return str(uuid.UUID(text))
        except ValueError:
            raise Internal(f"{self._path} holds no UUID.") from None

    def write(self, node_uuid: str) -> None:
        """Keep the UUID for whoever comes after us. A folder that takes no file costs a log line."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.write_text(node_uuid)
        except OSError as error:
            LOG.warning("%s cannot be written; nova-compute would miss it: %s", self._path, error)
