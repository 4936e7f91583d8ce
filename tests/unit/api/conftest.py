import pytest

from openkeel.policies import Enforcer
from tests.fixtures import api_client


@pytest.fixture(scope="session")
def policy() -> Enforcer:
    return api_client.enforcer()


@pytest.fixture
def make_caller(policy):
    """An application over given rows and services, as a Caller."""
    return lambda rows=None, services=None, settings=None: api_client.caller(services, policy, rows, settings)
