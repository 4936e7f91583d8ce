"""What a person finds on a new devstack: an image, networks, flavors, and a first server."""

from concurrent.futures import ThreadPoolExecutor

from devstack.lib.part import Part, digest_files
from devstack.lib.shell import Shell, output
from devstack.lib.site import Site


def _seed(site: Site, shell: Shell, module: str) -> None:
    python = site.venv / "bin" / "python"
    shell.run(python, "-m", f"devstack.lib.seeds.{module}", cwd=site.root, environment=site.credentials())


def _seeding(name: str, module: str, group: str, *needs: str) -> Part:
    return Part(
        name=name,
        group=group,
        needs=("catalogue", *needs),
        setup=lambda site, shell: _seed(site, shell, module),
        setup_key=lambda site: digest_files(site.root / "devstack" / "lib" / "seeds" / f"{module}.py"),
    )


def _show(site: Site) -> str:
    """The first server as the command line client sees it."""
    client = site.venv / "bin" / "openstack"
    commands = (("server", "list"), ("server", "show", "first"))
    with ThreadPoolExecutor() as pool:
        texts = pool.map(lambda words: output(client, *words, environment=site.credentials()), commands)
    return "\n".join(
        f"$ openstack {' '.join(words)}\n{text or 'failed'}"
        for words, text in zip(commands, texts, strict=True)
    )


IMAGE_AND_NETWORKS = _seeding("image-and-networks", "image_and_networks", "services", "glance", "neutron")
FLAVORS = _seeding("flavors", "flavors", "openkeel", "openkeel-api")
FIRST_SERVER = Part(
    name="first-server",
    group="guest",
    needs=(
        "flavors",
        "image-and-networks",
        "openkeel-scheduler",
        "openkeel-hosts",
        "neutron-ovn-maintenance",
    ),
    # At every `up`: somebody may have deleted it, and `up` promises a server to look at.
    prepare=lambda site, shell: _seed(site, shell, "first_server"),
    show=_show,
)
