"""OpenKeel: the OpenStack compute service on KubeVirt."""
