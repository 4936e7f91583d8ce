"""The stores of a cell for those who have no database: computes. Nova's remotable wire to a conductor.

Every method is one `object_action` or `object_class_action_versions` with Nova's own method and
argument names (contract: objects.json, remotable_methods), so it does not matter whose conductor
answers. The contract suite in tests/contract/stores runs on these and on the SQL stores alike.

A conductor may be restarted at any time, so what got no answer is asked again (`rpc.patience`).
Questions, and writes of values, may be done twice. A compare-and-swap that was done fails the second
time: then the row shows whether it was ours. What is made gets its uuid here, so that a second one
cannot come to be; what has none (faults, events of the action log) is looked for before it is made again.
"""
