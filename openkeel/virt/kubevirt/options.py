"""Options of the KubeVirt driver: group kubevirt, OpenKeel's own."""

from collections.abc import Mapping, Sequence
from typing import Final

from oslo_config import cfg

GROUPS: Final[Mapping[str, Sequence[cfg.Opt]]] = {
    "kubevirt": (
        cfg.StrOpt(
            "kubeconfig",
            help="Path of the kubeconfig file; the pod's own service account when not set.",
        ),
        cfg.StrOpt("context", help="Context of the kubeconfig file; its current one when not set."),
        cfg.StrOpt(
            "node_name",
            default="$host",
            help="Name of the Kubernetes node this compute serves. Must equal the option host.",
        ),
        cfg.StrOpt(
            "namespace_prefix",
            default="ok-",
            regex="^[a-z][a-z0-9-]*$",
            help="Prefix of the namespace of a project; the project's id follows.",
        ),
        cfg.StrOpt(
            "images_namespace",
            default="openkeel-images",
            help="Namespace of the golden copies of images, shared by all projects.",
        ),
        cfg.StrOpt(
            "root_storage_class",
            help="Storage class of root disks; the cluster's default when not set.",
        ),
        cfg.StrOpt(
            "ephemeral_storage_class",
            help="Storage class of ephemeral and swap disks; that of root disks when not set.",
        ),
        cfg.StrOpt(
            "glance_internal_url",
            help="Glance's URL as pods of the cluster reach it; the catalogue's endpoint when not set.",
        ),
        cfg.StrOpt(
            "glance_ca_configmap",
            help="ConfigMap in the images namespace with the CA that signed Glance's certificate.",
        ),
        cfg.IntOpt(
            "disk_gb",
            min=1,
            help="Disk of this node in GiB for Placement; when not set, what the storage class reports.",
        ),
        cfg.StrOpt(
            "cpu_mode",
            default="host-model",
            help="CPU model of guests: host-model, host-passthrough or a named model.",
        ),
        cfg.ListOpt(
            "tolerations",
            default=[],
            help="Taints (key or key=value) of hypervisor nodes that guests tolerate.",
        ),
        cfg.IntOpt(
            "spawn_timeout",
            default=600,
            min=1,
            help="Seconds a guest may take to run, the import of its image not counted.",
        ),
        cfg.IntOpt(
            "image_import_timeout",
            default=3600,
            min=1,
            help="Seconds the import of an image may take.",
        ),
        cfg.IntOpt(
            "unschedulable_grace",
            default=30,
            min=0,
            help="Seconds that Kubernetes may call a guest unschedulable before the build fails here.",
        ),
        cfg.IntOpt(
            "api_retry_timeout",
            default=60,
            min=0,
            help="Seconds to retry a call to an API server that is away or overloaded.",
        ),
        cfg.IntOpt(
            "api_timeout",
            default=30,
            min=1,
            help="Seconds one call to the API server may take.",
        ),
        cfg.FloatOpt(
            "api_qps",
            default=50.0,
            min=1.0,
            help="Calls a second to the API server at most, watches not counted.",
        ),
        cfg.BoolOpt(
            "console_log_persist",
            default=True,
            help="Whether to keep the last 100 KiB of a guest's console log when it is stopped.",
        ),
    ),
}
