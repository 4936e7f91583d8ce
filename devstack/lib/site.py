"""Where everything of one devstack lies: folders, ports, names, credentials."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[2]
REGION: Final = "RegionOne"
PASSWORD: Final = "secret"  # noqa: S105  a lab on the loopback
DEFAULT_PORT_BASE: Final = 20000
DEFAULT_NODES: Final = 2

# Added to the port base. Ceph has no part yet; its place is kept free.
PORTS: Final[dict[str, int]] = {
    "memcached": 1211,
    "mariadb": 3306,
    "ceph-mon": 3300,
    "ceph-mon-v1": 6789,
    "keystone": 5000,
    "rabbitmq": 5673,
    "rabbitmq-dist": 5674,
    "epmd": 5675,
    "vnc": 6080,
    "cluster": 6443,
    "ovn-nb": 6641,
    "ovn-sb": 6642,
    "compute": 8774,
    "metadata": 8775,
    "cinder": 8776,
    "placement": 8778,
    "glance": 9292,
    "neutron": 9696,
}


class SiteError(Exception):
    """The folder and the wish do not go together."""


def _home() -> Path:
    return Path(os.environ.get("KEEL_STATE") or ROOT / ".devstack").resolve()


def _recorded(home: Path) -> dict[str, Any]:
    """What `up` remembered of the settings it was called with."""
    record = home / "data" / "site.json"
    return dict(json.loads(record.read_text())) if record.exists() else {}


def nodes() -> tuple[str, ...]:
    """The nodes of the devstack this process is about."""
    count = int(os.environ.get("KEEL_NODES") or _recorded(_home()).get("nodes") or DEFAULT_NODES)
    return tuple(f"node-{number}" for number in range(1, count + 1))


NODES: Final = nodes()


@dataclass(frozen=True)
class Site:
    """One devstack: a checkout, a data folder, a port base; what OpenKeel's daemons are told beside it."""

    root: Path
    home: Path
    port_base: int = DEFAULT_PORT_BASE
    overlay: Path | None = None

    @classmethod
    def load(cls) -> "Site":
        """The devstack this process is about: the variables KEEL_..., or what `up` recorded of them."""
        home = _home()
        record = _recorded(home)
        recorded = record.get("port_base")
        overlay = os.environ.get("KEEL_OVERLAY", record.get("overlay"))
        asked = os.environ.get("KEEL_PORT_BASE")
        if recorded and asked and int(asked) != recorded:
            raise SiteError(
                f"{home} was made with port base {recorded}, not {asked}: run devstack/reset first"
            )
        return cls(
            ROOT,
            home,
            int(asked or recorded or DEFAULT_PORT_BASE),
            Path(overlay).resolve() if overlay else None,
        )

    def record(self) -> None:
        """Make the folders and remember the settings for the other commands."""
        for folder in (self.data, self.log, self.etc, self.run / "tmp", self.bin, self.home / "env"):
            folder.mkdir(parents=True, exist_ok=True)
        settings = {
            "port_base": self.port_base,
            "nodes": len(NODES),
            "overlay": str(self.overlay) if self.overlay else None,
        }
        (self.data / "site.json").write_text(json.dumps(settings) + "\n")

    @property
    def data(self) -> Path:
        return self.home / "data"

    @property
    def log(self) -> Path:
        return self.home / "log"

    @property
    def etc(self) -> Path:
        return self.home / "etc"

    @property
    def run(self) -> Path:
        return self.home / "run"

    @property
    def bin(self) -> Path:
        return self.home / "bin"

    @property
    def venv(self) -> Path:
        """OpenKeel's own environment."""
        return self.root / ".venv"

    @property
    def openstack(self) -> Path:
        """The environment of keystone, placement, glance, neutron and cinder."""
        return self.home / "env" / "openstack"

    @property
    def kubeconfig(self) -> Path:
        return self.etc / "kubeconfig"

    def node(self, node: str) -> Path:
        """The run folder of a node's Open vSwitch: `db.sock` is its database."""
        return self.data / "ovn" / node

    def namespace(self, node: str) -> str:
        """The network namespace that plays the node."""
        return f"keel-{self.port_base}-{node}"

    def port(self, name: str) -> int:
        return self.port_base + PORTS[name]

    def url(self, name: str, path: str = "") -> str:
        return f"http://127.0.0.1:{self.port(name)}{path}"

    def database(self, name: str) -> str:
        """The SQLAlchemy URL of a database."""
        return f"mysql+pymysql://openstack:{PASSWORD}@127.0.0.1:{self.port('mariadb')}/{name}?charset=utf8mb3"

    @property
    def transport(self) -> str:
        return f"rabbit://guest:guest@127.0.0.1:{self.port('rabbitmq')}/"

    def credentials(self, user: str = "admin", project: str | None = None) -> dict[str, str]:
        """What an OpenStack client wants in its environment."""
        return {
            "OS_AUTH_URL": self.url("keystone", "/v3"),
            "OS_USERNAME": user,
            "OS_PASSWORD": PASSWORD,
            "OS_PROJECT_NAME": project or user,
            "OS_USER_DOMAIN_NAME": "Default",
            "OS_PROJECT_DOMAIN_NAME": "Default",
            "OS_IDENTITY_API_VERSION": "3",
            "OS_REGION_NAME": REGION,
        }
