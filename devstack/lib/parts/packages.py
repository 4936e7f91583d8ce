"""Debian's packages. None of their system services is started."""

import shutil
from pathlib import Path
from typing import Final

from devstack.lib.part import Part
from devstack.lib.shell import CommandFailed, Shell
from devstack.lib.site import Site

# A file that tells the package is there, and the package.
PACKAGES: Final[dict[str, str]] = {
    "/usr/sbin/mariadbd": "mariadb-server",
    "/usr/lib/rabbitmq/bin/rabbitmq-server": "rabbitmq-server",
    "/usr/bin/memcached": "memcached",
    "/usr/bin/ovn-northd": "ovn-central",
    "/usr/bin/ovn-controller": "ovn-host",
    "/usr/sbin/ovs-vswitchd": "openvswitch-switch",
    "/usr/sbin/ip": "iproute2",
    "/usr/sbin/ethtool": "ethtool",
    "/usr/sbin/haproxy": "haproxy",
    "/usr/sbin/iptables": "iptables",
    "/usr/bin/curl": "curl",
}
POLICY = Path("/usr/sbin/policy-rc.d")
APT = ("apt-get", "-o", "DPkg::Lock::Timeout=600", "-q")


def missing() -> list[str]:
    """The packages that are not there."""
    return [package for file, package in PACKAGES.items() if not Path(file).exists()]


def _install(_site: Site, shell: Shell) -> None:
    wanted = missing()
    if not wanted:
        return
    if not shutil.which("apt-get"):
        raise CommandFailed(f"this is no Debian; install by hand: {' '.join(wanted)}")
    ours = not POLICY.exists()
    if ours:
        POLICY.write_text("#!/bin/sh\nexit 101\n")
        POLICY.chmod(0o755)
    try:
        shell.run(*APT, "update", accept=(0, 100))
        shell.run(
            *APT,
            "install",
            "-y",
            "--no-install-recommends",
            *wanted,
            environment={"DEBIAN_FRONTEND": "noninteractive"},
        )
    finally:
        if ours:
            POLICY.unlink()


PARTS = (Part(name="packages", group="install", prepare=_install),)
