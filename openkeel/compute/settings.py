"""What the compute daemon is told once, at its start. Read from the configuration by `options.py`."""

from dataclasses import dataclass

from openkeel.domain.audit_periods import AuditPeriod


@dataclass(frozen=True, slots=True)
class Ratios:
    """How far each resource is oversubscribed; None keeps what Placement has, else the initial one."""

    cpu: float | None = None
    memory: float | None = None
    disk: float | None = None
    initial_cpu: float = 4.0
    initial_memory: float = 1.0
    initial_disk: float = 1.0


@dataclass(frozen=True, slots=True)
class Reserved:
    """What the host keeps for itself, beyond what the driver says the platform needs."""

    cpus: int = 0
    memory_mib: int = 512
    disk_mib: int = 0


@dataclass(frozen=True, slots=True)
class Intervals:
    """Seconds between runs of periodic work; 0 is off."""

    update_resources_s: float = 60.0
    sync_power_state_s: float = 600.0
    scheduler_sync_s: float = 120.0
    running_deleted_s: float = 1800.0
    delete_again_s: float = 300.0
    port_rounds_s: float = 0.0
    reconcile_s: float = 60.0


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything else. Defaults are Nova's."""

    max_concurrent_builds: int = 10
    state_path: str | None = None  # where the host keeps its identity; None: nowhere
    vif_plugging_timeout_s: int = 300
    vif_plugging_is_fatal: bool = True
    instance_name_template: str = "instance-%08x"
    force_config_drive: bool = False
    port_retries: int = 0
    access_network: str | None = None  # whose addresses become those that a new server is reached by
    delete_attempts: int = 5
    hidden_image_formats: frozenset[str] = frozenset()  # the driver takes them, and nobody is told
    shutdown_timeout_s: int = 60
    running_deleted_action: str = "reap"
    running_deleted_timeout_s: int = 0
    build_timeout_s: int = 0
    audit_period: AuditPeriod | None = None  # None: usage is not audited
    resume_guests_on_start: bool = False
    handle_lifecycle_events: bool = True
    lifecycle_event_delay_s: float = 2.0
    sync_power_state_pool: int = 5
    counts_failed_builds: bool = True
    tracks_scheduler: bool = True
    checks_group_policy: bool = True
    stop_timeout_s: float = 160.0
    periodic_fuzz_s: float = 60.0
    periodic_enabled: bool = True
    ratios: Ratios = Ratios()
    reserved: Reserved = Reserved()
    intervals: Intervals = Intervals()
