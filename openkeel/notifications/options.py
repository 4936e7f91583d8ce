"""Options of notifications: what is told, in which format and how loud."""

from collections.abc import Mapping, Sequence
from typing import Final

from oslo_config import cfg

from openkeel.common.option_help import ignored

GROUPS: Final[Mapping[str, Sequence[cfg.Opt]]] = {
    "DEFAULT": (
        cfg.BoolOpt(
            "instance_usage_audit",
            default=False,
            help="Whether each host tells, at the end of each period, which servers it had "
            "(notification instance.exists).",
        ),
        cfg.StrOpt(
            "instance_usage_audit_period",
            default="month",
            regex="^(hour|month|day|year)(@([0-9]+))?$",
            help="Length of that period: hour, day, month or year. @N begins it N minutes (hour), hours "
            "(day), days (month) or months (year) later.",
        ),
    ),
    "notifications": (
        cfg.StrOpt(
            "notification_format",
            choices=("both", "versioned", "unversioned"),
            default="unversioned",
            deprecated_group="DEFAULT",
            help="Which notifications are sent: versioned objects, the older free form, or both.",
        ),
        cfg.ListOpt(
            "versioned_notifications_topics",
            default=["versioned_notifications"],
            help="Topics of versioned notifications. Each is sent to all; others have theirs in "
            "[oslo_messaging_notifications].",
        ),
        cfg.StrOpt(
            "notify_on_state_change",
            choices=(None, "vm_state", "vm_and_task_state"),
            deprecated_group="DEFAULT",
            help="When instance.update says where a server came from: if its vm_state changed, or if its "
            "task_state did as well. Without a value there is no instance.update at all.",
        ),
        cfg.StrOpt(
            "default_level",
            choices=("DEBUG", "INFO", "WARN", "ERROR", "CRITICAL"),
            default="INFO",
            deprecated_name="default_notification_level",
            deprecated_group="DEFAULT",
            help=ignored(
                "Level of notifications that have none of their own.", "every notification has a level"
            ),
        ),
        cfg.BoolOpt(
            "bdms_in_notifications",
            default=False,
            help="Whether versioned notifications say which volumes a server has, which costs a statement "
            "each.",
        ),
        cfg.BoolOpt(
            "include_share_mapping",
            default=False,
            help="Whether versioned notifications say which shares a server has, which costs a statement "
            "each.",
        ),
    ),
}
