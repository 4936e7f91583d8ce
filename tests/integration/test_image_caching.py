"""Images that hosts fetch before somebody boots from them."""

import pytest

from tests.integration.conftest import NODE_NAMES, eventually

COPIES = "/apis/cdi.kubevirt.io/v1beta1/datavolumes"


@pytest.fixture
def aggregate(devstack):
    compute = devstack.admin.compute
    made = compute.create_aggregate(name="cached")
    for host in NODE_NAMES:
        compute.add_host_to_aggregate(made, host)
    yield made
    for host in NODE_NAMES:
        compute.remove_host_from_aggregate(made, host)
    compute.delete_aggregate(made)


@pytest.fixture
def new_image(devstack):
    made = devstack.admin.image.create_image(
        name="to-be-cached", data=b"keel" * 1024, disk_format="raw", container_format="bare"
    )
    yield made.id
    devstack.admin.image.delete_image(made)


def test_the_cluster_has_an_image_that_hosts_were_told_to_cache(devstack, aggregate, new_image):
    def copies():
        return devstack.cluster.items(COPIES, labelSelector=f"openkeel.io/image={new_image}")

    assert copies() == []
    devstack.admin.compute.aggregate_precache_images(aggregate, [new_image])
    (copy,) = eventually(copies, 120)
    place = f"/apis/cdi.kubevirt.io/v1beta1/namespaces/{copy['metadata']['namespace']}/datavolumes"
    try:
        eventually(lambda: copies()[0].get("status", {}).get("phase") == "Succeeded", 120)
    finally:
        devstack.cluster.session.delete(
            f"{devstack.cluster.url}{place}/{copy['metadata']['name']}", timeout=30
        ).raise_for_status()
