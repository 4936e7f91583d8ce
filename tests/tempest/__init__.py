"""Tempest 47 against devstack's OpenKeel. Run by `scripts/tempest`.

environment.py     where Tempest is installed
cloud.py           what Tempest wants to find in a cloud beside devstack's seeds
configuration.py   tempest.conf: what this cloud has, and which features are off
skips.txt          the tests that do not run, with a reason each
skips.py           reads that list
outcomes.py        one run of stestr, test by test
report.py          the table by class, and the verdict
"""
