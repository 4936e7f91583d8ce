"""The operations on /servers and /servers/{id}."""

from typing import Final

from openkeel.api.resources.paging import next_links
from openkeel.api.resources.servers import bodies, changes, handlers, listing
from openkeel.api.resources.servers.fields import BRIEF, DETAIL, SHOWN, UPDATED
from openkeel.api.tables import Operation
from openkeel.domain.errors import ImageNotAuthorized, NotFound
from openkeel.policies import servers as rules

_LIST_RULES: Final = (rules.ALLOW_ALL_FILTERS, rules.INDEX_GET_ALL_TENANTS)
_CREATE_RULES: Final = (
    rules.ATTACH_EXTERNAL_NETWORK,
    rules.CREATE_ATTACH_NETWORK,
    rules.CREATE_ATTACH_VOLUME,
    rules.CREATE_FORCED_HOST,
    rules.CREATE_REQUESTED_DESTINATION,
    rules.CREATE_TRUSTED_CERTS,
    rules.CREATE_ZERO_DISK_FLAVOR,
)

OPERATIONS: Final = (
    Operation(
        "GET",
        "/servers",
        handlers.index,
        rule=rules.INDEX,
        query=bodies.LIST,
        view=BRIEF.list("servers", next_links("servers_links")),
        behaviours=listing.BEHAVIOURS,
        more_rules=_LIST_RULES,
    ),
    Operation(
        "GET",
        "/servers/detail",
        handlers.detail,
        rule=rules.DETAIL,
        query=bodies.LIST,
        view=DETAIL.list("servers", next_links("servers_links")),
        behaviours=listing.BEHAVIOURS,
        more_rules=(*_LIST_RULES, rules.DETAIL_GET_ALL_TENANTS),
    ),
    Operation(
        "POST",
        "/servers",
        handlers.create,
        rule=rules.CREATE,
        body=bodies.CREATE,
        view=handlers.CREATED,
        status=202,
        behaviours=changes.CREATE_BEHAVIOURS,
        more_rules=_CREATE_RULES,
        # What the request names and is not there makes the request wrong, not the URL.
        errors={NotFound: 400, ImageNotAuthorized: 400},
        faults=(409,),
    ),
    Operation(
        "GET",
        "/servers/{id}",
        handlers.show,
        rule=rules.SHOW,
        target=handlers.locate_server,
        query=bodies.NOTHING,
        view=SHOWN.one("server"),
        behaviours=(listing.DOWN_CELLS,),
    ),
    Operation(
        "PUT",
        "/servers/{id}",
        handlers.update,
        rule=rules.UPDATE,
        target=handlers.load_server,
        body=bodies.UPDATE,
        view=UPDATED.one("server"),
        faults=(409,),
    ),
    Operation(
        "DELETE",
        "/servers/{id}",
        handlers.delete,
        rule=rules.DELETE,
        target=handlers.load_server,
        status=204,
        faults=(409,),
    ),
)
