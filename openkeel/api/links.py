"""Links in answers: to a resource itself, and to the next page.

Contract: links carry the project id only if the request's URL did, be it in the query; a next link repeats
the query with its last values and the new marker.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote, urlencode

LINK_SHAPE: Final = ("[].href", "[].rel")


@dataclass(frozen=True, slots=True)
class Links:
    """Makes links for one request.

    Args:
        root: URL of the API, without a slash at the end.
        base: URL of the version with the project where the request had it, without a slash at the end.
        bookmark: the same without the version.
        images: where the image service's resources are bookmarked.
    """

    root: str
    base: str
    bookmark: str
    images: str

    def self_and_bookmark(self, collection: str, identifier: Any) -> list[dict[str, str]]:
        """The two links of a resource."""
        tail = f"/{collection}/{quote(str(identifier))}"
        return [
            {"rel": "self", "href": self.base + tail},
            {"rel": "bookmark", "href": self.bookmark + tail},
        ]

    def bookmarked(self, collection: str, identifier: Any) -> list[dict[str, str]]:
        """The link of a resource that another one mentions."""
        return [{"rel": "bookmark", "href": f"{self.bookmark}/{collection}/{quote(str(identifier))}"}]

    def image(self, image_id: str) -> list[dict[str, str]]:
        """The link of an image that a server mentions."""
        return [{"rel": "bookmark", "href": f"{self.images}/images/{image_id}"}]

    def next(self, path: str, query: Mapping[str, Sequence[str]], marker: Any) -> list[dict[str, str]]:
        """The link to the page after `marker`."""
        # Contract: parameters by name; a marker that was not given comes last.
        values = {name: given[-1] for name, given in sorted(query.items()) if given}
        values["marker"] = str(marker)
        return [{"rel": "next", "href": f"{self.base}{path}?{urlencode(values)}"}]
