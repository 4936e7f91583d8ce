"""Boot: from a wish for servers to build requests in the API database and a cast to the conductor.

Nothing exists in any cell when this is done: the conductor schedules and creates. The order of the
checks is what clients see, cheap ones first; whatever is refused has left nothing behind. When the
cast cannot be sent, what was written is taken back.
"""

import logging
import secrets
import string
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, Protocol

from openkeel import objects
from openkeel.clients.glance.interface import Glance
from openkeel.clients.glance.types import Image
from openkeel.clients.neutron.interface import Neutron
from openkeel.clients.neutron.types import NetworkChoice
from openkeel.common.clock import Clock
from openkeel.common.context import Context
from openkeel.common.undo import Undo
from openkeel.db.cells import CellDirectory
from openkeel.domain import storable
from openkeel.domain.errors import (
    InstanceGroupNotFound,
    Invalid,
    NotFound,
    OverQuota,
    PortLimitExceeded,
)
from openkeel.notifications.notifier import Notifications
from openkeel.policies import Enforcer
from openkeel.policies import servers as rules
from openkeel.services import boot_disks, boot_hosts, boot_images, boot_networks
from openkeel.services.boot_objects import Plan, Server, make_server
from openkeel.services.boot_request import Booted, BootRequest, DiskRequest
from openkeel.services.unique_names import NameScope, UniqueNames

LOG = logging.getLogger(__name__)

# Passwords are read and typed by people: no characters that look alike.
_PASSWORD_GROUPS: Final = ("23456789", "ABCDEFGHJKLMNPQRSTUVWXYZ", "abcdefghijkmnopqrstuvwxyz")
_RESERVATION_LETTERS: Final = string.ascii_lowercase + string.digits


class Quota(Protocol):
    """The limits of a project. All checks raise OverQuota."""

    def check(self, ctx: Context, deltas: Mapping[str, int]) -> None:
        """Whether so much more still fits."""

    def check_limits(self, ctx: Context, counted: Mapping[str, int]) -> None:
        """Whether one thing holds no more than allowed."""

    def bound(self, ctx: Context, resource: str) -> Callable[[int], None]:
        """The limit on one thing as it is now: a check of what it would hold."""

    def group_members_bound(self, ctx: Context) -> Callable[[Collection[str]], None]:
        """The limit on servers of the user in a group as it is now: a check of all its members."""

    def check_group_members(self, ctx: Context, members: Collection[str], more: int) -> None:
        """Whether a server group may hold so many more servers of the user."""

    @property
    def rechecks(self) -> bool:
        """Whether to count again when everything is recorded."""


class BuildConductor(Protocol):
    """The part of the conductor's client that a boot needs."""

    def schedule_and_build_instances(self, ctx: Context, **arguments: Any) -> None: ...


@dataclass(frozen=True, slots=True)
class BootSettings:
    """Contract: options of these names, or nearly."""

    enable_instance_password: bool = True
    password_length: int = 12
    default_schedule_zone: str | None = None
    default_availability_zone: str = "nova"
    internal_availability_zone: str = "internal"
    max_local_block_devices: int = 3
    unique_name_scope: NameScope = NameScope.NOWHERE


class BootService:
    """Makes servers out of requests."""

    def __init__(
        self,
        cells: CellDirectory,
        conductor: BuildConductor,
        glance: Glance,
        neutron: Neutron,
        quota: Quota,
        enforcer: Enforcer,
        clock: Clock,
        settings: BootSettings = BootSettings(),
        notifications: Notifications | None = None,
    ) -> None:
        self._notifications = notifications or Notifications()
        self._cells = cells
        self._conductor = conductor
        self._glance = glance
        self._neutron = neutron
        self._quota = quota
        self._enforcer = enforcer
        self._clock = clock
        self._settings = settings
        self._names = UniqueNames(cells, settings.unique_name_scope)

    def boot(self, ctx: Context, request: BootRequest) -> Booted:
        """Record the servers and set the conductor to work.

        Raises: Invalid, Unsupported, NotFound for what the request names and cannot have; Forbidden;
        OverQuota; InstanceExists, NetworkAmbiguous, PortInUse; Unavailable when Glance, Neutron or
        RabbitMQ is down.
        """
        minimum, maximum = _counts(request)
        storable.check("Metadata", request.metadata.values())
        storable.check("Tags", request.tags)
        storable.check("Certificates", request.trusted_certificates or ())
        storable.check("User data", [request.user_data or ""])
        storable.check("Block device mappings", _texts(request.disks))
        place = self._place(ctx, request)
        destination = self._destination(ctx, request, place)
        self._check_rules(ctx, request)
        flavor = self._flavor(ctx, request.flavor_id)
        image = self._image(ctx, request, flavor)
        boot_disks.check(request.disks, request.image_id, flavor, most=self._settings.max_local_block_devices)
        key = self._key(ctx, request.key_name)
        group = self._group(ctx, request)
        self._check_limits(ctx, request)
        security_groups = request.security_groups
        if security_groups is None:
            security_groups = (boot_networks.DEFAULT_GROUP,)
        groups = boot_networks.security_groups(self._neutron, ctx, security_groups)
        boot_networks.check_count(request.networks, maximum)
        count = self._affordable(ctx, flavor, minimum, maximum)
        count = self._with_ports(ctx, request, minimum, count)
        if group is not None:
            self._quota.check_group_members(ctx, group.members or (), count)
        facts = self._neutron.network_facts(ctx, request.networks)
        plan = Plan(
            request=request,
            count=count,
            flavor=flavor,
            image=image,
            image_meta=boot_images.image_meta(image),
            key=key,
            place=place,
            destination=destination,
            networks=boot_networks.requested_networks(request.networks),
            network_facts=facts,
            port_resources=boot_networks.wanted_resources(facts, allowed=request.may_request_port_resources),
            security_groups=groups,
            group=group,
            reservation_id=_reservation_id(),
        )
        now = self._clock.now()
        servers = [make_server(ctx, plan, index, now) for index in range(count)]
        self._names.check([server.build_request.instance for server in servers])
        password = request.admin_password or generate_password(self._settings.password_length)
        self._record_and_cast(ctx, plan, servers, password)
        return Booted(
            uuids=tuple(server.uuid for server in servers),
            reservation_id=plan.reservation_id,
            admin_password=password if self._settings.enable_instance_password else None,
            auto_disk_config=bool(request.auto_disk_config),
            security_groups=security_groups,
        )

    # What the request names

    def _place(self, ctx: Context, request: BootRequest) -> boot_hosts.Place:
        place = boot_hosts.parse_zone(request.availability_zone or self._settings.default_schedule_zone)
        if place.is_forced:
            self._enforcer.enforce(ctx, rules.CREATE_FORCED_HOST, _own(ctx))
        elif place.zone is not None and place.zone not in self._zones():
            raise Invalid(f"The requested availability zone {place.zone} is not available.")
        return place

    def _zones(self) -> set[str]:
        return {
            self._settings.default_availability_zone,
            self._settings.internal_availability_zone,
            *self._cells.api.aggregates.availability_zones(),
        }

    def _destination(
        self, ctx: Context, request: BootRequest, place: boot_hosts.Place
    ) -> objects.Destination | None:
        """The host the scheduler shall verify and take. Contract: host and hypervisor_hostname of 2.74."""
        if request.host is None and request.node is None:
            return None
        self._enforcer.enforce(ctx, rules.CREATE_REQUESTED_DESTINATION, _own(ctx))
        if place.is_forced:
            raise Invalid("A host cannot be named both in the availability zone and by itself.")
        node = self._find_node(request.host, request.node)
        return objects.Destination(host=node.host, node=node.hypervisor_hostname)

    def _find_node(self, host: str | None, nodename: str | None) -> Any:
        for cell in self._cells.cells(include_cell0=False):
            nodes = cell.compute_nodes.list_all() if host is None else cell.compute_nodes.list_by_host(host)
            for node in nodes:
                if nodename in {None, node.hypervisor_hostname}:
                    return node
        raise Invalid(f"Compute host {host or nodename} could not be found.")

    def _check_rules(self, ctx: Context, request: BootRequest) -> None:
        target = _own(ctx)
        if request.trusted_certificates:
            self._enforcer.enforce(ctx, rules.CREATE_TRUSTED_CERTS, target)
        if request.disks:
            self._enforcer.enforce(ctx, rules.CREATE_ATTACH_VOLUME, target)
        if request.networks.choice is NetworkChoice.GIVEN:
            self._enforcer.enforce(ctx, rules.CREATE_ATTACH_NETWORK, target)

    def _flavor(self, ctx: Context, flavor_id: str) -> Any:
        flavor = self._cells.api.flavors.get(ctx, flavor_id)
        if flavor.disabled:
            raise NotFound(f"Flavor {flavor_id} could not be found.")
        return flavor

    def _image(self, ctx: Context, request: BootRequest, flavor: objects.Flavor) -> Image | None:
        if request.image_id is None:
            if not request.disks:
                raise Invalid("A server needs an imageRef, or a boot disk among its block devices.")
            return None
        image = self._glance.get(ctx, request.image_id)
        boot_images.check_fits(image, flavor)
        if not flavor.root_gb:
            # The disk would be as large as the image says, which no quota and no scheduler sees.
            self._enforcer.enforce(ctx, rules.CREATE_ZERO_DISK_FLAVOR, _own(ctx))
        if request.auto_disk_config and boot_images.forbids_auto_disk_config(image):
            raise Invalid(f"Image {image.id} forbids to fit the disk to the flavor (diskConfig AUTO).")
        return image

    def _key(self, ctx: Context, name: str | None) -> objects.KeyPair | None:
        return None if name is None else self._cells.api.keypairs.get(ctx.user_id or "", name)

    def _group(self, ctx: Context, request: BootRequest) -> objects.InstanceGroup | None:
        """The server group that a hint names; a foreign one does not exist."""
        hint = request.scheduler_hints.get("group")
        if hint is None:
            return None
        uuid = hint if isinstance(hint, str) else next(iter(hint), "")
        try:
            group: objects.InstanceGroup = self._cells.api.instance_groups.get(uuid)
        except InstanceGroupNotFound as error:
            raise Invalid(str(error)) from error
        if not (ctx.is_admin or group.project_id == ctx.project_id):
            raise Invalid(str(InstanceGroupNotFound(group_uuid=uuid)))
        return group

    # What the project may have

    def _check_limits(self, ctx: Context, request: BootRequest) -> None:
        """Limits on what one request holds."""
        counted = {"metadata_items": len(request.metadata)}
        if request.injected_files:
            counted["injected_files"] = len(request.injected_files)
            counted["injected_file_path_bytes"] = max(len(file.path) for file in request.injected_files)
            counted["injected_file_content_bytes"] = max(
                len(file.contents) for file in request.injected_files
            )
        self._quota.check_limits(ctx, counted)

    def _affordable(self, ctx: Context, flavor: objects.Flavor, minimum: int, maximum: int) -> int:
        """The most servers, at least `minimum`, that the quota allows. Raises: OverQuota."""

        def check(count: int) -> None:
            self._quota.check(ctx, {name: count * amount for name, amount in _takes(flavor).items()})

        return _most(minimum, maximum, check)

    def _with_ports(self, ctx: Context, request: BootRequest, minimum: int, count: int) -> int:
        may_attach_external = self._enforcer.allows(ctx, rules.ATTACH_EXTERNAL_NETWORK, _own(ctx))
        enough_for = self._neutron.validate_networks(
            ctx, request.networks, count, may_attach_external=may_attach_external
        )
        if enough_for < minimum:
            raise PortLimitExceeded
        return min(count, enough_for)

    # What is left behind

    def _record_and_cast(self, ctx: Context, plan: Plan, servers: list[Server], password: str) -> None:
        builds = [(one.request_spec, one.build_request, one.instance_mapping) for one in servers]
        # Stored objects know no changes any more, and of these the conductor makes rows.
        disks = servers[0].build_request.block_device_mappings.obj_clone()
        with Undo("boot", plan.reservation_id) as undo:
            undo.add("builds", self._cells.api.destroy_builds, [server.uuid for server in servers])
            self._cells.api.create_builds(builds)
            self._names.check([server.build_request.instance for server in servers])
            if plan.group is not None:
                self._join(ctx, plan.group, [server.uuid for server in servers], undo)
            self._conductor.schedule_and_build_instances(
                ctx,
                build_requests=[server.build_request for server in servers],
                request_specs=[server.request_spec for server in servers],
                image=_image_primitive(plan.image),
                admin_password=password,
                injected_files=[(file.path, file.contents) for file in plan.request.injected_files],
                requested_networks=plan.networks,
                block_device_mapping=disks,
                tags=objects.TagList(objects=list(servers[0].build_request.tags.objects)),
            )
        LOG.info("boot of %d servers was recorded", len(servers), extra={"reservation": plan.reservation_id})

    def _join(
        self, ctx: Context, group: objects.InstanceGroup, instance_uuids: Sequence[str], undo: Undo
    ) -> None:
        """Put the servers into their group. Raises: OverQuota when others came meanwhile."""
        groups = self._cells.api.instance_groups
        undo.add("members", groups.remove_members, group.uuid, instance_uuids)
        admit = self._quota.group_members_bound(ctx) if self._quota.rechecks else None
        groups.add_members(group.uuid, instance_uuids, admit=admit)
        if self._notifications.emitter.is_on:
            joined = groups.get(group.uuid)
            for instance_uuid in instance_uuids:
                self._notifications.server_groups.member_added(ctx, joined, [instance_uuid])


def _texts(disks: Sequence[DiskRequest]) -> list[str]:
    values = (getattr(disk, field.name) for disk in disks for field in fields(disk))
    return [value for value in values if isinstance(value, str)]


def _own(ctx: Context) -> dict[str, Any]:
    """What is about to be made belongs to who asks."""
    return {"project_id": ctx.project_id, "user_id": ctx.user_id}


def _counts(request: BootRequest) -> tuple[int, int]:
    minimum = request.min_count or 1
    maximum = request.max_count or minimum
    if minimum > maximum:
        raise Invalid("min_count must not be greater than max_count.")
    if maximum > 1 and request.hostname is not None:
        raise Invalid("A hostname can be given to one server only.")
    return minimum, maximum


def _most(minimum: int, maximum: int, check: Callable[[int], None]) -> int:
    """The largest count in [minimum, maximum] that passes; what refuses `minimum` refuses all."""
    try:
        check(maximum)
    except OverQuota:
        if minimum == maximum:
            raise
    else:
        return maximum
    check(minimum)
    good, bad = minimum, maximum
    while bad - good > 1:
        middle = (good + bad) // 2
        try:
            check(middle)
        except OverQuota:
            bad = middle
        else:
            good = middle
    return good


def _reservation_id() -> str:
    return "r-" + "".join(secrets.choice(_RESERVATION_LETTERS) for _ in range(8))


def generate_password(length: int) -> str:
    """A random password with a character of every group, as far as the length reaches."""
    letters = [secrets.choice(group) for group in _PASSWORD_GROUPS][:length]
    everything = "".join(_PASSWORD_GROUPS)
    letters += [secrets.choice(everything) for _ in range(length - len(letters))]
    secrets.SystemRandom().shuffle(letters)
    return "".join(letters)


def _image_primitive(image: Image | None) -> dict[str, Any]:
    """The image as the wire has it: a plain dict, empty without an image.

    Compat: what is not known is missing; Nova's computes make an object of it that takes no None.
    """
    facts = {} if image is None else image.to_image_meta()
    return {name: value for name, value in facts.items() if value is not None}


def _takes(flavor: objects.Flavor) -> dict[str, int]:
    """What a server of the flavor takes, by what has limits."""
    swap_gib = -(-(flavor.swap or 0) // 1024)
    disk_gib = (flavor.root_gb or 0) + (flavor.ephemeral_gb or 0) + swap_gib
    return {"instances": 1, "cores": flavor.vcpus, "ram": flavor.memory_mb, "class:DISK_GB": disk_gib}
