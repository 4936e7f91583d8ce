"""Filters and order mean the same for rows of a cell and for build requests."""

from datetime import datetime, timedelta

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from openkeel.db.stores.server_filters import INSTANCE, Lifetime, Order, ServerFilter
from openkeel.db.stores.server_reads import CellServerReads
from openkeel.db.stores.server_rows import Need, ServerRow
from openkeel.objects.network_info import NetworkInfo, network, subnet, vif
from tests.fixtures.db import new_instance

START = datetime(2026, 1, 1)  # noqa: DTZ001 - as databases keep it

FILTERS = {
    "equal": ServerFilter(equal={"vm_state": frozenset({"building"})}),
    "equal one of": ServerFilter(equal={"vm_state": frozenset({"building", "error"})}),
    "equal null": ServerFilter(equal={"task_state": frozenset({None})}),
    "equal false or null": ServerFilter(equal={"locked": frozenset({False, None})}),
    "pattern": ServerFilter(patterns={"display_name": "^a.*1$"}),
    "pattern of another case": ServerFilter(patterns={"display_name": "ALPHA"}),
    "pattern of a number": ServerFilter(patterns={"power_state": "^0$"}),
    "pattern of a boolean": ServerFilter(patterns={"auto_disk_config": "1"}),
    "pattern of nothing": ServerFilter(patterns={"key_name": "x"}),
    "changed since": ServerFilter(changed_since=START + timedelta(seconds=3), lifetime=Lifetime.BOTH),
    "changed before": ServerFilter(changed_before=START + timedelta(seconds=3)),
    "deleted": ServerFilter(lifetime=Lifetime.DELETED),
    "tags": ServerFilter(tags=frozenset({"t0", "t1"})),
    "any tag": ServerFilter(any_tag=frozenset({"t0", "t2"})),
    "not all tags": ServerFilter(not_all_tags=frozenset({"t0", "t1"})),
    "not any tag": ServerFilter(not_any_tag=frozenset({"t0", "t2"})),
    "address": ServerFilter(address_patterns={4: "10.0.0.1"}),
    "address of the other kind": ServerFilter(address_patterns={6: "10.0.0.1"}),
}
ORDERS = [
    Order.by([("created_at", True)]),
    Order.by([("display_name", False)]),
    Order.by([("display_name", True), ("key_name", False)]),
    Order.by([("task_state", False)]),
    Order.by([("task_state", True)]),
    Order.by([("vm_state", False), ("launch_index", True)]),
]


def servers():
    """Unlike each other in everything that is filtered and sorted by."""
    for number in range(6):
        address = subnet("10.0.0.0/24", addresses=[f"10.0.0.{number}"])
        yield {
            "uuid": f"00000000-0000-0000-0000-00000000000{9 - number}",
            "display_name": ["alpha", "Alpha1", "beta", "BETA", "gamma", "alpha1"][number],
            "vm_state": ["building", "error", "active"][number % 3],
            "task_state": [None, "scheduling"][number % 2],
            "power_state": number % 2,
            "locked": number == 1,
            "auto_disk_config": number % 2 == 0,
            "key_name": [None, "k"][number // 3],
            "launch_index": number,
            "created_at": START + timedelta(seconds=number // 2),
            "tags": [f"t{one}" for one in range(number % 3)],
            "network_info": NetworkInfo(
                [
                    vif(
                        "p",
                        "m",
                        network("n", "net", bridge=None, project_id=None, subnets=[address]),
                        vif_type="ovs",
                    )
                ]
            ),
        }


@pytest.fixture
def rows():
    return [ServerRow(**values) for values in servers()]


@pytest.fixture
def reads(cell):
    from openkeel import objects

    for values in servers():
        instance = new_instance(
            **{
                key: value
                for key, value in values.items()
                if key not in {"created_at", "tags", "network_info"}
            }
        )
        instance.info_cache = objects.InstanceInfoCache(
            instance_uuid=instance.uuid, network_info=values["network_info"]
        )
        cell.instances.create(instance)
        cell.tags.create(instance.uuid, values["tags"])
        with cell.database.write() as connection:
            mine = sa.update(INSTANCE).where(INSTANCE.c.uuid == instance.uuid)
            connection.execute(mine.values(created_at=values["created_at"], updated_at=None))
    return CellServerReads(cell.database)


@pytest.mark.parametrize("name", FILTERS)
def test_a_filter_finds_the_same_servers_in_both_forms(reads, rows, name):
    wanted = FILTERS[name]
    found = reads.page(wanted, ORDERS[0], 100, frozenset({Need.DETAIL}))
    assert {row.uuid for row in found} == {row.uuid for row in rows if wanted.accepts(row)}


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: str(order.keys))
def test_an_order_is_the_same_in_both_forms(reads, rows, order):
    found = reads.page(ServerFilter(), order, 100, frozenset())
    key = order.sort_key()
    assert [row.uuid for row in found] == [
        row.uuid for row in sorted(rows, key=lambda row: key(order.values(row)))
    ]


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: str(order.keys))
def test_what_lies_beyond_a_server_is_the_rest_of_the_order(reads, order):
    everything = reads.page(ServerFilter(), order, 100, frozenset())
    for position, row in enumerate(everything):
        after = reads.values_of(row.uuid, order)
        rest = reads.page(ServerFilter(), order, 100, frozenset(), after)
        assert [one.uuid for one in rest] == [one.uuid for one in everything[position + 1 :]]


@given(st.permutations(range(6)))
def test_the_order_does_not_depend_on_where_rows_come_from(positions):
    rows = [ServerRow(**values) for values in servers()]
    for order in ORDERS:
        key = order.sort_key()
        shuffled = sorted((rows[position] for position in positions), key=lambda row: key(order.values(row)))
        assert shuffled == sorted(rows, key=lambda row: key(order.values(row)))
