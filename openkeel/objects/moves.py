"""Moving a server along its lifecycle: the same for every store that can save with an expectation."""

from collections.abc import Callable
from typing import Any

from openkeel.domain.lifecycle import Keep, Rule, Step
from openkeel.objects.stores import ANY


def move_by(save: Callable[..., None], instance: Any, rule: Rule, step: Step) -> None:
    """One compare-and-swap. The object looks as before when it does not succeed. Raises as `save`."""
    vm_states, task_states = rule.expects(step)
    vm_state, task_state = rule.leads_to(step)
    before = (instance.vm_state, instance.task_state)
    if not isinstance(vm_state, Keep):
        instance.vm_state = vm_state
    instance.task_state = task_state
    try:
        save(
            instance,
            expected_vm_state=ANY if vm_states is None else tuple(vm_states),
            expected_task_state=ANY if task_states is None else tuple(task_states),
        )
    except Exception:
        instance.vm_state, instance.task_state = before
        instance.obj_reset_changes(["vm_state", "task_state"])
        raise
