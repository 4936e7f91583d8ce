"""The first server, booted and waited for."""

import sys
from typing import Final

import openstack
from openstack.exceptions import ResourceFailure

NAME: Final = "first"
WAIT_SECONDS: Final = 180


def main() -> int:
    """Boot `first` unless it is there; 1, with the fault on stderr, when it does not become ACTIVE."""
    cloud = openstack.connect()
    compute = cloud.compute
    server = compute.find_server(NAME)
    status = compute.get_server(server).status if server else None
    if status not in {None, "ERROR", "BUILD"}:  # there, in whatever state its owner put it
        return 0
    if server and status == "ERROR":  # from an earlier run
        compute.delete_server(server)
        compute.wait_for_delete(server, wait=WAIT_SECONDS)
        server = None
    server = server or compute.create_server(
        name=NAME,
        flavor_id=compute.find_flavor("m1.tiny", ignore_missing=False).id,
        image_id=cloud.image.find_image("keel-test", ignore_missing=False).id,
        networks=[{"uuid": cloud.network.find_network("private", ignore_missing=False).id}],
    )
    try:
        compute.wait_for_server(server, wait=WAIT_SECONDS, interval=0.5)
    except ResourceFailure:
        server = compute.get_server(server)
        sys.stderr.write(f"server {NAME} is {server.status}: {server.fault}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
