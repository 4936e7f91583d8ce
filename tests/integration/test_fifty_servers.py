"""Many servers at once: all come up, and nothing is left of them."""

import time


def test_fifty_servers_come_up_and_go_without_a_trace(cloud, boot, settled):
    began = time.monotonic()
    ids = [boot(f"many-{number}").id for number in range(50)]
    asked = time.monotonic() - began
    servers = settled(ids, 300)
    active = time.monotonic() - began
    assert {server.status for server in servers.values()} == {"ACTIVE"}
    assert len(cloud.cluster.guests()) == 50
    assert len(cloud.compute_ports()) == 50
    began = time.monotonic()
    cloud.delete_all()
    print(  # noqa: T201 - the figures belong into the closing note
        f"\n50 servers: asked in {asked:.1f} s, all ACTIVE after {active:.1f} s, "
        f"all gone {time.monotonic() - began:.1f} s after the first delete"
    )


def test_one_request_for_ten_servers(cloud, boot, settled):
    first = boot("batch", min_count=10, max_count=10)
    servers = [s.id for s in cloud.demo.compute.servers() if s.name.startswith("batch-")]
    assert first.id in servers
    assert len(servers) == 10
    assert {s.status for s in settled(servers).values()} == {"ACTIVE"}
