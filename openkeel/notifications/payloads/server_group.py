"""Server groups."""

from typing import Any

from openkeel.notifications.payloads.base import Payload, attribute, payload
from openkeel.objects import fields


def _policies(group: object) -> list[str] | None:
    """Compat: what the one policy was called when there were several."""
    policy = attribute(group, "policy")
    return [policy] if policy else None


def _rules(group: object) -> dict[str, Any]:
    return dict(attribute(group, "_rules") or {})


@payload
class ServerGroupPayload(Payload):
    VERSION = "1.1"
    fields = {
        "uuid": fields.UUIDField(),
        "name": fields.StringField(nullable=True),
        "user_id": fields.StringField(nullable=True),
        "project_id": fields.StringField(nullable=True),
        "policies": fields.ListOfStringsField(nullable=True),
        "members": fields.ListOfStringsField(nullable=True),
        "hosts": fields.ListOfStringsField(nullable=True),
        "policy": fields.StringField(nullable=True),
        "rules": fields.DictOfStringsField(),
    }
    sources = {"policies": _policies, "rules": _rules}
