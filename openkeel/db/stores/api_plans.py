"""The plans of all nouns that live in the API database."""

from typing import Any, Final

from openkeel import objects
from openkeel.db.models import api as rows
from openkeel.db.stores.plan import OBJECT_CODEC, Codec, Plan, dump_object, load_object

CELL_MAPPINGS: Final = Plan(objects.CellMapping, rows.CellMapping, list_class=objects.CellMappingList)
HOST_MAPPINGS: Final = Plan(objects.HostMapping, rows.HostMapping, list_class=objects.HostMappingList)
INSTANCE_MAPPINGS: Final = Plan(
    objects.InstanceMapping, rows.InstanceMapping, list_class=objects.InstanceMappingList
)
BUILD_REQUESTS: Final[Plan[Any]] = Plan(
    objects.BuildRequest,
    rows.BuildRequest,
    list_class=objects.BuildRequestList,
    codecs={
        "instance": OBJECT_CODEC,
        # Rows of older peers may lack either.
        "block_device_mappings": Codec(
            lambda text: load_object(text) or objects.BlockDeviceMappingList(objects=[]), dump_object
        ),
        "tags": Codec(lambda text: load_object(text) or objects.TagList(objects=[]), dump_object),
    },
)
FLAVORS: Final = Plan(objects.Flavor, rows.Flavor, list_class=objects.FlavorList)
KEYPAIRS: Final = Plan(objects.KeyPair, rows.KeyPair, list_class=objects.KeyPairList)
AGGREGATES: Final = Plan(objects.Aggregate, rows.Aggregate, list_class=objects.AggregateList)
INSTANCE_GROUPS: Final = Plan(
    objects.InstanceGroup, rows.InstanceGroup, list_class=objects.InstanceGroupList, without=("policies",)
)
