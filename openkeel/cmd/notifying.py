"""What a daemon tells others, from its configuration."""

from collections.abc import Callable

from oslo_config import cfg

from openkeel.common.clock import Clock
from openkeel.common.context import Context
from openkeel.domain.audit_periods import AuditPeriod
from openkeel.notifications.bus import NotificationBus
from openkeel.notifications.emitter import Emitter, Origin
from openkeel.notifications.notifier import Notifications
from openkeel.notifications.servers import ServerSettings


def notifications(
    conf: cfg.ConfigOpts, source: str, clock: Clock, image_url: Callable[[Context, str], str]
) -> Notifications:
    """The notifications of a daemon called `source`. Whoever asks closes them; call it after the fork."""
    bus = NotificationBus(conf)
    told = conf.notifications
    return Notifications(
        Emitter(
            Origin(source, conf.host), versioned=bus.versioned, legacy=bus.unversioned, on_close=bus.close
        ),
        ServerSettings(
            instance_name_template=conf.instance_name_template,
            audit_period=AuditPeriod.parse(conf.instance_usage_audit_period),
            state_changes=told.notify_on_state_change,
            tells_volumes=told.bdms_in_notifications,
            tells_shares=told.include_share_mapping,
        ),
        clock,
        image_url,
    )
