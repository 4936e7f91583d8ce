"""What can go wrong, as kinds.

    KeelError
      NotFound            the thing asked for does not exist (or not for this project)
      AlreadyExists       a thing of this name or id is there already
      Invalid             the request makes no sense whatever the state
      InvalidState        the request makes sense, but not in the present state
      Conflict            somebody else changed it meanwhile
      Forbidden           a rule says no
      OverQuota           a limit of the project says no
      NoCapacity          no host, address or volume is left that fits
      Unavailable         an outside part is down or too slow to ask; trying later may help
      Unsupported         this deployment cannot do it
      Timeout             we gave up waiting
      Internal            a bug or a broken promise of ours

A subclass exists where some code catches it or a client depends on its text. Facts are keyword
data, so errors survive RPC and can be shown with two texts: `str(error)` for the user, `repr` for
the log. Kind to HTTP status is one table in `api/errors.py`; class to Nova's wire name is one table
in `rpc/errors.py`.
"""

from typing import Any, ClassVar


class KeelError(Exception):
    """Base of every error raised on purpose. `template` is formatted with the facts."""

    template: ClassVar[str] = "An unexpected condition arose."

    def __init__(self, message: str | None = None, /, **facts: Any) -> None:
        self.facts = facts
        super().__init__(message if message is not None else self._render(facts))

    @classmethod
    def _render(cls, facts: dict[str, Any]) -> str:
        try:
            return cls.template.format(**facts)
        except (KeyError, IndexError):  # a missing fact must not hide the error itself
            return cls.template

    def __repr__(self) -> str:
        facts = ", ".join(f"{key}={value!r}" for key, value in self.facts.items())
        return f"{type(self).__name__}({str(self)!r}{', ' if facts else ''}{facts})"


class NotFound(KeelError):
    template = "The resource could not be found."


class AlreadyExists(KeelError):
    template = "The resource already exists."


class Invalid(KeelError):
    template = "The request is not acceptable."


class InvalidState(KeelError):
    template = "The request does not fit the present state."


class Conflict(KeelError):
    template = "The resource was changed by someone else."


class Forbidden(KeelError):
    template = "This is not allowed."


class OverQuota(KeelError):
    template = "The quota for {overs} is exceeded."


class NoCapacity(KeelError):
    template = "There is no capacity left."


class Unavailable(KeelError):
    template = "{service} is not available."


class Unsupported(KeelError):
    template = "This is not supported here."


class Timeout(KeelError):
    template = "Gave up waiting."


class Internal(KeelError):
    template = "An internal error arose."


# Servers


class InstanceNotFound(NotFound):
    template = "Instance {instance_id} could not be found."


class InstanceDeleting(InvalidState):
    """A delete overtook us. Long work unwinds quietly: delete always wins."""

    template = "Instance {instance_uuid} is being deleted."


class StateConflict(InvalidState):
    """The compare-and-swap of an instance lost. Facts: instance_uuid, expected, found."""

    template = "Instance {instance_uuid} is in state {found}, while {expected} was expected."


class InstanceInvalidState(InvalidState):
    """Facts: instance_uuid, attr (vm_state | task_state | power_state), state, method."""

    template = "Cannot '{method}' instance {instance_uuid} while it is in {attr} {state}"


class InstanceIsLocked(InvalidState):
    template = "Instance {instance_uuid} is locked"


class InstanceNotReady(InvalidState):
    template = "Instance {instance_id} is not ready"


class ConsoleNotAvailable(NotFound):
    template = "The guest of instance {instance_id} has no console to read."


# Boot


class NoValidHost(NoCapacity):
    """Fact `reason` says which step left no host, and how many fell to what."""

    template = "No valid host was found. {reason}"


class MaxRetriesExceeded(NoValidHost):
    template = "Exceeded maximum number of retries. {reason}"


class HostMappingNotFound(NotFound):
    template = "Host '{name}' is not mapped to any cell"


class ComputeResourcesUnavailable(NoCapacity):
    """The host cannot take the instance after all: another host may."""

    template = "Insufficient compute resources: {reason}."


class GroupPolicyViolated(NoCapacity):
    """The policy of the server's group keeps it from this host: another may do."""

    template = "The server group of instance {instance_uuid} has policy {policy}, which this host breaks."


class RescheduledError(KeelError):
    """The build failed on this host in a way that another host may not share."""

    template = "Build of instance {instance_uuid} was re-scheduled: {reason}"


class BuildAborted(KeelError):
    """The build failed in a way that no other host can mend."""

    template = "Build of instance {instance_uuid} aborted: {reason}"


class VirtualInterfaceCreateFailed(KeelError):
    template = "Virtual Interface creation failed"


# Networks. What a server's owner asked of Neutron and cannot have


class NetworkNotFound(NotFound):
    template = "Network {network_id} could not be found."


class NetworkAmbiguous(Conflict):
    """The request leaves the choice to us and there are several networks."""

    template = "Several networks are available: say which one by its id."


class NetworkRequiresSubnet(Invalid):
    template = "Network {network_id} has no subnet, and a server needs one to boot on it."


class UnableToAutoAllocateNetwork(Invalid):
    template = "No network can be allocated automatically for project {project_id}"


class ExternalNetworkAttachForbidden(Forbidden):
    template = "Attaching to the external network {network_id} is not allowed"


class PortNotFound(NotFound):
    template = "Port {port_id} could not be found."


class PortInUse(Conflict):
    template = "Port {port_id} is in use by another server."


class PortNotUsable(Invalid):
    template = "Port {port_id} cannot be used by instance {instance}."


class PortRequiresFixedIP(Invalid):
    template = "Port {port_id} has no fixed IP address, and a server needs one to boot with it."


class PortLimitExceeded(OverQuota):
    template = "The quota of ports is exceeded."


class PortBindingFailed(Invalid):
    template = "Port {port_id} could not be bound on this host; Neutron's log says why."


class FixedIpInvalid(Invalid):
    template = "Fixed IP {address} does not fit network {network_id}."


class FixedIpAlreadyInUse(Invalid):
    template = "Fixed IP {address} is already in use."


class NoMoreFixedIps(NoCapacity):
    template = "No fixed IP address is left on network {network_id}."


class SecurityGroupNotFound(NotFound):
    template = "Security group {security_group_id} could not be found."


class SecurityGroupCannotBeApplied(Invalid):
    template = "Security groups need a network with a subnet and with port security."


class NoUniqueMatch(Conflict):
    template = "Several security groups are named '{name}': use an id."


# Images


class ImageNotFound(NotFound):
    template = "Image {image_id} could not be found."


class ImageNotAuthorized(Forbidden):
    template = "Image {image_id} is not accessible."


# Down parts


class CellUnreachable(Unavailable):
    template = "Cell {cell} does not answer"


class ComputeServiceUnavailable(Unavailable):
    template = "Compute service of {host} is unavailable at this time."


# Rows of the databases


class ServiceNotFound(NotFound):
    template = "Service {service_id} could not be found."


class InstanceExists(AlreadyExists):
    template = "A server named {name} exists already, and names must be unique here."


class ServiceBinaryExists(AlreadyExists):
    template = "Service with host {host} binary {binary} exists."


class ComputeHostNotFound(NotFound):
    template = "Compute host {host} could not be found."


class MigrationNotFound(NotFound):
    template = "Migration {migration_id} could not be found."


class FlavorNotFound(NotFound):
    template = "Flavor {flavor_id} could not be found."


class BuildRequestNotFound(NotFound):
    template = "BuildRequest not found for instance {uuid}"


class RequestSpecNotFound(NotFound):
    template = "RequestSpec not found for instance {instance_uuid}"


class InstanceMappingNotFound(NotFound):
    template = "Instance {uuid} has no mapping to a cell."


class CellMappingNotFound(NotFound):
    template = "Cell {uuid} has no mapping."


class QuotaExists(AlreadyExists):
    template = "Quota exists for project {project_id}, resource {resource}."


class FlavorExists(AlreadyExists):
    template = "Flavor with name {name} already exists."


class FlavorIdExists(AlreadyExists):
    template = "Flavor with ID {flavor_id} already exists."


class FlavorAccessNotFound(NotFound):
    template = "Project {project_id} has no access to flavor {flavor_id}."


class FlavorAccessExists(AlreadyExists):
    template = "Project {project_id} has access to flavor {flavor_id} already."


class KeypairNotFound(NotFound):
    template = "User {user_id} has no keypair {name}."


class KeyPairExists(AlreadyExists):
    template = "Key pair '{key_name}' already exists."


class AggregateNotFound(NotFound):
    template = "Aggregate {aggregate_id} could not be found."


class AggregateNameExists(AlreadyExists):
    template = "Aggregate {aggregate_name} already exists."


class AggregateHostExists(AlreadyExists):
    template = "Aggregate {aggregate_id} has host {host} already."


class AggregateHostNotFound(NotFound):
    template = "Aggregate {aggregate_id} has no host {host}."


class AggregateActionRefused(Invalid):
    """What was asked would put hosts or their servers into another availability zone, or lose them."""

    template = "Aggregate {aggregate_id} stays as it is: {reason}."


class InstanceGroupNotFound(NotFound):
    template = "Instance group {group_uuid} could not be found."


class InstanceInfoCacheNotFound(NotFound):
    template = "Info cache for instance {instance_uuid} could not be found."


class VolumeNotFound(NotFound):
    template = "Volume {volume_id} could not be found."


class SnapshotNotFound(NotFound):
    template = "Snapshot {snapshot_id} could not be found."


class VolumeBDMNotFound(NotFound):
    template = "No block device of volume {volume_id} could be found."


class MigrationNotFoundForInstance(MigrationNotFound):
    template = "Migration {migration_id} of instance {instance_id} could not be found."


class MigrationNotFoundByStatus(MigrationNotFound):
    template = "Instance {instance_id} has no migration in status {status}."


class InstanceActionNotFound(NotFound):
    template = "Instance {instance_uuid} has no action of request {request_id}."


class PciDeviceNotFound(NotFound):
    template = "Node {node_id} has no PCI device {address}."


class PciDeviceNotFoundById(NotFound):
    template = "PCI device {id} could not be found."


class ShareNotFound(NotFound):
    template = "Share {share_id} could not be found."


class TaskAlreadyRunning(Conflict):
    template = "Task {task_name} is already running on host {host}"


class TaskNotRunning(Conflict):
    template = "Task {task_name} is not running on host {host}"


class InvalidToken(Invalid):
    template = "The token is unknown or has expired"


class InstanceTagNotFound(NotFound):
    template = "Instance {instance_id} has no tag '{tag}'"
