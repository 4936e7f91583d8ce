"""A database made and filled by Nova, taken over by OpenKeel and given back.

| module | is |
|---|---|
| `places.py` | databases of its own on devstack's MariaDB, and who runs on them |
| `filling.py` | what Nova is asked to make: servers in many states, and all that lists show |
| `reading.py` | every read operation of OpenKeel's table, by version, caller, page and filter |
"""
