"""Choosing and ordering parts."""

from graphlib import CycleError

import pytest

from devstack.lib.order import UnknownPart, named, ordered, until, with_needs
from devstack.lib.part import Part
from devstack.lib.parts.table import PARTS

DATABASE = Part(name="database", group="infra")
BUS = Part(name="bus", group="infra")
KEYS = Part(name="keys", group="identity", needs=("database",))
API = Part(name="api", group="compute", needs=("keys", "bus"))
SMALL = (API, KEYS, BUS, DATABASE)


def names(parts):
    return [part.name for part in parts]


def test_needs_come_before_needers():
    order = names(ordered(SMALL))
    assert order.index("database") < order.index("keys") < order.index("api")
    assert order.index("bus") < order.index("api")


def test_a_need_that_is_no_part_is_refused():
    with pytest.raises(UnknownPart, match="keys needs database"):
        ordered((KEYS,))


def test_parts_that_need_each_other_are_refused():
    with pytest.raises(CycleError):
        ordered((Part(name="a", group="g", needs=("b",)), Part(name="b", group="g", needs=("a",))))


def test_a_wanted_part_brings_all_it_needs_and_nothing_else():
    assert set(names(with_needs(SMALL, [KEYS]))) == {"keys", "database"}


def test_a_group_means_its_parts():
    assert set(names(named(SMALL, ["infra"]))) == {"database", "bus"}


def test_an_unknown_name_is_answered_with_the_groups_there_are():
    with pytest.raises(UnknownPart, match=r"'nonsense'.*infra"):
        named(PARTS, ["nonsense"])


def test_until_a_group_takes_the_groups_before_it():
    chosen = {part.group for part in until(PARTS, "identity")}
    assert chosen == {"install", "infra", "network", "identity"}


def test_until_a_part_takes_its_whole_group():
    assert names(until(PARTS, "glance")) == names(until(PARTS, "services"))


class TestTheRealTable:
    def test_it_can_be_ordered(self):
        assert len(ordered(PARTS)) == len(PARTS)

    def test_names_are_unique_and_never_a_groups_name_of_other_parts(self):
        assert len({part.name for part in PARTS}) == len(PARTS)
        for part in PARTS:
            assert part.name not in {
                other.group for other in PARTS if other is not part and other.group != part.group
            }

    def test_groups_stand_together_and_need_only_groups_above(self):
        """`down` stops the groups last first, and `until` cuts the table between groups."""
        groups = list(dict.fromkeys(part.group for part in PARTS))
        assert [part.group for part in PARTS] == sorted((part.group for part in PARTS), key=groups.index)
        group_of = {part.name: part.group for part in PARTS}
        for part in PARTS:
            assert all(groups.index(group_of[need]) <= groups.index(part.group) for need in part.needs), (
                part.name
            )

    def test_the_infrastructure_alone_needs_none_of_the_openstack_services(self):
        chosen = names(with_needs(PARTS, named(PARTS, ["mariadb", "rabbitmq"])))
        assert chosen
        assert "openstack-environment" not in chosen
