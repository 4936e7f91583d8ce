"""The control plane: the controllers of Kubernetes, KubeVirt and CDI, and the kubelets, as reconcilers."""
