#!/bin/sh
# Finds a Python (installs Debian's when there is none) and hands over to devstack.lib.
set -e
root=$(CDPATH='' cd -- "$(dirname -- "$(readlink -f "$0")")/.." && pwd)
python=$root/.venv/bin/python
if [ ! -x "$python" ]; then
    python=python3
    if ! "$python" -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        apt-get -o DPkg::Lock::Timeout=600 update -q >/dev/null || true
        DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 install -y -q \
            --no-install-recommends python3 python3-venv ca-certificates >/dev/null
        python=/usr/bin/python3
    fi
fi
PYTHONPATH=$root exec "$python" -m devstack.lib "$@"
