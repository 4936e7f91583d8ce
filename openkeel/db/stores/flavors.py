"""Sizes of servers with their extra specs and who may use them."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final

import sqlalchemy as sa
from oslo_db.exception import DBDuplicateEntry, DBReferenceError

from openkeel.db.models import api as rows
from openkeel.db.models.base import table_of, utcnow
from openkeel.db.session import retried
from openkeel.db.stores import api_plans
from openkeel.db.stores.dictionaries import Dictionaries
from openkeel.db.stores.plan import rows_of, values_of
from openkeel.db.stores.table import TableStore, Where
from openkeel.domain.errors import (
    FlavorAccessExists,
    FlavorAccessNotFound,
    FlavorExists,
    FlavorIdExists,
    FlavorNotFound,
    Invalid,
)

FLAVOR: Final = table_of(rows.Flavor)
ACCESS: Final = table_of(rows.FlavorProject)
SPECS: Final = Dictionaries(table_of(rows.FlavorExtraSpec), "flavor_id")


class FlavorStore(TableStore[Any]):
    """Flavors of the deployment."""

    plan = api_plans.FLAVORS
    not_found = FlavorNotFound

    def get(self, ctx: Any, flavor_id: str) -> Any:
        """A flavor that the context may use, by the id that users know. Raises: FlavorNotFound."""
        return self._one(FLAVOR.c.flavorid == flavor_id, *_usable(ctx), name=flavor_id)

    def get_by_name(self, ctx: Any, name: str) -> Any:
        """Raises: FlavorNotFound."""
        return self._one(FLAVOR.c.name == name, *_usable(ctx), name=name)

    def get_by_id(self, ctx: Any, id_: int) -> Any:
        """By the id of its row. Raises: FlavorNotFound."""
        return self._one(FLAVOR.c.id == id_, *_usable(ctx), name=str(id_))

    def _one(self, *where: Where, name: str) -> Any:
        found = self._load(*where, limit=1)
        if not found:
            raise FlavorNotFound(flavor_id=name)
        return found[0]

    def list(
        self,
        ctx: Any,
        *,
        inactive: bool = False,
        filters: Mapping[str, Any] | None = None,
        sort_key: str = "flavorid",
        sort_dir: str = "asc",
        limit: int | None = None,
        marker: str | None = None,
    ) -> Any:
        """Contract: filters min_memory_mb, min_root_gb, is_public (None: any), disabled, and by project.

        Raises: FlavorNotFound (marker); Invalid (sort key).
        """
        if sort_key not in FLAVOR.c:
            raise Invalid(f"Flavors cannot be sorted by {sort_key}.")
        if limit == 0:
            return self.plan.wrap([])
        where = list(_conditions(ctx, filters or {}, inactive=inactive))
        column, is_down = FLAVOR.c[sort_key], sort_dir == "desc"
        if marker is not None:
            where.append(self._beyond(column, marker, is_down=is_down))
        order = (column.desc(), FLAVOR.c.id.desc()) if is_down else (column.asc(), FLAVOR.c.id.asc())
        return self.plan.wrap(self._load(*where, order_by=order, limit=limit))

    def _beyond(self, column: Any, marker: str, *, is_down: bool) -> Where:
        with self._database.read() as connection:
            statement = sa.select(column, FLAVOR.c.id).where(FLAVOR.c.flavorid == marker)
            row = connection.execute(statement).first()
        if row is None:
            raise FlavorNotFound(flavor_id=marker)
        value, id_ = tuple(row)
        if is_down:
            return sa.or_(column < value, sa.and_(column == value, FLAVOR.c.id < id_))
        return sa.or_(column > value, sa.and_(column == value, FLAVOR.c.id > id_))

    def _load(self, *where: Where, order_by: Sequence[Any] = (), limit: int | None = None) -> Sequence[Any]:
        statement = sa.select(*self.plan.columns).where(*where).order_by(*order_by).limit(limit)
        with self._database.read() as connection:
            flavors = [self.plan.to_object(values_of(row)) for row in connection.execute(statement)]
            ids = [flavor.id for flavor in flavors]
            specs = SPECS.read(connection, ids)
            access = _projects(connection, ids)
        for flavor in flavors:
            flavor.extra_specs = specs[flavor.id]
            flavor.projects = access.get(flavor.id, [])
            flavor.deleted = False
            flavor.deleted_at = None
            flavor.obj_reset_changes(recursive=False)
        return flavors

    @retried
    def create(self, item: Any) -> None:
        """Insert it with its extra specs and projects. Raises: FlavorIdExists; FlavorExists."""
        now = utcnow()
        row = self.plan.new_row(item, now)
        specs = dict(item.extra_specs) if item.obj_attr_is_set("extra_specs") else {}
        projects = list(item.projects) if item.obj_attr_is_set("projects") else []
        try:
            with self._database.write() as connection:
                key = connection.execute(sa.insert(FLAVOR).values(row)).inserted_primary_key
                id_ = key[0] if key else None
                SPECS.insert(connection, id_, specs, now)
                _grant(connection, id_, projects)
        except DBDuplicateEntry as error:
            if "flavorid" in str(error.columns) or self._has_id(item.flavorid):
                raise FlavorIdExists(flavor_id=item.flavorid) from error
            raise FlavorExists(name=item.name) from error
        self.plan.fill(item, {**row, "id": id_})
        item.extra_specs, item.projects = specs, projects
        item.deleted, item.deleted_at = False, None
        item.obj_reset_changes(recursive=False)

    def _has_id(self, flavor_id: str) -> bool:
        with self._database.read() as connection:
            found = connection.execute(sa.select(FLAVOR.c.id).where(FLAVOR.c.flavorid == flavor_id)).first()
        return found is not None

    @retried
    def save(self, item: Any) -> None:
        """Write its columns, extra specs and projects as far as they changed. Raises: FlavorNotFound."""
        changed = item.obj_what_changed()
        now = utcnow()
        with self._database.write() as connection:
            row = self.plan.values(item, changed) | {"updated_at": now}
            if connection.execute(sa.update(FLAVOR).where(self._mine(item)).values(row)).rowcount == 0:
                raise FlavorNotFound(flavor_id=item.flavorid)
            if "extra_specs" in changed:
                SPECS.merge(connection, item.id, item.extra_specs, now)
            if "projects" in changed:
                present = set(_projects(connection, [item.id]).get(item.id, []))
                _grant(connection, item.id, sorted(set(item.projects) - present))
                _revoke(connection, item.id, sorted(present - set(item.projects)))
        item.obj_reset_changes(recursive=False)

    @retried
    def save_extra_specs(
        self, flavor_db_id: int, to_add: Mapping[str, str], to_delete: Collection[str] = ()
    ) -> None:
        """Set and remove extra specs. Raises: FlavorNotFound."""
        with self._database.write() as connection:
            mine = sa.select(FLAVOR.c.id).where(FLAVOR.c.id == flavor_db_id).with_for_update()
            if connection.execute(mine).first() is None:  # writers wait for each other here
                raise FlavorNotFound(flavor_id=flavor_db_id)
            SPECS.merge(connection, flavor_db_id, to_add, utcnow(), remove=to_delete)

    def projects(self, flavor_db_id: int) -> Sequence[str]:
        """Who may use a flavor that is not public."""
        with self._database.read() as connection:
            return _projects(connection, [flavor_db_id]).get(flavor_db_id, [])

    @retried
    def add_access(self, flavor: Any, project_id: str) -> None:
        """Raises: FlavorAccessExists; FlavorNotFound."""
        try:
            with self._database.write() as connection:
                _grant(connection, flavor.id, [project_id])
        except DBDuplicateEntry as error:
            raise FlavorAccessExists(flavor_id=flavor.flavorid, project_id=project_id) from error
        except DBReferenceError as error:
            raise FlavorNotFound(flavor_id=flavor.flavorid) from error

    @retried
    def remove_access(self, flavor: Any, project_id: str) -> None:
        """Raises: FlavorAccessNotFound."""
        with self._database.write() as connection:
            if _revoke(connection, flavor.id, [project_id]) == 0:
                raise FlavorAccessNotFound(flavor_id=flavor.flavorid, project_id=project_id)

    @retried
    def destroy(self, item: Any) -> None:
        """Remove it with all that hangs on it. Raises: FlavorNotFound."""
        with self._database.write() as connection:
            mine = sa.select(FLAVOR.c.id).where(FLAVOR.c.flavorid == item.flavorid).with_for_update()
            id_ = connection.scalar(mine)
            if id_ is None:
                raise FlavorNotFound(flavor_id=item.flavorid)
            connection.execute(sa.delete(SPECS.table).where(SPECS.table.c.flavor_id == id_))
            connection.execute(sa.delete(ACCESS).where(ACCESS.c.flavor_id == id_))
            connection.execute(sa.delete(FLAVOR).where(FLAVOR.c.id == id_))

    def _facts(self, item: Any) -> dict[str, Any]:
        return {"flavor_id": item.flavorid}


def _usable(ctx: Any) -> Iterable[Where]:
    return () if ctx.is_admin else (_granted(ctx.project_id),)


def _granted(project_id: str | None) -> Where:
    """Public, or granted to the project."""
    return sa.or_(
        FLAVOR.c.is_public.is_(sa.true()),
        sa.exists().where(ACCESS.c.flavor_id == FLAVOR.c.id, ACCESS.c.project_id == project_id),
    )


def _conditions(ctx: Any, filters: Mapping[str, Any], *, inactive: bool) -> Iterable[Where]:
    if not inactive:
        yield sa.func.coalesce(FLAVOR.c.disabled, sa.false()).is_(sa.false())
    if "min_memory_mb" in filters:
        yield FLAVOR.c.memory_mb >= int(filters["min_memory_mb"])
    if "min_root_gb" in filters:
        yield FLAVOR.c.root_gb >= int(filters["min_root_gb"])
    if "disabled" in filters:
        yield FLAVOR.c.disabled.is_(sa.true() if filters["disabled"] else sa.false())
    if filters.get("is_public") is not None:
        public: Where = FLAVOR.c.is_public.is_(sa.true() if filters["is_public"] else sa.false())
        if filters["is_public"] and ctx.project_id is not None:
            public = _granted(ctx.project_id)
        yield public
    if not ctx.is_admin:
        yield _granted(ctx.project_id)


def _projects(connection: sa.Connection, flavor_ids: Collection[int]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    if flavor_ids:
        statement = sa.select(ACCESS.c.flavor_id, ACCESS.c.project_id)
        statement = statement.where(ACCESS.c.flavor_id.in_(list(flavor_ids))).order_by(ACCESS.c.id)
        for flavor_id, project_id in rows_of(connection, statement):
            found.setdefault(flavor_id, []).append(project_id)
    return found


def _grant(connection: sa.Connection, flavor_id: int | None, project_ids: Sequence[str]) -> None:
    if project_ids:
        now = utcnow()
        new = [{"flavor_id": flavor_id, "project_id": name, "created_at": now} for name in project_ids]
        connection.execute(sa.insert(ACCESS), new)


def _revoke(connection: sa.Connection, flavor_id: int, project_ids: Sequence[str]) -> int:
    if not project_ids:
        return 0
    statement = sa.delete(ACCESS).where(
        ACCESS.c.flavor_id == flavor_id, ACCESS.c.project_id.in_(list(project_ids))
    )
    return connection.execute(statement).rowcount
