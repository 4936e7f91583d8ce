"""The action log."""

import traceback
from typing import Any

from openkeel.common.context import Context
from openkeel.rpc.remote_stores.rows import Store


class RemoteActions(Store):
    """Contract: InstanceAction, InstanceActionEvent."""

    def start(self, ctx: Context, instance_uuid: str, action: str) -> Any:
        self._wire.log(
            "InstanceAction",
            "action_start",
            ctx=ctx,
            made=lambda: self._find(ctx, instance_uuid) is not None or None,
            instance_uuid=instance_uuid,
            action_name=action,
        )
        return self._find(ctx, instance_uuid)

    def _find(self, ctx: Context, instance_uuid: str) -> Any | None:
        return self._wire.ask(
            "InstanceAction",
            "get_by_request_id",
            ctx=ctx,
            instance_uuid=instance_uuid,
            request_id=ctx.request_id,
        )

    def finish(self, ctx: Context, instance_uuid: str) -> None:
        self._wire.ask(
            "InstanceAction", "action_finish", ctx=ctx, instance_uuid=instance_uuid, want_result=False
        )

    def event_start(self, ctx: Context, instance_uuid: str, event: str, host: str | None) -> None:
        def made() -> bool | None:
            action = self._find(ctx, instance_uuid)
            if action is None:
                return True  # then there is nothing to write
            steps = self._wire.ask("InstanceActionEventList", "get_by_action", ctx=ctx, action_id=action.id)
            is_there = any(
                step.event == event and step.host == host and step.finish_time is None for step in steps
            )
            return is_there or None

        self._wire.log(
            "InstanceActionEvent",
            "event_start",
            ctx=ctx,
            made=made,
            instance_uuid=instance_uuid,
            event_name=event,
            host=host,
        )

    def event_finish(
        self,
        ctx: Context,
        instance_uuid: str,
        event: str,
        *,
        error: BaseException | None = None,
    ) -> None:
        failure: dict[str, Any] = {}
        if error is not None:
            failure = {"exc_val": str(error), "exc_tb": "".join(traceback.format_exception(error))}
        self._wire.ask(
            "InstanceActionEvent",
            "event_finish_with_failure" if failure else "event_finish",
            ctx=ctx,
            instance_uuid=instance_uuid,
            event_name=event,
            want_result=False,
            **failure,
        )
