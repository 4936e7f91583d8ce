"""openkeel-policy: which rules allow something to a caller who is described on the command line.

Contract: nova-policy of manage_cli.json. Without options the caller is the one that the environment of
the command line clients describes.
"""

import os
from collections.abc import Sequence
from typing import Any, Final

from oslo_config import cfg

from openkeel.cmd.databases import api_database
from openkeel.cmd.manage.command import Command, argument, complain, say
from openkeel.cmd.tool import Category, Tool
from openkeel.common.context import Context
from openkeel.domain.errors import InstanceNotFound
from openkeel.policies import Enforcer, list_rules

_SERVER: Final = "instance_id"
_TARGETS: Final = ("project_id", "user_id", "quota_class", "availability_zone", _SERVER)


def _check(conf: cfg.ConfigOpts, args: Any) -> int:
    policy = Enforcer(conf)
    ctx = Context(conf.os_user_id, conf.os_tenant_id, roles=conf.os_roles, overwrite=False)
    ctx.is_admin = policy.is_admin(ctx)
    try:
        target = _target(conf, ctx, args.target)
    except (ValueError, InstanceNotFound) as error:
        complain(str(error))
        return 1
    asked = [rule.name for rule in list_rules() if (args.api_name or "") in rule.name]
    allowed = [name for name in asked if policy.allows(ctx, name, target)]
    if not allowed:
        say("No rule of that name allows it.")
        return 1
    say("\n".join(allowed))
    return 0


def _target(conf: cfg.ConfigOpts, ctx: Context, words: Sequence[str] | None) -> dict[str, Any]:
    """What the rules are about: what is the caller's own, unless it is said. Raises: ValueError."""
    if not words:
        return {"user_id": ctx.user_id, "project_id": ctx.project_id}
    target: dict[str, Any] = {}
    for word in words:
        name, mark, value = word.partition("=")
        if not mark or name not in _TARGETS:
            raise ValueError(f"{word}: a target is one of {', '.join(_TARGETS)}, with = and a value.")
        target[name] = value
    if _SERVER in target:
        target |= _owner(conf, target[_SERVER])
    return target


def _owner(conf: cfg.ConfigOpts, instance_uuid: str) -> dict[str, Any]:
    from openkeel.db.cells import ApiStores  # most checks need no database

    database = api_database(conf)
    try:
        mapping = ApiStores(database).instance_mappings.find(instance_uuid)
    finally:
        database.dispose()
    if mapping is None:
        raise InstanceNotFound(instance_id=instance_uuid)
    return {"project_id": mapping.project_id, "user_id": mapping.user_id}


COMMANDS: Final = (
    Command(
        "check",
        _check,
        "Print the rules that allow what they are about.",
        [
            argument(
                "--api-name", dest="api_name", metavar="<name>", help="Only rules with this in their name."
            ),
            argument(
                "--target", nargs="+", dest="target", metavar="<target>", help="What it is about: name=value."
            ),
        ],
    ),
)


def _tool() -> Tool:
    return Tool(
        "openkeel-policy",
        [Category("policy", ("openkeel.cmd.policy:COMMANDS",))],
        failed=1,
        options=[
            cfg.ListOpt(
                "os-roles",
                metavar="<auth-roles>",
                default=os.environ.get("OS_ROLES"),
                help="Roles of the caller; OS_ROLES when not given.",
            ),
            cfg.StrOpt(
                "os-user-id",
                metavar="<auth-user-id>",
                default=os.environ.get("OS_USER_ID"),
                help="Id of the caller; OS_USER_ID when not given.",
            ),
            cfg.StrOpt(
                "os-tenant-id",
                metavar="<auth-tenant-id>",
                default=os.environ.get("OS_TENANT_ID"),
                help="Project of the caller; OS_TENANT_ID when not given.",
            ),
        ],
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Console script."""
    return _tool().main(arguments)
