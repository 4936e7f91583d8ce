"""Where Cinder and Ironic are, by the options of their groups."""

import pytest
import requests
from oslo_config import cfg
from requests.adapters import BaseAdapter

from openkeel.clients import errors
from openkeel.clients.cinder import client as cinder_client
from openkeel.clients.ironic import client as ironic_client
from openkeel.clients.options import GROUPS
from openkeel.common.context import Context

VOLUME = "11111111-2222-3333-4444-555555555555"
CATALOG = [
    {
        "type": kind,
        "name": name,
        "endpoints": [
            {
                "region": region,
                "publicURL": f"http://{region}.invalid/{kind}/v3/p",
                "internalURL": f"http://{region}.invalid/{kind}/inside",
            }
            for region in ("one", "two")
        ],
    }
    for kind, name in (("volumev3", "cinderv3"), ("block-storage", "cinder"))
]


class Recording(BaseAdapter):
    """Has nothing, and knows what was asked of it."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def send(self, request, **kwargs):
        self.seen.append(request)
        response = requests.Response()
        response.status_code, response._content = 404, b'{"itemNotFound": {"message": "there is none"}}'
        response.headers["Content-Type"] = "application/json"
        response.request, response.url = request, request.url
        return response

    def close(self):
        pass


@pytest.fixture
def conf(tmp_path):
    def read(text):
        path = tmp_path / "openkeel.conf"
        path.write_text(text)
        conf = cfg.ConfigOpts()
        for group, options in GROUPS.items():
            conf.register_opts(options, group=group)
        conf(["--config-file", str(path)])
        return conf

    return read


@pytest.fixture
def user():
    return Context("u", "mine", auth_token="users", service_catalog=CATALOG, overwrite=False)


def asked(client):
    """What the client's connection sends from now on."""
    adapter = Recording()
    client._http._session.session.mount("http://", adapter)
    return adapter.seen


@pytest.mark.parametrize(
    ("options", "address"),
    [
        ("", "http://one.invalid/volumev3/v3/p"),
        ("os_region_name = two", "http://two.invalid/volumev3/v3/p"),
        ("catalog_info = block-storage:cinder:publicURL", "http://one.invalid/block-storage/v3/p"),
        ("catalog_info = volumev3::internalURL", "http://one.invalid/volumev3/inside"),
        ("endpoint_template = http://here.invalid/v3/%(project_id)s", "http://here.invalid/v3/mine"),
    ],
)
def test_cinder_is_where_the_options_say(conf, user, options, address):
    client = cinder_client.make_client(conf(f"[cinder]\n{options}\n"))
    seen = asked(client)
    with pytest.raises(errors.errors.VolumeNotFound):
        client.get_volume(user, VOLUME)
    assert [one.url for one in seen] == [f"{address}/volumes/{VOLUME}"]
    assert seen[0].headers["X-Auth-Token"] == "users"


def test_a_cinder_that_is_nowhere_is_not_set_up(conf):
    stranger = Context("u", "mine", auth_token="users", service_catalog=[], overwrite=False)
    client = cinder_client.make_client(conf(""))
    with pytest.raises(errors.NotSetUp):
        client.get_volume(stranger, VOLUME)


@pytest.mark.parametrize("ask", [lambda client: client.list_nodes(), lambda client: client.get_node("a")])
def test_an_ironic_that_nobody_has_an_account_for_is_not_set_up(conf, ask):
    with pytest.raises(errors.NotSetUp):
        ask(ironic_client.make_client(conf("")))


def test_ironic_is_asked_in_its_version_on_our_account(conf):
    text = "[ironic]\nauth_type = none\nendpoint = http://metal.invalid\n"
    client = ironic_client.make_client(conf(text))
    seen = asked(client)
    with pytest.raises(errors.NotFound, match="there is none"):
        client.get_node("metal")
    assert seen[0].url.startswith("http://metal.invalid/v1/nodes/metal?fields=")
    assert seen[0].headers["X-OpenStack-Ironic-API-Version"] == "1.46"
