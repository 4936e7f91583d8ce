"""Images fetched by the hosts of an aggregate: from the request to the hypervisors, and what is told."""

import pytest

from openkeel.virt.driver import HostFailure
from tests.fixtures.cloud import IMAGE, NODES, image
from tests.fixtures.compute_world import eventually

UNKNOWN = "99999999-9999-4999-8999-999999999999"
OTHER = "22222222-2222-4222-8222-222222222222"


@pytest.fixture
def aggregate(cloud):
    """One with both hosts."""
    made = cloud.admin("POST", "/v2.1/os-aggregates", {"aggregate": {"name": "a"}})
    number = made.json["aggregate"]["id"]
    for host in NODES:
        cloud.admin("POST", f"/v2.1/os-aggregates/{number}/action", {"add_host": {"host": host}})
    return number


@pytest.fixture
def ask(cloud, aggregate):
    def ask(*images, number=aggregate, who=None, **more):
        body = {"cache": [{"id": one} for one in images]}
        return (who or cloud.admin)("POST", f"/v2.1/os-aggregates/{number}/images", body, **more)

    return ask


def cached(cloud, *hosts):
    return [sorted(cloud.hypervisors[host].images) for host in hosts or NODES]


def test_every_host_fetches_every_image(cloud, ask):
    cloud.glance.add(image(OTHER))
    answer = ask(IMAGE, OTHER)
    assert (answer.status_code, answer.text) == (202, "")
    eventually(lambda: cached(cloud) == [sorted([IMAGE, OTHER])] * 2)


def test_it_came_with_2_81(cloud, ask):
    assert ask(IMAGE, version="2.80").status_code == 404
    assert ask(IMAGE, version="2.81").status_code == 202


@pytest.mark.parametrize("images", [(), (IMAGE, IMAGE), (UNKNOWN,), ("abc",)])
def test_what_cannot_be_fetched_is_refused(cloud, ask, images):
    assert ask(*images).status_code == 400
    assert cached(cloud) == [[], []]


def test_an_unknown_aggregate_is_not_found(ask):
    assert ask(IMAGE, number=4711).status_code == 404
    assert ask(IMAGE, number="abc").status_code == 400
    # Images that come twice are looked for before the aggregate, images that are not there after it.
    assert ask(IMAGE, IMAGE, number=4711).status_code == 400
    assert ask(UNKNOWN, number=4711).status_code == 404


def test_only_administrators_may(cloud, ask):
    assert ask(IMAGE, who=cloud.member).status_code == 403


def test_each_host_is_told_of(cloud, loud, ask):
    cloud.glance.add(image(OTHER))
    ask(IMAGE)
    loud.until("aggregate.cache_images.end")
    loud.forget()
    cloud.hypervisors[NODES[1]].script.fail("cache", HostFailure(reason="full"), times=2)
    ask(IMAGE, OTHER)
    loud.until("aggregate.cache_images.end")
    start, *hosts, end = loud.versioned("instance", "service")
    assert (start.event, start.publisher) == ("aggregate.cache_images.start", "nova-api:conductor")
    assert (end.event, end.publisher) == ("aggregate.cache_images.end", "nova-api:conductor")
    assert start.data["hosts"] == list(NODES)
    assert [(one.event, one.publisher) for one in hosts] == [
        ("aggregate.cache_images.progress", "nova-conductor:conductor")
    ] * 2
    assert [(one.data["index"], one.data["total"], one.data["name"]) for one in hosts] == [
        (1, 2, "a"),
        (2, 2, "a"),
    ]
    found = {one.data["host"]: (one.data["images_cached"], one.data["images_failed"]) for one in hosts}
    assert found == {NODES[0]: ([IMAGE, OTHER], []), NODES[1]: ([], [IMAGE, OTHER])}
    assert not [one for one in loud.unversioned() if "cache" in one.event]


def test_a_host_that_is_down_is_not_asked_but_told_of(cloud, loud, ask):
    service = cloud.cell1.services.find_compute(NODES[0])
    service.forced_down = True
    cloud.cell1.services.save(service)
    ask(IMAGE)
    loud.until("aggregate.cache_images.end")
    assert cached(cloud) == [[], [IMAGE]]
    told = [one.data for one in loud.versioned() if one.event.endswith("progress")]
    found = {one["host"]: (one["images_cached"], one["images_failed"]) for one in told}
    assert found == {NODES[0]: ([], [IMAGE]), NODES[1]: ([IMAGE], [])}
    assert sorted(one["index"] for one in told) == [1, 2]
