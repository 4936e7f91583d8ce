"""Server groups: which servers shall, or shall not, share a host."""

import json
from collections.abc import Callable, Collection, Sequence
from typing import Any, Final

import sqlalchemy as sa

from openkeel.db.models import api as rows
from openkeel.db.models.base import table_of, utcnow
from openkeel.db.session import retried
from openkeel.db.stores import api_plans
from openkeel.db.stores.plan import rows_of, values_of
from openkeel.db.stores.table import TableStore, Where
from openkeel.db.stores.turns import take_turn
from openkeel.domain.errors import InstanceGroupNotFound, Invalid

GROUP: Final = table_of(rows.InstanceGroup)
MEMBER: Final = table_of(rows.InstanceGroupMember)
POLICY: Final = table_of(rows.InstanceGroupPolicy)

Counts = dict[str, dict[str, int]]  # by "project" and "user", by resource


class InstanceGroupStore(TableStore[Any]):
    """Server groups of all projects. Each has one policy with rules."""

    plan = api_plans.INSTANCE_GROUPS
    not_found = InstanceGroupNotFound

    def get(self, uuid: str) -> Any:
        """Raises: InstanceGroupNotFound."""
        return self._one(GROUP.c.uuid == uuid, name=uuid)

    def get_by_name(self, project_id: str, name: str) -> Any:
        """Raises: InstanceGroupNotFound."""
        return self._one(GROUP.c.project_id == project_id, GROUP.c.name == name, name=name)

    def get_by_instance(self, instance_uuid: str) -> Any:
        """The group a server is in. Raises: InstanceGroupNotFound."""
        found = self.find_by_instance(instance_uuid)
        if found is None:
            raise InstanceGroupNotFound(group_uuid=instance_uuid)
        return found

    def find_by_instance(self, instance_uuid: str) -> Any | None:
        """The group a server is in, if any."""
        member = sa.exists().where(MEMBER.c.group_id == GROUP.c.id, MEMBER.c.instance_uuid == instance_uuid)
        return next(iter(self._load(member, limit=1)), None)

    def _one(self, *where: Where, name: str) -> Any:
        found = self._load(*where, limit=1)
        if not found:
            raise InstanceGroupNotFound(group_uuid=name)
        return found[0]

    def list(self, project_id: str | None = None) -> Any:
        """All, or those of a project."""
        return self.plan.wrap(
            self._load(*(() if project_id is None else (GROUP.c.project_id == project_id,)))
        )

    def count(self, project_id: str, user_id: str | None = None) -> Counts:
        """Groups of a project, and of a user in it."""
        with self._database.read() as connection:
            return _count(connection, project_id, user_id)

    def _load(self, *where: Where, limit: int | None = None) -> Sequence[Any]:
        statement = sa.select(*self.plan.columns).where(*where).order_by(GROUP.c.id).limit(limit)
        with self._database.read() as connection:
            groups = [self.plan.to_object(values_of(row)) for row in connection.execute(statement)]
            ids = [group.id for group in groups]
            members: dict[int, list[str]] = {id_: [] for id_ in ids}
            of_groups = sa.select(MEMBER.c.group_id, MEMBER.c.instance_uuid).where(MEMBER.c.group_id.in_(ids))
            for id_, instance_uuid in rows_of(connection, of_groups.order_by(MEMBER.c.id)):
                members[id_].append(instance_uuid)
            policies = sa.select(POLICY.c.group_id, POLICY.c.policy, POLICY.c.rules)
            policy = {
                id_: (name, json.loads(rules) if rules else {})
                for id_, name, rules in rows_of(connection, policies.where(POLICY.c.group_id.in_(ids)))
            }
        for group in groups:
            name, rules = policy.get(group.id, (None, {}))
            _complete(group, name, rules, members[group.id])
        return groups

    @retried
    def create(self, item: Any, *, admit: Callable[[Counts], None] | None = None) -> None:
        """Insert it with its policy and members.

        Raises: AlreadyExists; what `admit` raises, given what its project and its user have. Nobody
        else who is asked to be admitted comes in between.
        """
        now = utcnow()
        members = list(item.members or []) if item.obj_attr_is_set("members") else []
        policy = item.policy if item.obj_attr_is_set("policy") else None
        rules = dict(getattr(item, "_rules")) if item.obj_attr_is_set("_rules") else {}  # noqa: B009 - a field of the contract's name
        with self._database.write() as connection:
            if admit is not None:
                take_turn(connection)
                admit(_count(connection, item.project_id, item.user_id))
            row = self._insert(connection, item, now)
            if policy is not None:
                kept = {"policy": policy, "rules": json.dumps(rules) if rules else None}
                connection.execute(sa.insert(POLICY).values(group_id=row["id"], created_at=now, **kept))
            _add(connection, row["id"], members)
        self.plan.fill(item, row)
        _complete(item, policy, rules, members)

    @retried
    def save(self, item: Any) -> None:
        """Write its columns, and put the new ones of its members into it.

        Compat: members are only ever added this way; the object then holds all of them. The policy of
        a group cannot change, and its hosts follow from its members.

        Raises: InstanceGroupNotFound; Invalid.
        """
        changed = item.obj_what_changed()
        if fixed := changed & {"hosts", "policy", "policies", "_rules"}:
            raise Invalid(f"{', '.join(sorted(fixed))} of a server group cannot be changed.")
        row = self.plan.values(item, changed) | {"updated_at": utcnow()}
        with self._database.write() as connection:
            mine = sa.update(GROUP).where(GROUP.c.uuid == item.uuid)
            if connection.execute(mine.values(row)).rowcount == 0:
                raise InstanceGroupNotFound(group_uuid=item.uuid)
            id_ = connection.scalar(sa.select(GROUP.c.id).where(GROUP.c.uuid == item.uuid))
            if "members" in changed and id_ is not None:
                _add(connection, id_, item.members or ())
        fresh = self.get(item.uuid)
        item.members, item.updated_at = list(fresh.members), fresh.updated_at
        item.obj_reset_changes(recursive=False)

    @retried
    def add_members(
        self,
        group_uuid: str,
        instance_uuids: Collection[str],
        *,
        admit: Callable[[Collection[str]], None] | None = None,
    ) -> Sequence[str]:
        """Put servers into a group; fine when they are. Returns: the members added.

        Raises: InstanceGroupNotFound; what `admit` raises, given all members there would be.
        """
        with self._database.write() as connection:
            mine = sa.select(GROUP.c.id).where(GROUP.c.uuid == group_uuid)
            # So that it is not destroyed meanwhile, and nobody else is admitted.
            id_ = connection.scalar(mine.with_for_update())
            if id_ is None:
                raise InstanceGroupNotFound(group_uuid=group_uuid)
            if admit is not None:
                admit({*_members(connection, id_), *instance_uuids})
            return _add(connection, id_, instance_uuids)

    @retried
    def remove_members(self, group_uuid: str, instance_uuids: Collection[str]) -> None:
        """Take servers out of a group; fine when they are not in it."""
        group = sa.select(GROUP.c.id).where(GROUP.c.uuid == group_uuid).scalar_subquery()
        statement = sa.delete(MEMBER).where(
            MEMBER.c.group_id == group, MEMBER.c.instance_uuid.in_(list(instance_uuids))
        )
        with self._database.write() as connection:
            connection.execute(statement)

    @retried
    def destroy(self, item: Any) -> None:
        """Remove it with its members and policy. Raises: InstanceGroupNotFound."""
        with self._database.write() as connection:
            mine = sa.select(GROUP.c.id).where(GROUP.c.uuid == item.uuid)
            id_ = connection.scalar(mine.with_for_update())
            if id_ is None:
                raise InstanceGroupNotFound(group_uuid=item.uuid)
            for table in (MEMBER, POLICY):
                connection.execute(sa.delete(table).where(table.c.group_id == id_))
            connection.execute(sa.delete(GROUP).where(GROUP.c.id == id_))

    def _facts(self, item: Any) -> dict[str, Any]:
        return {"group_uuid": item.uuid}


def _count(connection: sa.Connection, project_id: str, user_id: str | None) -> Counts:
    statement = sa.select(sa.func.count()).select_from(GROUP).where(GROUP.c.project_id == project_id)
    scopes = {"project": statement}
    if user_id is not None:
        scopes["user"] = statement.where(GROUP.c.user_id == user_id)
    return {scope: {"server_groups": connection.scalar(query) or 0} for scope, query in scopes.items()}


def _members(connection: sa.Connection, group_id: int) -> set[str]:
    return set(connection.scalars(sa.select(MEMBER.c.instance_uuid).where(MEMBER.c.group_id == group_id)))


def _add(connection: sa.Connection, group_id: int, instance_uuids: Collection[str]) -> Sequence[str]:
    present = _members(connection, group_id)
    new = [uuid for uuid in dict.fromkeys(instance_uuids) if uuid not in present]
    if new:
        now = utcnow()
        connection.execute(
            sa.insert(MEMBER),
            [{"group_id": group_id, "instance_uuid": uuid, "created_at": now} for uuid in new],
        )
    return new


def _complete(group: Any, policy: str | None, rules: dict[str, str], members: list[str]) -> None:
    group.policy, group.members = policy, members
    setattr(group, "_rules", rules)  # noqa: B010  a field of the wire
    # Compat: the one policy under the name that it had when there were several; read-only for its readers.
    group._obj_policies = [policy] if policy else []  # noqa: SLF001 - as above
    group.deleted, group.deleted_at = False, None
    group.obj_reset_changes(recursive=False)
