"""OpenKeel: the OpenStack compute service on KubeVirt."""

import sys

# Native threads only. Libraries that try eventlet find none: that spares every process its import, and
# nothing can turn on what would break the threads.
sys.modules.setdefault("eventlet", None)  # type: ignore[arg-type]  # how Python says "not importable"

from oslo_service.backend import BackendType, register_backend_default_hook  # noqa: E402 - after the above

# oslo.messaging takes the backend when it is first imported, from wherever that is; its default is eventlet.
register_backend_default_hook(lambda: BackendType.THREADING)
