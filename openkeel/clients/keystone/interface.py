"""What callers may ask of Keystone. `client.KeystoneClient` and `fake.FakeKeystone` answer it."""

from typing import Protocol

from openkeel.common.context import Context


class Keystone(Protocol):
    """Projects, as far as access lists and quotas need them."""

    def project_exists(self, ctx: Context, project_id: str) -> bool:
        """Whether there is such a project, asked with the user's own rights.

        True when the user may not ask: then nothing speaks against it.

        Raises: Unavailable.
        """
