"""The file that tells clients where the cluster is."""

from pathlib import Path

import yaml


def write_kubeconfig(path: Path, server: str, token: str) -> None:
    """Write it at once and for the owner only: it carries the token."""
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "standin", "cluster": {"server": server}}],
        "users": [{"name": "admin", "user": {"token": token}}],
        "contexts": [
            {"name": "standin", "context": {"cluster": "standin", "user": "admin", "namespace": "default"}}
        ],
        "current-context": "standin",
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(path.name + ".new")
    draft.touch(mode=0o600)
    draft.write_text(yaml.safe_dump(config, sort_keys=False))
    draft.replace(path)
