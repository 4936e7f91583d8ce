"""The tool behind devstack/up and its siblings; standard library only, as it runs on a bare machine."""
