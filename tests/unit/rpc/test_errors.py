"""Errors cross the wire under Nova's names and come back as our kinds."""

import json

import oslo_messaging
import pytest
from oslo_messaging._drivers import common as driver

from openkeel.domain import errors
from openkeel.rpc.errors import EXCEPTION_MODULES, ROWS, from_wire, install_wire_module, to_wire


def over_the_wire(error):
    """What a real broker does: the error as JSON, and back."""
    install_wire_module()
    wire = to_wire(error)
    text = driver.serialize_remote_exception((type(wire), wire, None))
    return json.loads(text), from_wire(driver.deserialize_remote_exception(text, EXCEPTION_MODULES))


@pytest.mark.parametrize(
    ("error", "wire_name"),
    [
        (errors.InstanceNotFound(instance_id="u"), "InstanceNotFound"),
        (errors.NoValidHost(reason="too small"), "NoValidHost"),
        (errors.InstanceDeleting(instance_uuid="u"), "UnexpectedDeletingTaskStateError"),
        (
            errors.InstanceInvalidState(instance_uuid="u", attr="vm_state", state="error", method="stop"),
            "InstanceInvalidState",
        ),
        (errors.PortInUse(port_id="p"), "PortInUse"),
    ],
)
def test_kind_text_and_facts_survive_both_ways(error, wire_name):
    sent, received = over_the_wire(error)
    assert (sent["module"], sent["class"]) == ("nova.exception", wire_name)
    assert type(received) is type(error)
    assert str(received) == str(error)
    assert received.facts == error.facts


def test_a_lost_compare_and_swap_uses_novas_argument_names():
    lost = errors.StateConflict(instance_uuid="u", expected=["active"], found="deleting")
    sent, received = over_the_wire(lost)
    assert sent["kwargs"] == {"instance_uuid": "u", "expected": ["active"], "actual": "deleting", "code": 500}
    assert received.facts == lost.facts


def test_an_error_without_a_row_travels_as_its_nearest_kind():
    class Odd(errors.NotFound):
        template = "no {what}"

    sent, received = over_the_wire(Odd(what="spoon"))
    assert sent["class"] == "NotFound"
    assert type(received) is errors.NotFound
    assert (str(received), received.facts) == ("no spoon", {"what": "spoon"})


@pytest.mark.parametrize(
    ("code", "kind"),
    [(404, errors.NotFound), (403, errors.Forbidden), (400, errors.Invalid), (500, errors.Internal)],
)
def test_an_error_of_nova_that_we_have_no_row_for_is_judged_by_its_status(code, kind):
    install_wire_module()
    text = json.dumps(
        {
            "class": "CinderAPIVersionNotAvailable",
            "module": "nova.exception",
            "message": "too old",
            "tb": ["Traceback"],
            "args": ["too old"],
            "kwargs": {"version": "3.44", "code": code},
        }
    )
    received = from_wire(driver.deserialize_remote_exception(text, EXCEPTION_MODULES))
    assert type(received) is kind
    assert str(received) == "too old"
    assert received.facts == {"version": "3.44", "remote": "CinderAPIVersionNotAvailable"}


def test_facts_that_json_cannot_carry_become_text():
    sent, _ = over_the_wire(errors.Internal(where={1, 2}, what=object))
    assert sent["kwargs"]["where"] in ([1, 2], [2, 1])
    assert isinstance(sent["kwargs"]["what"], str)


def test_unexpected_errors_leave_as_their_class_name_alone():
    sent, received = over_the_wire(ValueError("token=abc"))
    assert sent["class"] == "NovaException"
    assert "abc" not in json.dumps(sent)
    assert isinstance(received, errors.Internal)


def test_errors_of_other_modules_are_not_rebuilt():
    text = json.dumps({"class": "X", "module": "os", "message": "boo", "tb": [], "args": [], "kwargs": {}})
    received = from_wire(driver.deserialize_remote_exception(text, EXCEPTION_MODULES))
    assert isinstance(received, errors.Internal)
    assert str(received) == "X: boo"


def test_errors_of_python_itself_come_back_as_internal_without_the_peers_trace():
    install_wire_module()
    text = driver.serialize_remote_exception((KeyError, KeyError("Spoon"), None))
    rebuilt = driver.deserialize_remote_exception(
        json.dumps(json.loads(text) | {"tb": ["Traceback (most recent call last):", "  at /secret/path"]}),
        EXCEPTION_MODULES,
    )
    received = from_wire(rebuilt)
    assert isinstance(received, errors.Internal)
    assert "Spoon" in str(received)
    assert "secret" not in repr(received)


def test_what_a_driver_of_nova_refuses_without_a_word_is_refused_with_one():
    silent = driver.serialize_remote_exception((NotImplementedError, NotImplementedError(), None))
    received = from_wire(driver.deserialize_remote_exception(silent, EXCEPTION_MODULES))
    assert type(received) is errors.Unsupported
    assert str(received) == "The hypervisor of this host does not offer that."


def test_errors_of_our_own_process_are_left_alone():
    error = TypeError("a bug of ours")
    assert from_wire(error) is error


def test_every_kind_of_the_domain_has_a_row_or_an_ancestor_with_one():
    kinds = {row.kind for row in ROWS}
    for name in dir(errors):
        kind = getattr(errors, name)
        if isinstance(kind, type) and issubclass(kind, errors.KeelError) and kind is not errors.Unsupported:
            assert kinds.intersection(kind.__mro__), name


@pytest.mark.parametrize("name", ["UnsupportedVersion", "NoSuchMethod"])
def test_a_call_that_a_peer_behind_a_broker_does_not_know_is_unsupported(name):
    received = from_wire(oslo_messaging.RemoteError(name, "Endpoint does not support it"))
    assert isinstance(received, errors.Unsupported)
    assert "Endpoint does not support it" in str(received)
