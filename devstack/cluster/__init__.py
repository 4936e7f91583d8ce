"""A stand-in Kubernetes cluster with KubeVirt, CDI and Multus, for machines that have none.

One process, one asyncio loop. `api.py` speaks HTTP, `registry.py` gives every write the meaning Kubernetes
gives it, `store.py` keeps the objects, `controllers/` play the control plane. Nothing here imports openkeel.
"""
