"""Things to tell of, as full as they get."""

from datetime import UTC, datetime

from openkeel import objects
from openkeel.common.context import Context
from openkeel.objects.network_info import NetworkInfo

UUID = "11111111-2222-3333-4444-555555555555"
IMAGE = "aaaaaaaa-2222-3333-4444-555555555555"
PORT = "bbbbbbbb-2222-3333-4444-555555555555"
THEN = datetime(2026, 11, 29, 18, 58, 22, 429666, tzinfo=UTC)

SECRETS = (
    "Sekr3tPass",
    "c2VjcmV0LXVzZXItZGF0YQ==",
    "PRIVATE KEY",
    "token-of-the-user",
    "key-data-of-the-server",
)


def context():
    return Context("user", "project", auth_token="token-of-the-user", request_id="req-" + UUID)


def flavor(**more):
    values = {
        "id": 1,
        "flavorid": "m1",
        "name": "m1.tiny",
        "memory_mb": 512,
        "vcpus": 2,
        "root_gb": 3,
        "ephemeral_gb": 4,
        "swap": 5,
        "rxtx_factor": 1.0,
        "vcpu_weight": 0,
        "disabled": False,
        "is_public": True,
        "description": "small",
        "extra_specs": {"hw:cpu_policy": "shared"},
        "projects": [],
    }
    return objects.Flavor(**{**values, **more})


def network_info():
    return NetworkInfo(
        [
            {
                "id": PORT,
                "address": "fa:16:3e:00:00:01",
                "devname": "tapbbbbbbbb-22",
                "meta": {},
                "network": {
                    "label": "private",
                    "subnets": [
                        {"ips": [{"address": "10.0.0.5", "version": 4, "type": "fixed", "floating_ips": []}]},
                        {"ips": [{"address": "fd00::5", "version": 6, "type": "fixed", "floating_ips": []}]},
                    ],
                },
            }
        ]
    )


def keypair():
    return objects.KeyPair(
        user_id="user", name="mine", type="ssh", fingerprint="aa:bb", public_key="ssh-rsa AAAA me"
    )


def instance(**more):
    values = {
        "id": 7,
        "uuid": UUID,
        "user_id": "user",
        "project_id": "project",
        "display_name": "web",
        "display_description": "a server",
        "hostname": "web",
        "reservation_id": "r-1",
        "vm_state": "active",
        "task_state": None,
        "power_state": 1,
        "progress": 0,
        "locked": True,
        "host": "node-1",
        "node": "node-1",
        "availability_zone": "nova",
        "created_at": THEN,
        "updated_at": THEN,
        "launched_at": THEN,
        "terminated_at": None,
        "deleted_at": None,
        "image_ref": IMAGE,
        "kernel_id": "",
        "ramdisk_id": "",
        "os_type": None,
        "architecture": None,
        "auto_disk_config": True,
        "key_name": "mine",
        "key_data": "key-data-of-the-server",
        "user_data": "c2VjcmV0LXVzZXItZGF0YQ==",
        "access_ip_v4": None,
        "access_ip_v6": None,
        "cell_name": None,
        "metadata": {"a": "b"},
        "system_metadata": {"image_min_ram": "0", "locked_reason": "why", "password_0": "Sekr3tPass"},
        "flavor": flavor(),
        "info_cache": objects.InstanceInfoCache(instance_uuid=UUID, network_info=network_info()),
        "keypairs": objects.KeyPairList(objects=[keypair()]),
        "tags": objects.TagList(objects=[objects.Tag(resource_id=UUID, tag="blue")]),
        "trusted_certs": None,
    }
    return objects.Instance(**{**values, **more})


def request_spec():
    return objects.RequestSpec(
        instance_uuid=UUID,
        user_id="user",
        project_id="project",
        num_instances=1,
        flavor=flavor(),
        image=objects.ImageMeta(
            id=IMAGE,
            name="cirros",
            properties=objects.ImageMetaProps(hw_disk_bus="virtio", hw_ephemeral_encryption_secret_uuid=PORT),
        ),
        availability_zone="nova",
        force_hosts=["node-1"],
        force_nodes=None,
        ignore_hosts=None,
        scheduler_hints={"group": ["g"]},
        numa_topology=objects.InstanceNUMATopology(
            instance_uuid=UUID,
            cells=[
                objects.InstanceNUMACell(
                    id=0,
                    cpuset={0},
                    pcpuset=set(),
                    memory=512,
                    pagesize=None,
                    cpu_topology=objects.VirtCPUTopology(sockets=1, cores=1, threads=1),
                    cpu_pinning_raw=None,
                    cpu_policy=None,
                    cpu_thread_policy=None,
                    cpuset_reserved=None,
                )
            ],
            emulator_threads_policy=None,
        ),
        pci_requests=objects.InstancePCIRequests(
            instance_uuid=UUID,
            requests=[
                objects.InstancePCIRequest(
                    count=1, spec=[{"vendor_id": "8086"}], alias_name="nic", request_id=PORT
                )
            ],
        ),
        requested_destination=objects.Destination(
            host="node-1",
            node=None,
            cell=objects.CellMapping(
                uuid=UUID, name="cell1", disabled=False, transport_url="rabbit://u:Sekr3tPass@h/"
            ),
        ),
        instance_group=objects.InstanceGroup(
            uuid=UUID, name="g", policy="affinity", _rules={}, members=[UUID], hosts=["node-1"]
        ),
        retry=objects.SchedulerRetries(
            num_attempts=1, hosts=objects.ComputeNodeList(objects=[objects.ComputeNode(host="node-2")])
        ),
        security_groups=objects.SecurityGroupList(objects=[objects.SecurityGroup(name="default")]),
    )
