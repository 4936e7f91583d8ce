"""Servers on their way to a cell, with what was asked for them."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from oslo_db.exception import DBDuplicateEntry

from openkeel.db.models import api as rows
from openkeel.db.models.base import table_of, utcnow
from openkeel.db.session import Database, retried
from openkeel.db.stores import api_plans
from openkeel.db.stores.build_filters import in_order, is_wanted, page_of
from openkeel.db.stores.plan import aware, load_object, naive, rows_of, values_of
from openkeel.db.stores.table import TableStore
from openkeel.domain.errors import AlreadyExists, BuildRequestNotFound, RequestSpecNotFound

BUILD: Final = table_of(rows.BuildRequest)
SPEC: Final = table_of(rows.RequestSpec)
MAPPING: Final = table_of(rows.InstanceMapping)
# Answers of one request only: kept as null, or not at all. Contract: what Nova finds in the column.
_KEPT_AS_NULL: Final = ("ignore_hosts", "requested_destination", "requested_resources", "retry")
_PARTS: Final = ("instance", "block_device_mappings", "tags")
_NOT_KEPT: Final = ("network_metadata", "request_level_params", "requested_networks")


class BuildRequestStore(TableStore[Any]):
    """What the API shows of a server until it is in a cell."""

    plan = api_plans.BUILD_REQUESTS
    not_found = BuildRequestNotFound

    def find(self, instance_uuid: str) -> Any | None:
        """The request of a server."""
        with self._database.read() as connection:
            statement = self._select(BUILD.c.instance_uuid == instance_uuid)
            row = connection.execute(statement).first()
        return None if row is None else _load(values_of(row))

    def get(self, instance_uuid: str) -> Any:
        """Raises: BuildRequestNotFound."""
        found = self.find(instance_uuid)
        if found is None:
            raise BuildRequestNotFound(uuid=instance_uuid)
        return found

    def list(self, project_id: str | None = None) -> Any:
        """All, or those of a project, newest first."""
        where = () if project_id is None else (BUILD.c.project_id == project_id,)
        with self._database.read() as connection:
            statement = self._select(*where).order_by(BUILD.c.id.desc())
            return self.plan.wrap([_load(values_of(row)) for row in connection.execute(statement)])

    def list_by_filters(
        self,
        filters: Mapping[str, Any],
        *,
        limit: int | None = None,
        marker: str | None = None,
        sort_keys: Sequence[str] = (),
        sort_dirs: Sequence[str] = (),
    ) -> Any:
        """Those whose server fits, in the order asked for, after the server `marker`.

        Raises: NotFound (marker).
        """
        fitting = [request for request in self.list() if is_wanted(request.instance, filters)]
        ordered = in_order(fitting, sort_keys, sort_dirs)
        return self.plan.wrap(page_of(ordered, limit, marker))

    def uuids_older_than(self, before: datetime) -> Sequence[str]:
        """Servers whose request has not been taken up since."""
        touched = sa.func.coalesce(BUILD.c.updated_at, BUILD.c.created_at)
        with self._database.read() as connection:
            statement = sa.select(BUILD.c.instance_uuid).where(touched < naive(before))
            return list(connection.scalars(statement))

    @retried
    def save(self, item: Any) -> None:
        """Write the whole server again. Raises: BuildRequestNotFound."""
        now = utcnow()
        parts = [name for name in _PARTS if item.obj_attr_is_set(name)]
        row = self.plan.values(item, parts)
        with self._database.write() as connection:
            statement = sa.update(BUILD).where(BUILD.c.instance_uuid == item.instance_uuid)
            if connection.execute(statement.values(row | {"updated_at": now})).rowcount == 0:
                raise BuildRequestNotFound(uuid=item.instance_uuid)
        item.obj_reset_changes(recursive=True)

    @retried
    def delete(self, instance_uuid: str) -> None:
        """Whoever removes it owns what comes next. Raises: BuildRequestNotFound."""
        with self._database.write() as connection:
            statement = sa.delete(BUILD).where(BUILD.c.instance_uuid == instance_uuid)
            if connection.execute(statement).rowcount == 0:
                raise BuildRequestNotFound(uuid=instance_uuid)

    @retried
    def take(self, instance_uuid: str) -> Any:
        """Remove it: what it last said, with nothing written to it in between.

        Raises: BuildRequestNotFound.
        """
        with self._database.write() as connection:
            mine = BUILD.c.instance_uuid == instance_uuid
            row = connection.execute(self._select(mine).with_for_update()).first()
            if row is None or connection.execute(sa.delete(BUILD).where(mine)).rowcount == 0:
                raise BuildRequestNotFound(uuid=instance_uuid)
        return _load(values_of(row))

    def destroy(self, item: Any) -> None:
        """As `delete`, by the object."""
        self.delete(item.instance_uuid)

    def _facts(self, item: Any) -> dict[str, Any]:
        return {"uuid": item.instance_uuid}


class RequestSpecStore:
    """What each server asked of its host; kept as long as the server lives."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def find(self, instance_uuid: str) -> Any | None:
        """What a server asked for."""
        return next(iter(self.list_by_instances([instance_uuid])), None)

    def get(self, instance_uuid: str) -> Any:
        """Raises: RequestSpecNotFound."""
        found = self.find(instance_uuid)
        if found is None:
            raise RequestSpecNotFound(instance_uuid=instance_uuid)
        return found

    def list_by_instances(self, instance_uuids: Sequence[str]) -> Sequence[Any]:
        """Those of the servers that have one."""
        statement = sa.select(SPEC.c.id, SPEC.c.instance_uuid, SPEC.c.spec)
        statement = statement.where(SPEC.c.instance_uuid.in_(list(instance_uuids)))
        with self._database.read() as connection:
            return [_load_spec(*row) for row in rows_of(connection, statement)]

    @retried
    def create(self, spec: Any) -> None:
        """Insert it. Raises: AlreadyExists."""
        try:
            with self._database.write() as connection:
                key = connection.execute(
                    sa.insert(SPEC).values(_spec_row(spec, utcnow()))
                ).inserted_primary_key
        except DBDuplicateEntry as error:
            raise AlreadyExists(f"Instance {spec.instance_uuid} has a request spec.") from error
        spec.id = key[0] if key else None
        spec.obj_reset_changes(recursive=False)

    @retried
    def save(self, spec: Any) -> None:
        """Write all of it. Raises: RequestSpecNotFound."""
        row = {"spec": dump_spec(spec), "updated_at": utcnow()}
        with self._database.write() as connection:
            statement = sa.update(SPEC).where(SPEC.c.instance_uuid == spec.instance_uuid).values(row)
            if connection.execute(statement).rowcount == 0:
                raise RequestSpecNotFound(instance_uuid=spec.instance_uuid)
        spec.obj_reset_changes(recursive=False)

    @retried
    def delete(self, instance_uuid: str) -> None:
        """Raises: RequestSpecNotFound."""
        with self._database.write() as connection:
            statement = sa.delete(SPEC).where(SPEC.c.instance_uuid == instance_uuid)
            if connection.execute(statement).rowcount == 0:
                raise RequestSpecNotFound(instance_uuid=instance_uuid)

    def destroy(self, spec: Any) -> None:
        """As `delete`, by the object."""
        self.delete(spec.instance_uuid)


@retried
def create_builds(database: Database, builds: Sequence[tuple[Any, Any, Any]]) -> None:
    """Record (request spec, build request, instance mapping) of many servers in one transaction.

    Raises: AlreadyExists.
    """
    if not builds:
        return
    now = utcnow()
    specs = [_spec_row(spec, now) for spec, _, _ in builds]
    requests = [api_plans.BUILD_REQUESTS.new_row(request, now) for _, request, _ in builds]
    mappings = [
        api_plans.INSTANCE_MAPPINGS.new_row(mapping, now) | {"cell_id": None} for _, _, mapping in builds
    ]
    uuids = [request.instance_uuid for _, request, _ in builds]
    try:
        with database.write() as connection:
            connection.execute(sa.insert(SPEC), specs)
            connection.execute(sa.insert(BUILD), requests)
            connection.execute(sa.insert(MAPPING), mappings)
            ids = {
                table: dict(
                    rows_of(
                        connection,
                        sa.select(table.c.instance_uuid, table.c.id).where(table.c.instance_uuid.in_(uuids)),
                    )
                )
                for table in (SPEC, BUILD, MAPPING)
            }
    except DBDuplicateEntry as error:
        raise AlreadyExists("A server of this request was recorded before.") from error
    for (spec, request, mapping), mapped in zip(builds, mappings, strict=True):
        uuid = request.instance_uuid
        spec.id = ids[SPEC][uuid]
        request.id = ids[BUILD][uuid]
        request.created_at = aware(now)
        request.updated_at = None
        api_plans.INSTANCE_MAPPINGS.fill(mapping, {**mapped, "id": ids[MAPPING][uuid]})
        mapping.cell_mapping = None
        for item in (spec, request, mapping):
            item.obj_reset_changes(recursive=True)


@retried
def destroy_builds(database: Database, instance_uuids: Sequence[str]) -> None:
    """Take back what `create_builds` recorded; fine when it never happened."""
    with database.write() as connection:
        for table in (BUILD, SPEC, MAPPING):
            connection.execute(sa.delete(table).where(table.c.instance_uuid.in_(list(instance_uuids))))


def dump_spec(spec: Any) -> str:
    """A request spec as its column keeps it: without what holds for one request only."""
    kept = spec.obj_clone()
    for name in _KEPT_AS_NULL:
        if kept.obj_attr_is_set(name):
            setattr(kept, name, None)
    kept.obj_reset_changes(recursive=True)  # first: it would look for what is taken away next
    for name in _NOT_KEPT:
        if kept.obj_attr_is_set(name):
            delattr(kept, name)
    if kept.obj_attr_is_set("instance_group") and kept.instance_group:
        # Members and hosts are read again whenever they are needed.
        kept.instance_group.members = None
        kept.instance_group.hosts = None
    kept.obj_reset_changes(recursive=True)
    return json.dumps(kept.obj_to_primitive())


def _load_spec(id_: int, instance_uuid: str, text: str) -> Any:
    spec = load_object(text)
    spec.id = id_
    spec.instance_uuid = instance_uuid
    for name in _KEPT_AS_NULL:
        if not spec.obj_attr_is_set(name):
            setattr(spec, name, None)
    spec.obj_reset_changes(recursive=True)
    return spec


def _spec_row(spec: Any, now: datetime) -> dict[str, Any]:
    return {
        "instance_uuid": spec.instance_uuid,
        "spec": dump_spec(spec),
        "created_at": now,
        "updated_at": None,
    }


def _load(values: Any) -> Any:
    request = api_plans.BUILD_REQUESTS.to_object(values)
    # The columns know better than the envelope when the server was recorded.
    request.instance.created_at = request.created_at
    request.obj_reset_changes(recursive=True)
    return request
