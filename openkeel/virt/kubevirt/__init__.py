"""The KubeVirt driver. How each call is made and why: docs/kubevirt.md.

| module | is |
|---|---|
| `driver.py` | the composition: `build(settings, ...)` gives a `virt.driver.Driver` |
| `client.py` | the only user of the Kubernetes library; `errors.py` its errors |
| `watch.py` | list and watch: one cache per kind, and waiting for one object |
| `names.py`, `manifest.py`, `images.py` | pure: names, labels and objects to apply |
| `status.py` | pure: phases and conditions to power states and verdicts |
| `lifecycle.py`, `power.py`, `console.py`, `host.py` | the capabilities |
"""
