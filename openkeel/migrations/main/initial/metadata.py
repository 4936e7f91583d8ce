"""The tables of the initial revision gather here. Frozen: later changes are revisions."""

from typing import Final

from sqlalchemy import MetaData

METADATA: Final = MetaData()
