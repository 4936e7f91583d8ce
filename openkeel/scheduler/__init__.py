"""Where a server goes: a pure decision over a snapshot, then the claim."""
