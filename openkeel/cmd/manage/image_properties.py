"""`image_property`: what a server remembers of the properties of its image.

Contract: exit codes of manage_cli.json.
"""

from typing import Any, Final

from oslo_config import cfg

from openkeel import objects
from openkeel.cmd.manage.command import Command, argument, complain, say
from openkeel.cmd.manage.one_server import AT_REST, NOT_FOUND, found

_PREFIX: Final = "image_"


def _show(conf: cfg.ConfigOpts, args: Any) -> int:
    try:
        with found(conf, args.instance_uuid) as (_, _, instance):
            value = instance.system_metadata.get(_PREFIX + args.image_property)
    except NOT_FOUND as error:
        complain(str(error))
        return 2
    if not value:
        complain(f"Instance {args.instance_uuid} has no image property {args.image_property}.")
        return 3
    say(value)
    return 0


def _set(conf: cfg.ConfigOpts, args: Any) -> int:
    try:
        with found(conf, args.instance_uuid) as (api, cell, instance):
            if instance.vm_state not in AT_REST:
                states = ", ".join(sorted(AT_REST))
                complain(f"Instance {instance.uuid} is {instance.vm_state}; it must be one of {states}.")
                return 3
            changes: dict[str, str] = {}
            for word in args.image_properties or ():
                name, mark, value = word.partition("=")
                if not mark or not name:
                    complain(f"{word}: a property is a name, = and a value.")
                    return 4
                changes[name] = value
            refusal = _refusal(changes)
            if refusal:
                code, text = refusal
                complain(text)
                return code
            spec = api.request_specs.get(instance.uuid)
            for name, value in changes.items():
                setattr(spec.image.properties, name, value)
            api.request_specs.save(spec)  # schedulers place the server by it when it moves
            properties = {_PREFIX + name: value for name, value in changes.items()}
            instance.system_metadata = {**instance.system_metadata, **properties}
            cell.instances.save(instance)
    except NOT_FOUND as error:
        complain(str(error))
        return 2
    return 0


def _refusal(changes: dict[str, str]) -> tuple[int, str] | None:
    """Why not, with the exit code for it."""
    fields = objects.ImageMetaProps.fields
    for name, value in changes.items():
        if name not in fields:
            return 5, f"{name} is no property of images that anything depends on."
        try:
            objects.ImageMetaProps(**{name: value})
        except ValueError as error:
            return 6, f"{name}: {error}"
    return None


_SERVER: Final = argument("instance_uuid", metavar="<instance_uuid>", help="The server.")

COMMANDS: Final = (
    Command(
        "show",
        _show,
        "Print an image property as a server remembers it.",
        [_SERVER, argument("image_property", metavar="<image_property>", help="Its name.")],
        failed=1,
    ),
    Command(
        "set",
        _set,
        "Change image properties of a server from its next start on.",
        [
            _SERVER,
            argument(
                "--property",
                dest="image_properties",
                action="append",
                metavar="<image_property>",
                help="A name, = and a value; may come several times.",
            ),
        ],
        failed=1,
    ),
)
