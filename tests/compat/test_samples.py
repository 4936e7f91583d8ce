"""The samples in etc/openkeel are what the code declares; `scripts/samples` renews them."""

import difflib
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SAMPLES = [
    ("oslo-config-generator", "config-generator.conf", "openkeel.conf.sample"),
    ("oslopolicy-sample-generator", "policy-generator.conf", "policy.yaml.sample"),
]


def generated(program: str, settings: str, folder: Path) -> str:
    output = folder / "sample"
    command = [Path(sys.executable).with_name(program), "--config-file", f"etc/openkeel/{settings}"]
    subprocess.run([*command, "--output-file", output], cwd=ROOT, check=True, capture_output=True)
    return output.read_text()


@pytest.mark.parametrize(("program", "settings", "sample"), SAMPLES)
def test_a_sample_is_what_the_code_declares(program, settings, sample, tmp_path):
    committed = (ROOT / "etc/openkeel" / sample).read_text()
    drift = list(
        difflib.unified_diff(
            committed.splitlines(), generated(program, settings, tmp_path).splitlines(), lineterm="", n=0
        )
    )
    assert drift == [], "run scripts/samples"


@pytest.mark.parametrize(("program", "settings", "sample"), SAMPLES)
def test_a_sample_says_nothing_of_the_machine_it_was_made_on(
    program, settings, sample, tmp_path, monkeypatch
):
    """The same text under another name, in another home, at another address."""
    faked = tmp_path / "sitecustomize.py"
    faked.write_text(
        "import socket\n"
        "socket.gethostname = lambda: 'another-host'\n"
        "from oslo_utils import netutils\n"
        "netutils.get_my_ipv4 = lambda: '192.0.2.7'\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    assert generated(program, settings, tmp_path) == (ROOT / "etc/openkeel" / sample).read_text()
