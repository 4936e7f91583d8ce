"""Every status an operation may answer, from what its row declares.

What is implied: 400 and 406 by the version headers, the query and the body; 401 by the token; 403 by a
rule; 404 by a parameter of the path; 413 and 415 by methods with a body; 503 while something behind
the API is away. The rest stands in the columns `status`, `errors` and `faults`.
"""

from typing import Final

from openkeel.api.tables import ANYONE, Operation, Since

WITH_BODY: Final = frozenset({"POST", "PUT", "PATCH"})
_ALWAYS: Final = frozenset({400, 401, 406, 503})
_OF_BODIES: Final = frozenset({413, 415})


def success(operation: Operation, minor: int) -> tuple[int, ...]:
    """The codes of success in a version; none where it only refuses."""
    if operation.is_removed:
        return ()
    status = operation.status
    return (status.at(minor) if isinstance(status, Since) else status, *operation.more_statuses)


def faults(operation: Operation) -> tuple[int, ...]:
    """The codes of refusals."""
    codes = {*_ALWAYS, *operation.faults, *operation.errors.values()}
    if operation.method in WITH_BODY:
        codes |= _OF_BODIES
    if operation.rule != ANYONE or operation.more_rules:
        codes.add(403)
    if "{" in operation.path:
        codes.add(404)
    return tuple(sorted(codes))
