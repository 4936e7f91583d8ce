"""Keypairs. Golden: recordings keypairs-*."""

from datetime import datetime

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization

from tests.fixtures.api_client import PROJECT

ED25519 = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMaOyfhzeCjtzOqpV1NBT9AU5Fu1KNEoPbVC0Eiz6syq apidiff"
ED25519_FINGERPRINT = "3a:ff:f1:5c:2a:4f:13:54:57:e1:3b:61:fe:41:9b:1e"


def create(ask, version="2.1", **keypair):
    body = {"keypair": {"name": "k", "public_key": ED25519} | keypair}
    return ask("POST", "/v2.1/os-keypairs", body, version=version)


def test_an_imported_key_is_answered_with_its_fingerprint(world):
    old, new = create(world.ask), create(world.ask, "2.2", name="l")
    assert (old.status_code, new.status_code) == (200, 201)
    assert old.json["keypair"] == {
        "name": "k",
        "public_key": ED25519,
        "fingerprint": ED25519_FINGERPRINT,
        "user_id": "user",
    }
    assert new.json["keypair"]["type"] == "ssh"


def test_a_pair_is_made_until_2_91(world):
    body = {"keypair": {"name": "g"}}
    made = world.ask("POST", "/v2.1/os-keypairs", body, version="2.91").json["keypair"]
    private = serialization.load_pem_private_key(made["private_key"].encode(), None)
    public = private.public_key().public_bytes(
        serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH
    )
    assert made["public_key"].startswith(public.decode())
    assert world.ask("POST", "/v2.1/os-keypairs", body, version="2.92").status_code == 400


def test_a_certificate_is_made_for_windows(world):
    body = {"keypair": {"name": "w", "type": "x509"}}
    made = world.ask("POST", "/v2.1/os-keypairs", body, version="2.2").json["keypair"]
    certificate = x509.load_pem_x509_certificate(made["public_key"].encode())
    private = serialization.load_pem_private_key(made["private_key"].encode(), None)
    assert certificate.public_key().public_numbers() == private.public_key().public_numbers()
    assert len(made["fingerprint"].split(":")) == 20
    again = world.as_("member", user="else")
    imported = create(again, "2.2", name="w", type="x509", public_key=made["public_key"])
    assert imported.json["keypair"]["fingerprint"] == made["fingerprint"]


@pytest.mark.parametrize(
    ("version", "keypair", "status"),
    [
        ("2.1", {"type": "ssh"}, 400),
        ("2.2", {"type": "ssh"}, 201),
        ("2.2", {"type": "x509"}, 400),
        ("2.2", {"type": None}, 400),
        ("2.9", {"user_id": "user"}, 400),
        ("2.10", {"user_id": "user"}, 201),
        ("2.10", {"user_id": "else"}, 403),
        ("2.1", {"public_key": "garbage"}, 400),
        ("2.1", {"public_key": ""}, 400),
        ("2.1", {"public_key": None}, 400),
        ("2.91", {"name": "a@b"}, 400),
        ("2.92", {"name": "a@b"}, 201),
        ("2.92", {"name": "a.b"}, 201),
        ("2.92", {"name": "a;"}, 400),
        ("2.1", {"name": " a"}, 400),
        ("2.1", {"name": "k" * 255}, 200),
        ("2.1", {"name": "k" * 256}, 400),
        ("2.1", {"zzz": 1}, 400),
    ],
)
def test_create_bodies(world, version, keypair, status):
    assert create(world.ask, version, **keypair).status_code == status


def test_a_name_is_taken_once_per_user(world):
    create(world.ask)
    assert create(world.ask).status_code == 409
    assert create(world.as_("member", user="else")).status_code == 200


def test_the_quota_counts_keypairs_of_the_user(world):
    world.cells.api.quotas.set_project(PROJECT, {"key_pairs": 1})
    create(world.ask)
    assert create(world.ask, name="l").status_code == 403


def test_a_keypair_is_shown_with_the_columns_it_always_had(world):
    create(world.ask)
    shown = world.ask("GET", "/v2.1/os-keypairs/k", version="2.2").json["keypair"]
    datetime.strptime(shown.pop("created_at"), "%Y-%m-%dT%H:%M:%S.%f")  # noqa: DTZ007 - naive, as ever
    assert isinstance(shown.pop("id"), int)
    assert shown == {
        "name": "k",
        "public_key": ED25519,
        "fingerprint": ED25519_FINGERPRINT,
        "user_id": "user",
        "type": "ssh",
        "deleted": False,
        "deleted_at": None,
        "updated_at": None,
    }
    assert world.as_("reader", user="else")("GET", "/v2.1/os-keypairs/k").status_code == 404


def test_lists_are_by_name_and_paged_since_2_35(world):
    for name in ("c", "a", "b"):
        create(world.ask, name=name)

    def names(query, version):
        answer = world.ask("GET", f"/v2.1/os-keypairs{query}", version=version)
        if answer.status_code != 200:
            return answer.status_code
        return [one["keypair"]["name"] for one in answer.json["keypairs"]], "keypairs_links" in answer.json

    assert names("?limit=1", "2.34") == (["a", "b", "c"], False)
    assert names("?limit=2", "2.35") == (["a", "b"], True)
    assert names("?limit=2&marker=b", "2.35") == (["c"], False)
    assert names("?marker=nosuch", "2.35") == 400
    assert names("?marker=nosuch", "2.34") == (["a", "b", "c"], False)
    assert names("?limit=0", "2.35") == ([], False)
    assert names("?nosuch=1", "2.75") == 400


def test_administrators_see_keypairs_of_others_since_2_10(world):
    create(world.ask)
    path = "/v2.1/os-keypairs/k?user_id=user"
    assert world.admin("GET", path, version="2.9").status_code == 404
    assert world.admin("GET", path, version="2.10").status_code == 200
    other = world.as_("member,reader", user="else")
    assert other("GET", path, version="2.10").status_code == 403
    assert other("DELETE", path, version="2.10").status_code == 403
    assert len(world.admin("GET", "/v2.1/os-keypairs?user_id=user", version="2.10").json["keypairs"]) == 1
    assert world.admin("DELETE", path, version="2.10").status_code == 204


def test_delete_answers_by_version(world):
    create(world.ask)
    create(world.ask, name="l")
    assert world.ask("DELETE", "/v2.1/os-keypairs/k").status_code == 202
    assert world.ask("DELETE", "/v2.1/os-keypairs/l", version="2.2").status_code == 204
    assert world.ask("DELETE", "/v2.1/os-keypairs/l", version="2.2").status_code == 404


def test_the_legacy_endpoint_takes_padded_names(world):
    answer = world.ask("POST", "/v2/os-keypairs", {"keypair": {"name": " k ", "public_key": ED25519, "x": 1}})
    assert (answer.status_code, answer.json["keypair"]["name"]) == (200, "k")
