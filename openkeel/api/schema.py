"""What a request body or query must look like, with the versions in which each part exists.

A schema is a tree of small frozen nodes. `at(minor)` gives plain JSON Schema (draft 2020-12) for one
version, `edges()` the versions at which it changes, and `paths()` every property with its window,
which is what `openkeel-manage describe requests` prints. The same property may stand several times
with windows that do not overlap: that is how a type changes.

`Validator` compiles a plain schema once; the formats and the two relaxations of the compute API
(numbers given as text, unknown keys on /v2) live in `openkeel.api.validation`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from openkeel.api.versions import END

PathWindow = tuple[str, int, int]  # path below the node, since, until


class Schema(Protocol):
    """A node of the tree."""

    def at(self, minor: int) -> dict[str, Any]:
        """Plain JSON Schema as it stands in one version."""

    def edges(self) -> Iterator[int]:
        """Versions from which on it is different."""

    def paths(self) -> Iterator[PathWindow]:
        """Properties below this node."""


@dataclass(frozen=True)
class Leaf:
    """A value with no properties of its own: JSON Schema keywords as they are."""

    keywords: Mapping[str, Any] = field(default_factory=dict)

    def at(self, minor: int) -> dict[str, Any]:  # noqa: ARG002 - the same in every version
        return dict(self.keywords)

    def edges(self) -> Iterator[int]:
        return iter(())

    def paths(self) -> Iterator[PathWindow]:
        return iter(())


@dataclass(frozen=True)
class Prop:
    """A property of an object: it exists from `since` up to, not including, `until`."""

    name: str
    schema: Schema = Leaf()
    required: bool = False
    since: int = 0
    until: int = END

    def covers(self, minor: int) -> bool:
        return self.since <= minor < self.until


class Object:
    """A JSON object. Unknown keys are refused unless `extra` allows them.

    Args:
        props: its properties.
        patterns: schema by regular expression of the key.
        extra: whether unknown keys may come, or what their values must look like.
        types: JSON types allowed beside "object".
        keywords: further JSON Schema keywords, such as minProperties.
    """

    def __init__(
        self,
        *props: Prop,
        patterns: Mapping[str, Schema] | None = None,
        extra: bool | Schema = False,
        types: tuple[str, ...] = (),
        **keywords: Any,
    ) -> None:
        self.props = props
        self.patterns = dict(patterns or {})
        self.extra = extra
        self.types = types
        self.keywords = keywords

    def at(self, minor: int) -> dict[str, Any]:
        here = [prop for prop in self.props if prop.covers(minor)]
        schema: dict[str, Any] = {
            "type": ["object", *self.types] if self.types else "object",
            "properties": {prop.name: prop.schema.at(minor) for prop in here},
            "additionalProperties": self.extra if isinstance(self.extra, bool) else self.extra.at(minor),
            **self.keywords,
        }
        required = [prop.name for prop in here if prop.required]
        if required:
            schema["required"] = required
        if self.patterns:
            schema["patternProperties"] = {key: node.at(minor) for key, node in self.patterns.items()}
        return schema

    def edges(self) -> Iterator[int]:
        for prop in self.props:
            yield prop.since
            yield prop.until
            yield from prop.schema.edges()
        for node in self._free():
            yield from node.edges()

    def paths(self) -> Iterator[PathWindow]:
        for prop in self.props:
            yield f".{prop.name}", prop.since, prop.until
            for path, since, until in prop.schema.paths():
                low, high = max(since, prop.since), min(until, prop.until)
                if low < high:
                    yield f".{prop.name}{path}", low, high
        for node in self._free():
            yield ".*", 0, END
            for path, since, until in node.paths():
                yield f".*{path}", since, until

    def _free(self) -> list[Schema]:
        free = list(self.patterns.values())
        if not isinstance(self.extra, bool):
            free.append(self.extra)
        return free


class Array:
    """A JSON array of alike items. `keywords` are further JSON Schema keywords, such as maxItems."""

    def __init__(self, item: Schema, *, null: bool = False, **keywords: Any) -> None:
        self.item = item
        self.null = null
        self.keywords = keywords

    def at(self, minor: int) -> dict[str, Any]:
        kind = ["array", "null"] if self.null else "array"
        return {"type": kind, "items": self.item.at(minor), **self.keywords}

    def edges(self) -> Iterator[int]:
        return self.item.edges()

    def paths(self) -> Iterator[PathWindow]:
        for path, since, until in self.item.paths():
            yield f"[]{path}", since, until


class _Combined:
    """Several schemas of which one, any, or all must hold."""

    keyword = ""

    def __init__(self, *variants: Schema, **keywords: Any) -> None:
        self.variants = variants
        self.keywords = keywords

    def at(self, minor: int) -> dict[str, Any]:
        return {self.keyword: [node.at(minor) for node in self.variants], **self.keywords}

    def edges(self) -> Iterator[int]:
        for node in self.variants:
            yield from node.edges()

    def paths(self) -> Iterator[PathWindow]:
        for node in self.variants:
            yield from node.paths()


class OneOf(_Combined):
    """Exactly one variant must hold."""

    keyword = "oneOf"


class AnyOf(_Combined):
    """At least one variant must hold."""

    keyword = "anyOf"


class AllOf(_Combined):
    """Every variant must hold."""

    keyword = "allOf"


class Body(Object):
    """The whole JSON body of a request: an object, in the versions from `since` up to `until`.

    Outside its window the body is not looked at (and the handler gets None). With `null` it may be null
    or missing.
    """

    def __init__(
        self,
        *props: Prop,
        since: int = 0,
        until: int = END,
        patterns: Mapping[str, Schema] | None = None,
        extra: bool | Schema = False,
        null: bool = False,
        **keywords: Any,
    ) -> None:
        types = ("null",) if null else ()
        super().__init__(*props, patterns=patterns, extra=extra, types=types, **keywords)
        self.may_be_missing = null
        self.since = since
        self.until = until

    def covers(self, minor: int) -> bool:
        return self.since <= minor < self.until

    def edges(self) -> Iterator[int]:
        yield self.since
        yield self.until
        yield from super().edges()

    def paths(self) -> Iterator[PathWindow]:
        for path, since, until in super().paths():
            low, high = max(since, self.since), min(until, self.until)
            if low < high:
                yield path, low, high


class NoBody(Body):
    """Nothing may come, or null."""

    def __init__(self) -> None:
        super().__init__(null=True)

    def at(self, minor: int) -> dict[str, Any]:  # noqa: ARG002 - the same in every version
        return {"type": "null"}


@dataclass(frozen=True)
class Param:
    """A query parameter. `item` is what each given value must look like.

    A parameter may be given several times unless `single`; what is read then is the reader's choice
    (`Query.last`, `Query.all`).
    """

    name: str
    item: Schema = Leaf({"type": "string"})
    since: int = 0
    until: int = END
    single: bool = False
    required: bool = False

    def prop(self) -> Prop:
        """The parameter as a property: values come as a list of texts."""
        limits: dict[str, Any] = {"maxItems": 1} if self.single else {}
        return Prop(self.name, Array(self.item, **limits), self.required, self.since, self.until)


class Query:
    """The query string of an operation.

    Unknown names are dropped before `strict_since` and refused from there on. Below `since` nothing
    is looked at: the handler gets what came. `patterns` are names (regular expressions) that may
    come besides.
    """

    def __init__(
        self,
        *params: Param,
        strict_since: int,
        since: int = 0,
        patterns: Mapping[str, Schema] | None = None,
    ) -> None:
        self.params = params
        self.strict_since = strict_since
        self.since = since
        self.patterns = {key: Array(node) for key, node in (patterns or {}).items()}
        props = tuple(param.prop() for param in params)
        self._lenient = Object(*props, patterns=self.patterns, extra=True)
        self._strict = Object(*props, patterns=self.patterns)

    def at(self, minor: int) -> dict[str, Any]:
        return (self._strict if minor >= self.strict_since else self._lenient).at(minor)

    def edges(self) -> Iterator[int]:
        yield self.since
        yield self.strict_since
        yield from self._strict.edges()

    def paths(self) -> Iterator[PathWindow]:
        for path, since, until in self._strict.paths():
            low = max(since, self.since)
            if low < until:
                yield path, low, until

    def names(self, minor: int) -> frozenset[str]:
        """Parameters known in a version."""
        return frozenset(param.name for param in self.params if param.since <= minor < param.until)
