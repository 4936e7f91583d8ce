"""What is written for the parts, read back as their readers do."""

import configparser
import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from devstack.lib.ini import render
from devstack.lib.part import Part, Program
from devstack.lib.parts import openkeel
from devstack.lib.parts.table import PARTS
from devstack.lib.site import NODES, PORTS, Site
from devstack.lib.supervision import configuration


@pytest.fixture
def site(tmp_path):
    return Site(root=Path("/src/openkeel"), home=tmp_path / "state", port_base=21000)


def parsed(text):
    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str
    parser.read_string(text)
    return parser


def all_files(site):
    for part in PARTS:
        yield from part.rendered(site).items()


def test_ini_writes_booleans_in_lower_case_and_lists_with_commas():
    text = render({"DEFAULT": {"debug": True, "nodes": ["a", "b"]}, "other": {"count": 3}})
    assert text == "[DEFAULT]\ndebug = true\nnodes = a,b\n\n[other]\ncount = 3\n"


def test_no_two_ports_are_equal():
    assert len(set(PORTS.values())) == len(PORTS)


def test_every_port_and_path_follows_the_site(site):
    elsewhere = replace(site, port_base=30000)
    for part in PARTS:
        for path, text in part.rendered(site).items():
            assert path.is_relative_to(site.home)
            assert "127.0.0.1:20" not in text
        if part.program and part.program(site).port:
            assert part.digest(site) != part.digest(elsewhere), part.name


def test_every_ini_file_can_be_read(site):
    read = [
        path
        for path, text in all_files(site)
        if path.suffix in {".conf", ".ini"} and path.name != "rabbitmq.conf" and parsed(text).sections()
    ]
    assert len(read) >= len({"keystone", "placement", "glance", "neutron", "openkeel"})


def test_neutron_tells_the_compute_service_of_plugged_ports(site):
    conf = parsed(dict(all_files(site))[site.etc / "neutron" / "neutron.conf"])
    assert conf["DEFAULT"]["notify_nova_on_port_status_changes"] == "true"
    assert conf["nova"]["username"] == "nova"
    assert conf["nova"]["auth_url"] == site.url("keystone", "/v3")


def test_each_compute_is_named_as_its_node_and_keeps_its_own_state(site):
    confs = {node: parsed(openkeel.compute_configuration(site, node)) for node in NODES}
    assert {conf["DEFAULT"]["host"] for conf in confs.values()} == set(NODES)
    assert {conf["kubevirt"]["node_name"] for conf in confs.values()} == set(NODES)
    assert len({conf["DEFAULT"]["state_path"] for conf in confs.values()}) == len(NODES)


def test_supervisor_runs_every_program_in_the_group_of_its_part(site):
    conf = parsed(configuration(site, PARTS))
    for part in PARTS:
        if part.program:
            section = conf[f"program:{part.name}"]
            assert shlex.split(section["command"].replace("%%", "%")) == list(part.program(site).command)
            assert part.name in conf[f"group:{part.group}"]["programs"].split(",")
        else:
            assert f"program:{part.name}" not in conf


def test_supervisor_takes_no_percent_sign_for_its_own(site):
    part = Part(
        name="odd",
        group="odd",
        program=lambda _site: Program(("/bin/echo", "100%", "two words"), environment={"LEVEL": "50%"}),
    )
    section = parsed(configuration(site, [part]))["program:odd"]
    assert section["command"] == "/bin/echo 100%% 'two words'"
    assert 'LEVEL="50%%"' in section["environment"]


def test_changed_code_changes_the_digest_of_its_program(site, tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    part = Part(
        name="api", group="g", program=lambda _site: Program(("/bin/api",)), code=lambda _site: source
    )
    (source / "api.py").write_text("a = 1")
    before = part.digest(site)
    assert part.digest(site) == before
    (source / "api.py").write_text("a = 2")
    assert part.digest(site) != before


def test_a_changed_file_changes_the_digest_of_its_program(site):
    def part(text):
        return Part(
            name="api",
            group="g",
            files=lambda site: {site.etc / "api.conf": text},
            program=lambda _site: Program(("/bin/api",)),
        )

    assert part("a").digest(site) == part("a").digest(site)
    assert part("a").digest(site) != part("b").digest(site)
