"""Who asks, about what, and with which files: asked of Nova by `record.py`, of us by the test.

Plain data without imports: Nova's own environment reads it too.
"""

PROJECT, OTHER_PROJECT = "a" * 32, "b" * 32
USER, OTHER_USER = "c" * 32, "d" * 32


def _caller(*roles, **more):
    return {"user_id": USER, "project_id": PROJECT, "roles": list(roles), **more}


CALLERS = {
    "admin": _caller("admin"),
    "manager": _caller("manager", "member", "reader"),
    "member": _caller("member", "reader"),
    "reader": _caller("reader"),
    "nobody": _caller(),
    "service": _caller("service"),
    "boss": _caller("boss"),
    "worker": _caller("worker", "member"),
    "auditor": _caller("auditor", "Networker"),
    "admin of another project": _caller("admin", is_admin_project=False),
    "admin of the system": _caller("admin", project_id=None, system_scope="all"),
    "reader of the system": _caller("reader", project_id=None, system_scope="all"),
    "admin of a domain": _caller("admin", project_id=None, domain_id="e" * 32),
    "member with a service": _caller("member", "reader", service_roles=["service"], service_user_id="f" * 32),
}

TARGETS = {
    "own": {"project_id": PROJECT, "user_id": USER},
    "a colleague's": {"project_id": PROJECT, "user_id": OTHER_USER},
    "another project's": {"project_id": OTHER_PROJECT, "user_id": OTHER_USER},
    "nothing": {},
}

_OLD_NAMES = """\
"os_compute_api:os-attach-interfaces": "role:Networker"
"os_compute_api:os-flavor-access": ""
"os_compute_api:os-floating-ips": "role:worker and project_id:%(project_id)s"
"os_compute_api:os-hosts": "role:auditor or rule:admin_api"
"os_compute_api:os-hypervisors": "role:auditor"
"os_compute_api:os-instance-actions": "rule:admin_api"
"os_compute_api:os-migrate-server:migrate_live": "role:boss"
"os_compute_api:os-migrations:index": "role:auditor"
"os_compute_api:os-networks:view": "!"
"os_compute_api:os-rescue": "role:worker"
"os_compute_api:os-security-groups": "role:Networker or rule:admin_or_owner"
"os_compute_api:os-server-password": "user_id:%(user_id)s"
"os_compute_api:os-services": "role:boss"
"os_compute_api:os-used-limits": "@"
"os_compute_api:os-volumes": "rule:admin_or_owner and not role:reader"
"os_compute_api:os-flavor-extra-specs:index": "role:worker"
"os_compute_api:servers:migrations:index": "rule:project_manager_or_admin or role:auditor"
"""

# What a sample of Nova's made in between says of old names, and old checks said again as they were.
_ALIASES = """\
"os_compute_api:os-volumes": "rule:os_compute_api:os-volumes:list"
"os_compute_api:os-multinic": "rule:admin_or_owner"
"os_compute_api:os-services": "rule:admin_api"
"os_compute_api:os-hypervisors": "rule:context_is_admin"
"rule:admin_api": "role:boss"
"rule:admin_or_owner": "role:worker"
"""

_OLD_AND_NEW = """\
"os_compute_api:os-attach-interfaces": "role:Networker"
"os_compute_api:os-attach-interfaces:create": "role:worker"
"os_compute_api:os-floating-ips": "!"
"os_compute_api:os-floating-ips:list": "rule:project_reader_or_admin"
"os_compute_api:os-security-groups": "role:worker"
"os_compute_api:os-security-groups:rule:create": "role:boss"
"os_compute_api:os-services:list": "rule:project_reader_or_admin"
"os_compute_api:os-unrescue": "@"
"""

_OLD_BASES = """\
"context_is_admin": "role:boss"
"admin_api": "is_admin:True or role:auditor"
"admin_or_owner": "is_admin:True or (role:worker and project_id:%(project_id)s)"
"os_compute_api:servers:show": "rule:admin_or_owner"
"os_compute_api:servers:delete": "rule:admin_api"
"""

_BEFORE_ROLES = """\
"context_is_admin": "role:admin"
"admin_or_owner": "is_admin:True or project_id:%(project_id)s"
"admin_api": "is_admin:True"
"default": "rule:admin_or_owner"
"os_compute_api:servers:index": "rule:admin_or_owner"
"os_compute_api:servers:detail": "rule:admin_or_owner"
"os_compute_api:servers:show": "rule:admin_or_owner"
"os_compute_api:servers:create": "rule:admin_or_owner"
"os_compute_api:servers:create:forced_host": "rule:admin_api"
"os_compute_api:servers:delete": "rule:admin_or_owner and user_id:%(user_id)s"
"os_compute_api:os-aggregates:index": "rule:admin_api"
"os_compute_api:os-hypervisors": "rule:admin_api"
"os_compute_api:os-keypairs:index": "rule:admin_api or user_id:%(user_id)s"
"os_compute_api:os-volumes": "rule:admin_or_owner"
"os_compute_api:os-cells": "rule:admin_api"
"os_compute_api:os-fping": "rule:admin_or_owner"
"os_compute_api:extension_info:discoverable": "@"
"""

_KINDS = """\
"mine": "user_id:%(user_id)s and project_id:%(project_id)s"
"os_compute_api:servers:index": "is_admin:False"
"os_compute_api:servers:detail": "is_admin:true"
"os_compute_api:servers:show": "rule:mine"
"os_compute_api:servers:create": "not role:reader"
"os_compute_api:servers:delete": "(role:member or role:boss) and not (role:worker or rule:mine)"
"os_compute_api:servers:reboot": "system_scope:all"
"os_compute_api:servers:rebuild": "'%(user_id)s':%(user_id)s"
"os_compute_api:servers:resize": "None:%(volume_id)s"
"os_compute_api:servers:start": "role:%(project_id)s"
"os_compute_api:servers:stop": "is_admin_project:False"
"os_compute_api:servers:update": "domain_id:%(domain_id)s"
"os_compute_api:servers:create_image": "service_roles:service"
"os_compute_api:os-aggregates:index": [["role:boss"], ["role:worker", "role:member"]]
"os_compute_api:os-aggregates:show": []
"os_compute_api:os-aggregates:create": [[]]
"os_compute_api:os-lock-server:lock": "ROLE:member"
"os_compute_api:os-lock-server:unlock": "role:MEMBER and PROJECT_ID:%(project_id)s"
"os_compute_api:os-pause-server:pause": "project_id:{project}"
"os_compute_api:os-pause-server:unpause": "rule:os_compute_api:servers:show"
"os_compute_api:os-suspend-server:suspend": "True:%(user_id)s"
"os_compute_api:os-suspend-server:resume": "user_id:%(server.user_id)s"
""".replace("{project}", PROJECT)

_FALLBACK = """\
"default": "role:worker"
"os_compute_api:servers:index": "rule:nowhere"
"os_compute_api:servers:show": "rule:nowhere or role:reader"
"""

_JSON = """\
{
    "os_compute_api:servers:index": "role:worker",
    "os_compute_api:os-services": "role:worker",
    "admin_api": "role:boss"
}
"""

_DIRECTORY = {
    "10-first.yaml": '"os_compute_api:servers:index": "!"\n"os_compute_api:servers:show": "role:worker"\n',
    "20-second.yaml": (
        '"os_compute_api:servers:index": "role:boss"\n"os_compute_api:os-volumes": "role:boss"\n'
    ),
    ".hidden.yaml": '"os_compute_api:servers:index": "@"\n',
}

# name: the policy file or None, files of policy.d, options of [oslo_policy].
NEW, OLD = {"enforce_new_defaults": True}, {"enforce_new_defaults": False}
FILES = {
    "nothing": (None, {}, {}),
    "nothing, old defaults": (None, {}, OLD),
    "nothing, scope not enforced": (None, {}, {"enforce_scope": False}),
    "nothing, neither": (None, {}, {"enforce_scope": False, **OLD}),
    "empty": ("", {}, NEW),
    "old names": (_OLD_NAMES, {}, NEW),
    "old names, old defaults": (_OLD_NAMES, {}, OLD),
    "old names, neither": (_OLD_NAMES, {}, {"enforce_scope": False, **OLD}),
    "aliases": (_ALIASES, {}, NEW),
    "aliases, old defaults": (_ALIASES, {}, OLD),
    "old and new": (_OLD_AND_NEW, {}, NEW),
    "old and new, old defaults": (_OLD_AND_NEW, {}, OLD),
    "old bases": (_OLD_BASES, {}, NEW),
    "old bases, old defaults": (_OLD_BASES, {}, OLD),
    "before roles": (_BEFORE_ROLES, {}, NEW),
    "before roles, old defaults": (_BEFORE_ROLES, {}, OLD),
    "kinds of checks": (_KINDS, {}, NEW),
    "a rule for missing rules": (_FALLBACK, {}, NEW),
    "JSON": (_JSON, {}, NEW),
    "a directory": ('"os_compute_api:servers:show": "@"\n', _DIRECTORY, NEW),
    "only a directory": (None, _DIRECTORY, OLD),
}


def write(folder, name):
    """Write the files of a case. Returns: the path of an option file that names them."""
    main, directory, options = FILES[name]
    if main is not None:
        (folder / "policy.yaml").write_text(main)
    (folder / "policy.d").mkdir()
    for file_name, text in directory.items():
        (folder / "policy.d" / file_name).write_text(text)
    lines = [f"{option} = {value}" for option, value in options.items()]
    path = folder / "nova.conf"
    path.write_text(
        "[oslo_policy]\npolicy_file = {0}/policy.yaml\npolicy_dirs = {0}/policy.d\n{1}\n".format(
            folder, "\n".join(lines)
        )
    )
    return path


def answers(allows, rule_names):
    """Ask everything. Returns: for each rule a hexadecimal number with a bit for each caller and target."""
    found = {}
    for rule in rule_names:
        bits = 0
        for caller in CALLERS.values():
            for target in TARGETS.values():
                bits = bits << 1 | bool(allows(rule, caller, dict(target)))
        found[rule] = f"{bits:x}"
    return found
