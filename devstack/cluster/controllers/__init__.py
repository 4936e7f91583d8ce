"""The control plane: Kubernetes' own controllers, KubeVirt's, CDI's and the kubelets, each as a reconciler."""
