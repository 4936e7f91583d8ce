"""Names of block devices, as the guest's kernel will most likely call them.

Contract: `root_device_name` of servers and `device_name` of block device mappings. They are hints: the
guest decides. Letters go by bus and in the order of the disks.
"""

import string
from collections.abc import Iterable
from typing import Final

_PREFIXES: Final = {"virtio": "vd", "scsi": "sd", "sata": "sd", "usb": "sd", "ide": "hd", "fdc": "fd"}


def device_names(buses: Iterable[str]) -> list[str]:
    """A name for each disk, in order: /dev/vda, /dev/vdb... counted per prefix."""
    used: dict[str, int] = {}
    names = []
    for bus in buses:
        prefix = _PREFIXES.get(bus, "vd")
        number = used.get(prefix, 0)
        used[prefix] = number + 1
        names.append(f"/dev/{prefix}{_letters(number)}")
    return names


def _letters(number: int) -> str:
    """0 is a, 25 is z, 26 is aa."""
    text = ""
    number += 1
    while number:
        number, digit = divmod(number - 1, len(string.ascii_lowercase))
        text = string.ascii_lowercase[digit] + text
    return text
