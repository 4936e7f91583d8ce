"""OpenKeel: the OpenStack compute service on KubeVirt."""

from oslo_service.backend import BackendType, register_backend_default_hook

# oslo.messaging takes the backend when it is first imported, from wherever that is; its default is
# eventlet, and here are native threads only.
register_backend_default_hook(lambda: BackendType.THREADING)
