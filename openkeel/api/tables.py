"""The rows an API is made of, and their compilation per version.

Everything that depends on the microversion is declared: operations, body and query schemas
(`openkeel.api.schema`), fields of answers, status codes, behaviour. Nothing asks for a number.

A *band* is a run of versions in which an operation does not change. It is compiled once, when the
first request of the band comes: schemas to validators, views to tuples of emitters, and the set of
`needs` that tells the handler what to load. Work per request does not grow with history.

Windows read `since=V.A, until=V.B`: from A up to, not including, B. Two rows of one name with windows
that do not overlap say how a field changes; `docs/adding-an-operation.md` has examples.
"""

from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from openkeel.api.schema import Body, PathWindow, Query, Schema
from openkeel.api.validation import Validator
from openkeel.api.versions import END
from openkeel.domain.errors import KeelError

if TYPE_CHECKING:
    from openkeel.api.request import Request

ANYONE: Final = ""  # rule of an operation that every authenticated user may call
ABSENT: Final = object()  # a getter's answer for "leave the field out"
ALWAYS: Final = 0  # of `optional_since`

Getter = Callable[[Any, "Rendering"], Any]
Loader = Callable[["Request"], Any]
Handler = Callable[["Request"], Any]
Emitters = tuple[tuple[str, Getter], ...]


def a(name: str) -> Getter:
    """Read an attribute of the row (a path such as "flavor.name" too)."""
    read = attrgetter(name)
    return lambda row, _: read(row)


def k(name: str) -> Getter:
    """Read a key of a row that is a mapping."""
    return lambda row, _: row[name]


def itself(row: Any, _: Any) -> Any:
    """The row, for fields that wrap it in a view."""
    return row


@dataclass(slots=True)
class Rendering:
    """What getters may use beside the row: made once per answer.

    `data` is whatever the handler loaded for the whole answer, `links` lead to the next page (see
    `Answer`).
    """

    request: "Request"
    data: Any = None
    links: Any = None


@dataclass(frozen=True)
class Field:
    """A field of an answer.

    Args:
        name: the key.
        get: reads the value from the row; default: the attribute called like the key, or the key itself
            where rows are mappings. May return ABSENT from `optional_since` on.
        since: first version that has it.
        until: first version that has it no more.
        needs: what the handler must load for it: any hashable words between handler and view.
        rule: policy-soft: the field is left out for whom the rule refuses, asked once per answer.
        view: renders the value; with `many` each item of it.
        shape: paths inside the value where it is no view, written ".href", "[].rel", ".*"; an entry
            may be (path, since, until).
        type: what the value looks like, where `openkeel.api.answer_types` does not know it by the name;
            beside a view or a shape: what it may be instead of that (NULL, for example).
        optional_since: first version in which some rows do not have it; ALWAYS for all versions.
    """

    name: str
    get: Getter | None = None
    since: int = 0
    until: int = END
    needs: tuple[Hashable, ...] = ()
    rule: str | None = None
    view: "View | None" = None
    many: bool = False
    shape: tuple[str | PathWindow, ...] = ()
    type: Schema | None = None
    optional_since: int = END

    def covers(self, minor: int) -> bool:
        return self.since <= minor < self.until


class View:
    """How a row looks to clients, at every version."""

    def __init__(self, *fields: Field) -> None:
        self.fields = fields
        self._compiled: dict[tuple[int, frozenset[str]], Emitters] = {}

    def plus(self, *fields: Field) -> "View":
        """A view with more fields."""
        return View(*self.fields, *fields)

    def without(self, *names: str) -> "View":
        """A view with fewer fields."""
        return View(*(one for one in self.fields if one.name not in names))

    def one(self, key: str) -> "View":
        """A single row under a key: {"flavor": {...}}."""
        return View(Field(key, get=itself, view=self))

    def list(self, key: str, *more: Field, each: str | None = None) -> "View":
        """Rows under a key, each wrapped again where `each` says so; `more` stands beside them."""
        inner = self if each is None else self.one(each)
        return View(Field(key, get=itself, view=inner, many=True), *more)

    def edges(self) -> Iterator[int]:
        for one in self.fields:
            yield one.since
            yield one.until
            for entry in one.shape:
                if not isinstance(entry, str):
                    yield from entry[1:]
            if one.view is not None:
                yield from one.view.edges()

    def paths(self) -> Iterator[PathWindow]:
        for one in self.fields:
            yield f".{one.name}", one.since, one.until
            below: list[PathWindow] = [
                (entry, 0, END) if isinstance(entry, str) else entry for entry in one.shape
            ]
            if one.view is not None:
                step = "[]" if one.many else ""
                below += [(step + path, since, until) for path, since, until in one.view.paths()]
            for path, since, until in below:
                low, high = max(since, one.since), min(until, one.until)
                if low < high:
                    yield f".{one.name}{path}", low, high

    def rules(self, minor: int) -> frozenset[str]:
        """Rules that decide about fields of a version."""
        return frozenset(one.rule for one in self._walk(minor) if one.rule is not None)

    def needs(self, minor: int, refused: frozenset[str]) -> frozenset[Hashable]:
        """What must be loaded to render a version without the refused fields."""
        return frozenset(need for one in self._walk(minor) if one.rule not in refused for need in one.needs)

    def _walk(self, minor: int) -> Iterator[Field]:
        for one in self.fields:
            if one.covers(minor):
                yield one
                if one.view is not None:
                    yield from one.view._walk(minor)  # noqa: SLF001 - the same class

    def emitters(self, minor: int, refused: frozenset[str] = frozenset()) -> Emitters:
        """The compiled view. Callers keep it; it is cached by exactly these arguments."""
        key = (minor, refused)
        found = self._compiled.get(key)
        if found is None:
            found = self._compiled[key] = tuple(
                (one.name, _emitter(one, minor, refused))
                for one in self.fields
                if one.covers(minor) and one.rule not in refused
            )
        return found


class RawView(View):
    """An answer whose keys are data: the handler's mapping goes out as it is.

    Args:
        shape: paths inside it, as of a Field.
        type: what it looks like, where the shape does not say it.
    """

    def __init__(self, *shape: str | PathWindow, type: Schema | None = None) -> None:  # noqa: A002 - JSON Schema's word
        super().__init__()
        self.shape = shape
        self.type = type

    def edges(self) -> Iterator[int]:
        for entry in self.shape:
            if not isinstance(entry, str):
                yield from entry[1:]

    def paths(self) -> Iterator[PathWindow]:
        for entry in self.shape:
            yield (entry, 0, END) if isinstance(entry, str) else entry


def _emitter(one: Field, minor: int, refused: frozenset[str]) -> Getter:
    get = one.get or _read(one.name)
    if one.view is None:
        return get
    if isinstance(one.view, RawView):
        return get
    emitters = one.view.emitters(minor, refused)
    if one.many:

        def each(row: Any, r: Rendering) -> Any:
            items = get(row, r)
            return items if items is ABSENT else [emit(emitters, item, r) for item in items]

        return each

    def nested(row: Any, r: Rendering) -> Any:
        value = get(row, r)
        return value if value is None or value is ABSENT else emit(emitters, value, r)

    return nested


def _read(name: str) -> Getter:
    return lambda row, _: row[name] if isinstance(row, dict) else getattr(row, name)


def emit(emitters: Emitters, row: Any, rendering: Rendering) -> dict[str, Any]:
    """Render one row."""
    answer = {}
    for name, get in emitters:
        value = get(row, rendering)
        if value is not ABSENT:
            answer[name] = value
    return answer


class Since:
    """A value by version: `Since({0: 200, V.KEYPAIR_TYPE: 201})`."""

    def __init__(self, steps: Mapping[int, int]) -> None:
        self.steps = dict(sorted(steps.items()))

    def at(self, minor: int) -> int:
        starts = list(self.steps)
        return self.steps[starts[bisect_right(starts, minor) - 1]]


@dataclass(frozen=True)
class Behaviour:
    """Something that only acts differently from a version on; the handler asks `request.has(...)`.

    The answer belongs into a field of the command, so that services never see versions.
    """

    name: str
    since: int = 0
    until: int = END

    def covers(self, minor: int) -> bool:
        return self.since <= minor < self.until


@dataclass(frozen=True)
class Answer:
    """What a handler returns when the row alone does not say it all.

    `data` and `links` reach the getters as `rendering.data` and `rendering.links`. `status` overrides
    the operation's.
    """

    value: Any = None
    data: Any = None
    links: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    status: int | None = None


@dataclass(frozen=True, eq=False)
class Operation:
    """One thing a client can ask for.

    Args:
        method: HTTP method.
        path: below the version prefix, with {parameters}.
        handler: gets the Request, returns a row, rows, an Answer, or None.
        action: for POST .../action: the single key of the body.
        since: first version with it; before, it answers 404.
        until: first version without it.
        rule: policy rule, or ANYONE. Asked before the handler; with `target` after loading it.
        target: loads what the rule is about (NotFound: 404). The rule sees its project_id and user_id;
            the handler finds it as `request.target`. Without, the rule sees the caller's own ids.
        view: renders what the handler returned; None: no body.
        body: what the request body must look like; None: it is not read.
        query: what the query must look like; None: it is not read.
        status: code of success, by version where it changed.
        more_statuses: further codes of success, which the handler's Answer chooses.
        errors: codes of error kinds that differ from the table in `openkeel.api.errors`.
        faults: codes the handler may refuse with, beyond what the other columns imply: 401, 403 by a
            rule, 404 by a parameter of the path, and 400, 406, 413, 415, 503.
        behaviours: rows the handler asks for.
        more_rules: rules the handler itself enforces or asks, for documentation and tests.
        bodies: further bodies with other windows, where a body changed beyond its properties.
        is_removed: it only says that it is no more.
    """

    method: str
    path: str
    handler: Handler
    _: KW_ONLY
    rule: str
    action: str | None = None
    since: int = 0
    until: int = END
    target: Loader | None = None
    query: Query | None = None
    body: Body | None = None
    bodies: tuple[Body, ...] = ()
    view: View | None = None
    status: int | Since = 200
    more_statuses: tuple[int, ...] = ()
    errors: Mapping[type[KeelError], int] = field(default_factory=dict)
    faults: tuple[int, ...] = ()
    behaviours: tuple[Behaviour, ...] = ()
    more_rules: tuple[str, ...] = ()
    is_removed: bool = False

    @property
    def name(self) -> str:
        """How documents call it: "POST /servers/{id}/action #reboot"."""
        return f"{self.method} {self.path}" + (f" #{self.action}" if self.action else "")

    def covers(self, minor: int) -> bool:
        return self.since <= max(minor, 1) < self.until

    def edges(self) -> Sequence[int]:
        """The versions that bands begin with."""
        return self._starts

    @cached_property
    def _starts(self) -> list[int]:
        edges: set[int] = {0, 1, self.since, self.until}
        for part in (self.body, *self.bodies, self.query, self.view):
            if part is not None:
                edges.update(part.edges())
        if isinstance(self.status, Since):
            edges.update(self.status.steps)
        for behaviour in self.behaviours:
            edges.update((behaviour.since, behaviour.until))
        return sorted(edge for edge in edges if edge < END)

    def band(self, minor: int) -> int:
        """The first version of the band that a version is in."""
        return self._starts[bisect_right(self._starts, minor) - 1]

    @cached_property
    def _bands(self) -> dict[int, "Band"]:
        return {}

    def compiled(self, minor: int) -> "Band":
        """The operation as it stands in a version."""
        start = self.band(minor)
        band = self._bands.get(start)
        if band is None:
            band = self._bands[start] = Band(self, start)
        return band


class Band:
    """An operation compiled for a run of versions."""

    def __init__(self, operation: Operation, minor: int) -> None:
        self.operation = operation
        self.minor = minor
        # Compat: /v2 answers like 2.1; only its requests are read otherwise.
        self.answer_minor = max(minor, 1)
        status = operation.status
        self.status = status.at(minor) if isinstance(status, Since) else status
        body = next(
            (one for one in (operation.body, *operation.bodies) if one is not None and one.covers(minor)),
            None,
        )
        self.body = None if body is None else Validator(body.at(minor), relaxed=minor == 0)
        query = operation.query
        self.query = query if query is not None and minor >= query.since else None
        self.query_validator = None if self.query is None else Validator(self.query.at(minor))
        self.query_names = frozenset() if self.query is None else self.query.names(minor)
        self.behaviours = frozenset(one for one in operation.behaviours if one.covers(minor))
        view = operation.view
        self.view = view
        self.soft_rules = frozenset() if view is None else view.rules(self.answer_minor)

    def needs(self, refused: frozenset[str]) -> frozenset[Hashable]:
        """What the handler must load."""
        return frozenset() if self.view is None else self.view.needs(self.answer_minor, refused)

    def render(self, value: Any, rendering: Rendering, refused: frozenset[str]) -> Any:
        """The answer's body as plain data; None where the operation has none."""
        if self.view is None:
            return None
        if isinstance(self.view, RawView):
            return value
        return emit(self.view.emitters(self.answer_minor, refused), value, rendering)


def overlaps(operations: Iterable[Operation]) -> Iterator[tuple[Operation, Operation]]:
    """Pairs of rows for the same request whose windows overlap: there must be none."""
    seen: dict[tuple[str, str, str | None], list[Operation]] = {}
    for operation in operations:
        same = seen.setdefault((operation.method, operation.path, operation.action), [])
        for other in same:
            if other.since < operation.until and operation.since < other.until:
                yield other, operation
        same.append(operation)
