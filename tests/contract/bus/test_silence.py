"""Nobody answers: how long a daemon waits."""

import time

from openkeel import objects
from openkeel.cmd.configuration import read
from openkeel.cmd.messaging import Messaging
from openkeel.rpc.heartbeat import ServiceRecord
from openkeel.rpc.remote_stores.bundle import RemoteStores
from openkeel.rpc.transports import Transports


def test_a_heartbeat_is_given_up_when_the_next_one_is_due(tmp_path):
    options = tmp_path / "options.conf"
    options.write_text("[DEFAULT]\ntransport_url = fake:/\nreport_interval = 1\nrpc_response_timeout = 60\n")
    conf = read("openkeel-compute", ["--config-file", str(options)])
    messaging = Messaging(conf, Transports(conf))
    stores = RemoteStores(messaging.conductor, pulse=messaging.pulse)
    record = ServiceRecord(stores.services, "node-1", "nova-compute", "compute", conf.report_interval)
    record._row = objects.Service(id=1, host="node-1", binary="nova-compute", report_count=0)
    record._row.obj_reset_changes()
    began = time.monotonic()
    try:
        assert not record.beat()
    finally:
        messaging.close()
    assert time.monotonic() - began < 30
