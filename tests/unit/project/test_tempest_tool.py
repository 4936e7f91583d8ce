"""What `scripts/tempest` reads and judges, without Tempest."""

import pytest

from tests.tempest import report, skips
from tests.tempest.outcomes import LINE, Outcome

FLAVORS = "tempest.api.compute.flavors.test_flavors.FlavorsV2TestJSON"


@pytest.mark.parametrize(
    ("line", "test", "status", "reason"),
    [
        (f"{{0}} {FLAVORS}.test_a [0.5s] ... ok", f"{FLAVORS}.test_a", "ok", None),
        (f"{{1}} {FLAVORS}.test_a [1.25s] ... FAILED", f"{FLAVORS}.test_a", "FAILED", None),
        (f"{{0}} {FLAVORS}.test_a ... SKIPPED: no: it", f"{FLAVORS}.test_a", "SKIPPED", "no: it"),
        (f"{{0}} setUpClass ({FLAVORS}) [0.0s] ... FAILED", f"setUpClass ({FLAVORS})", "FAILED", None),
    ],
)
def test_outcomes_are_read_from_what_stestr_says(line, test, status, reason):
    found = LINE.match(line)
    assert (found["test"], found["status"], found["reason"]) == (test, status, reason)


def test_a_class_is_named_without_what_all_have_in_common():
    for test in (f"{FLAVORS}.test_a", f"setUpClass ({FLAVORS})"):
        assert Outcome(test, "ok", 0, "").group == "flavors.test_flavors.FlavorsV2TestJSON"


def test_all_that_is_not_a_pass_is_a_fault():
    outcomes = [
        Outcome("tempest.a.A.test_passes", "ok", 0, ""),
        Outcome("tempest.a.A.test_fails", "FAILED", 0, ""),
        Outcome("tempest.a.A.test_skips", "SKIPPED", 0, "why"),
        Outcome("setUpClass (tempest.b.B)", "SKIPPED", 0, "why"),
    ]
    ids = [f"tempest.a.A.test_{name}[id-1]" for name in ("passes", "fails", "skips", "hangs")]
    assert report.faults(outcomes, [*ids, "tempest.b.B.test_x[id-2]"]) == [
        "FAILED: tempest.a.A.test_fails",
        "SKIPPED: tempest.a.A.test_skips why",
        "SKIPPED: setUpClass (tempest.b.B) why",
        "no outcome: tempest.a.A.test_hangs",
    ]


def test_every_line_of_the_list_gives_a_reason():
    assert all(skip.reason for skip in skips.parse(skips.SKIPS.read_text()))
    with pytest.raises(skips.BadSkip, match="line 2 gives no reason"):
        skips.parse("# all\nresize\n")
    with pytest.raises(skips.BadSkip, match="line 1 is no regular expression"):
        skips.parse("resize( # not yet\n")


def test_a_line_that_names_no_test_is_idle():
    known = skips.parse("resize # not yet\nresise # not yet\n")
    assert skips.reasons(["test_resize", "test_stop"], known) == {"test_resize": "not yet"}
    assert skips.idle(["test_resize", "test_stop"], known) == ["resise"]
