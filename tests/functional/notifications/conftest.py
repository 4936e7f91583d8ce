import pytest

from tests.fixtures.bus import bus
from tests.fixtures.cloud import cloud, cloud_policy
from tests.fixtures.db import api_database, cell_database, cells, database_templates
from tests.functional.notifications.ear import Ear

__all__ = [
    "api_database",
    "bus",
    "cell_database",
    "cells",
    "cloud",
    "cloud_policy",
    "database_templates",
]

LOUD = {
    "oslo_messaging_notifications.driver": ["test"],
    "notifications.notification_format": "both",
    "notifications.notify_on_state_change": "vm_and_task_state",
}


@pytest.fixture
def loud(cloud):
    """A cloud that tells everything; what it says about itself as it starts is not heard."""
    return listen(cloud, LOUD)


def listen(cloud, settings):
    """Start the daemons again with these settings; an ear to them, that hears how they start."""
    ear = Ear(cloud)
    for part in cloud.parts:
        part.settings.update(settings)
        part.stop()
        part.start()
    return ear
