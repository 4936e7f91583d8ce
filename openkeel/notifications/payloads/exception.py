"""What went wrong, without secrets."""

import traceback as tb
from types import TracebackType

from oslo_utils import strutils

from openkeel.notifications.payloads.base import Payload, payload
from openkeel.objects import fields


def _origin(error: BaseException) -> TracebackType | None:
    """The innermost frame the error came through."""
    found = error.__traceback__
    while found is not None and found.tb_next is not None:
        found = found.tb_next
    return found


def _module(error: BaseException) -> str:
    origin = _origin(error)
    return str(origin.tb_frame.f_globals.get("__name__", "unknown")) if origin else "unknown"


def _function(error: BaseException) -> str:
    origin = _origin(error)
    return origin.tb_frame.f_code.co_name if origin else "unknown"


def _traceback(error: BaseException) -> str:
    return str(strutils.mask_password("".join(tb.format_exception(error))))


@payload
class ExceptionPayload(Payload):
    """Of an exception."""

    VERSION = "1.1"
    fields = {
        "exception": fields.StringField(),
        "exception_message": fields.StringField(),
        "module_name": fields.StringField(),
        "function_name": fields.StringField(),
        "traceback": fields.StringField(),
    }
    sources = {
        "exception": lambda error: type(error).__name__,
        "exception_message": lambda error: strutils.mask_password(str(error)),
        "module_name": _module,
        "function_name": _function,
        "traceback": _traceback,
    }
