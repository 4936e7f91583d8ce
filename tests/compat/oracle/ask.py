"""Ask Nova's objects; run by the Python of an environment that has nova 34.0.0, from the repository's root:

PYTHONPATH=tests/compat/oracle NOVA_ENVIRONMENT/bin/python tests/compat/oracle/ask.py
"""

import json
import pathlib
import warnings
from collections import defaultdict

import specimens
from nova import objects
from nova.objects.base import NovaObject

HERE = pathlib.Path(__file__).parent


def write(name: str, rows: dict) -> None:
    """One row a line: differences between two runs are read by people."""
    lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in rows.items())
    (HERE / name).write_text("{\n" + lines + "\n}\n")


def main() -> None:
    """Write both files."""
    warnings.simplefilter("ignore")
    objects.register_all()
    ours = {
        name: kind
        for name, kind in specimens.classes().items()
        if kind.__module__.startswith("nova.objects.") and ".notifications" not in kind.__module__
    }
    ported = {}
    for name in ours:
        for what, answers in specimens.backports(name, NovaObject.obj_from_primitive).items():
            ported[f"{name} {what}"] = answers
    write("backports.json", ported)
    alike = defaultdict(list)
    for name, kind in ours.items():
        for field in sorted(kind.fields):
            alike[specimens.coercions(kind, field)].append(f"{name}.{field}")
    write("coercions.json", {" ".join(fields): answers for answers, fields in alike.items()})


if __name__ == "__main__":
    main()
