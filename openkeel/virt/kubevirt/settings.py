"""The driver's settings as one frozen value."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Settings:
    """See `options.py` for what each means. Times in seconds."""

    node_name: str
    namespace_prefix: str = "ok-"
    images_namespace: str = "openkeel-images"
    root_storage_class: str | None = None
    ephemeral_storage_class: str | None = None
    glance_ca_configmap: str | None = None
    disk_gib: int | None = None
    cpu_mode: str = "host-model"
    tolerations: tuple[str, ...] = ()
    spawn_timeout_s: float = 600
    image_import_timeout_s: float = 3600
    unschedulable_grace_s: float = 30
    shutdown_timeout_s: int = 60
    console_log_persist: bool = True
