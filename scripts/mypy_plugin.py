"""Types of versioned objects for mypy: oslo's plugin, made to look for objects among the objects.

`ObjectField("Instance")` names its class by text. Oslo's plugin takes the first class of that name in
any module, which here may be the table of that name in `openkeel/db/models`.
"""

from mypy import nodes, types
from mypy.plugin import ClassDefContext
from oslo_versionedobjects.mypy import OsloVersionedObjectPlugin

_OBJECTS = "openkeel.objects."


class ObjectsFirst(OsloVersionedObjectPlugin):
    """Oslo's plugin, that knows where our objects are."""

    def _resolve_ovo_class_type(self, ctx: ClassDefContext, class_name: str) -> types.Type | None:
        for name, module in ctx.api.modules.items():
            if name.startswith(_OBJECTS):
                symbol = module.names.get(class_name)
                if symbol is not None and isinstance(symbol.node, nodes.TypeInfo):
                    return types.Instance(symbol.node, [])
        return super()._resolve_ovo_class_type(ctx, class_name)


def plugin(_version: str) -> type[OsloVersionedObjectPlugin]:
    """What mypy asks for."""
    return ObjectsFirst
