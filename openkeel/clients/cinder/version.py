"""What the block storage service can do, for checks before an upgrade."""

from keystoneauth1 import loading
from keystoneauth1.adapter import Adapter
from oslo_config import cfg

from openkeel.clients.cinder.client import place
from openkeel.clients.errors import translated
from openkeel.clients.session import account

Version = tuple[int | float, ...]


def newest_microversion(conf: cfg.ConfigOpts) -> Version | None:
    """The newest that Cinder speaks; None when [cinder] has no credentials. Raises: ClientError."""
    auth = account(conf, "cinder")
    if auth is None:
        return None
    adapter = Adapter(loading.load_session_from_conf_options(conf, "cinder"), auth=auth, **place(conf))
    with translated("Cinder", as_user=False):
        data = adapter.get_endpoint_data()
    return tuple(data.max_microversion) if data is not None and data.max_microversion else (0, 0)
