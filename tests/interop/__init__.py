"""Real Nova 34.0.0 daemons and OpenKeel's swapped against each other on devstack's services.

Run by `scripts/interop`. The harness, from the bottom up:

    nova_environment.py    where nova is installed, which version, `manage(...)` for nova-manage
    logs.py                what a daemon logged since a moment, and which lines a swap may hold
    nova_daemons.py        the five daemons of Nova: start, wait until ready, stop by pid
    openkeel_daemons.py    one OpenKeel daemon of devstack: stop, start, wait until ready
    swap.py                `Swap`: who is replaced by whom; puts everything back, whatever happened
    client.py              the compute API as a client sees it, with waits
    placement.py           who holds what in Placement
    journal.py             the table printed at the end

A test takes the fixture `swap`, takes OpenKeel daemons out, puts Nova's in, and works with a `Client`:

    def test_x(swap, cloud):
        swap.replace("openkeel-conductor", nova_conductor(swap.nova, swap.site))
        with swap.step("boot"):
            server = cloud.boot("x")
"""
