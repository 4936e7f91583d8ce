"""Who writes to one thing at the same time waits for others: nobody fails, and nothing is half of each."""

import pytest

from openkeel import objects
from openkeel.common.context import Context
from openkeel.domain.errors import FlavorNotFound, InstanceGroupNotFound
from tests.fixtures.at_once import WRITERS, at_once
from tests.fixtures.db import new_instance


def test_metadata_of_an_aggregate(api):
    aggregate = objects.Aggregate(name="rack")
    api.aggregates.create(aggregate)
    for turn in range(5):
        writes = [{f"same{turn}": str(n), f"{turn}.{n}": "v"} for n in range(WRITERS)]
        found = at_once(
            lambda n, writes=writes: api.aggregates.update_metadata(aggregate.obj_clone(), writes[n])
        )
        assert found == [None] * WRITERS
    assert len(api.aggregates.get(aggregate.id).metadata) == 5 * (WRITERS + 1)


def test_extra_specs_of_a_flavor_and_its_end(api):
    flavor = objects.Flavor(flavorid="f", name="f", memory_mb=1, vcpus=1, root_gb=0, ephemeral_gb=0, swap=0)
    api.flavors.create(flavor)
    for turn in range(5):
        specs = [{f"same{turn}": str(n), f"{turn}.{n}": "v"} for n in range(WRITERS)]
        found = at_once(lambda n, specs=specs: api.flavors.save_extra_specs(flavor.id, specs[n]))
        assert found == [None] * WRITERS
    assert len(api.flavors.get(Context(is_admin=True), "f").extra_specs) == 5 * (WRITERS + 1)
    ends = at_once(lambda _: api.flavors.destroy(flavor.obj_clone()))
    assert [type(end) for end in ends if end is not None] == [FlavorNotFound] * (WRITERS - 1)
    with pytest.raises(FlavorNotFound):
        api.flavors.save_extra_specs(flavor.id, {"too": "late"})


def test_limits_that_are_set_for_the_first_time(api):
    for turn in range(5):
        owner = f"project{turn}"
        assert at_once(lambda n, owner=owner: api.quotas.set_project(owner, {"cores": n})) == [None] * WRITERS
        assert api.quotas.of_project(owner)["cores"] in range(WRITERS)


def test_members_that_come_while_their_group_goes(api):
    for _ in range(5):
        group = objects.InstanceGroup(name="g", project_id="p", user_id="u", policy="affinity")
        api.instance_groups.create(group)

        def write(n, group=group):
            if n % 2:
                return api.instance_groups.destroy(group.obj_clone())
            return api.instance_groups.add_members(group.uuid, [f"server-{n}"])

        found = at_once(write)
        ends = found[1::2]
        assert ends.count(None) == 1
        errors = [one for one in found if isinstance(one, Exception)]
        assert {type(error) for error in errors} == {InstanceGroupNotFound}


def test_tags_of_a_server(cell):
    instance = new_instance()
    cell.instances.create(instance)
    for turn in range(5):
        found = at_once(lambda _, turn=turn: cell.tags.add(instance.uuid, f"t{turn}"))
        assert sorted(found) == [False] * (WRITERS - 1) + [True]
    wanted = [["same", f"r{n}"] for n in range(WRITERS)]
    for _ in range(5):
        found = at_once(lambda n: [tag.tag for tag in cell.tags.replace(instance.uuid, wanted[n])])
        assert sorted(found) == sorted(map(sorted, wanted))
        assert [tag.tag for tag in cell.tags.list(instance.uuid)] in list(map(sorted, wanted))
