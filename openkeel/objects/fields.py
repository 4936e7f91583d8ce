"""Field types of the objects: oslo's, plus those that only Nova's wire has.

`ChoiceField(SomeStrEnum)` refuses unknown values. Use this module alone in the object modules.
"""

import json
import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, ClassVar

from oslo_versionedobjects.fields import (
    AutoTypedField,
    BaseEnumField,
    BooleanField,
    DateTimeField,
    Dict,
    DictOfIntegersField,
    DictOfListOfStringsField,
    DictOfNullableStringsField,
    DictOfSetOfIntegersField,
    DictOfStringsField,
    Enum,
    EnumField,
    Field,
    FieldType,
    FlexibleBooleanField,
    FloatField,
    IntegerField,
    IPAddressField,
    IPV4AddressField,
    IPV6AddressField,
    List,
    ListOfDictOfNullableStringsField,
    ListOfIntegersField,
    ListOfListsOfStringsField,
    ListOfObjectsField,
    ListOfSetsOfIntegersField,
    ListOfStringsField,
    ListOfUUIDField,
    MACAddressField,
    ObjectField,
    PCIAddressField,
    SensitiveStringField,
    SetOfIntegersField,
    SetOfStringsField,
    String,
    StringField,
    UnspecifiedDefault,
    UUIDField,
    VersionPredicateField,
)

from openkeel.objects.enums import POWER_STATE_NAMES, SPELLINGS
from openkeel.objects.network_info import NetworkInfo

__all__ = [
    "NULL",
    "BooleanField",
    "ChoiceField",
    "DateTimeField",
    "Dict",
    "DictOfIntegersField",
    "DictOfListOfStringsField",
    "DictOfNullableStringsField",
    "DictOfSetOfIntegersField",
    "DictOfStringsField",
    "EnumField",
    "Field",
    "FlexibleBooleanField",
    "FloatField",
    "IDEAddressField",
    "IPAddressField",
    "IPV4AddressField",
    "IPV6AddressField",
    "InstancePowerStateField",
    "IntegerField",
    "List",
    "ListOfDictOfNullableStringsField",
    "ListOfIntegersField",
    "ListOfListsOfStringsField",
    "ListOfObjectsField",
    "ListOfSetsOfIntegersField",
    "ListOfStringsField",
    "ListOfUUIDField",
    "MACAddressField",
    "NetworkModelField",
    "NetworkVIFModelField",
    "ObjectField",
    "PCIAddressField",
    "ResourceClassField",
    "SCSIAddressField",
    "SensitiveStringField",
    "SetOfIntegersField",
    "SetOfStringsField",
    "StringField",
    "USBAddressField",
    "UUIDField",
    "VersionPredicateField",
    "XenAddressField",
]

NULL: Any = None  # `default=NULL`: oslo's annotations know no None as a default, its code does


class _Spelled(Enum):
    """Choices that are known by other spellings as well: whatever the case, and by names of old."""

    also: ClassVar[Mapping[str, str]] = {}

    def coerce(self, obj: Any, attr: str, value: Any) -> Any:
        if isinstance(value, str):
            value = value.lower()
            value = self.also.get(value, value)
        return super().coerce(obj, attr, value)


class ChoiceField(BaseEnumField):
    """One of the values of a StrEnum, kept as a plain string.

    Contract: the field's type has the name of the enum, which enters the fingerprints of objects.
    """

    def __init__(
        self,
        choices: type[StrEnum],
        nullable: bool = False,
        default: Any = UnspecifiedDefault,
        read_only: bool = False,
    ) -> None:
        spellings = SPELLINGS.get(choices)
        kind = type(choices.__name__, (Enum,), {})
        if spellings is not None:
            kind = type(choices.__name__, (_Spelled,), {"also": spellings})
        self.AUTO_TYPE = kind(valid_values=tuple(str(choice) for choice in choices))
        super().__init__(nullable=nullable, default=default, read_only=read_only)


class InstancePowerState(Enum):
    """Contract: the name of a power state, also given by its number."""

    def __init__(self) -> None:
        super().__init__(valid_values=POWER_STATE_NAMES)

    def coerce(self, obj: Any, attr: str, value: Any) -> Any:
        if value in POWER_STATE_NAMES:
            return super().coerce(obj, attr, value)
        try:
            return POWER_STATE_NAMES[int(value)]
        except (IndexError, TypeError, ValueError):
            raise ValueError(f"{attr} must be a power state, not {value!r}") from None


class _Matching(FieldType[str]):
    """A string of a fixed form."""

    pattern: ClassVar[re.Pattern[str]]

    def coerce(self, obj: Any, attr: str, value: Any) -> str:  # noqa: ARG002
        text = str(value)
        if not self.pattern.match(text):
            raise ValueError(f"{attr} must look like {self.pattern.pattern}, not {value!r}")
        return text


class IDEAddress(_Matching):
    pattern = re.compile(r"[0-1]:[0-1]")


class SCSIAddress(_Matching):
    pattern = re.compile(r"[a-f0-9]+:[a-f0-9]+:[a-f0-9]+:[a-f0-9]+")


class USBAddress(_Matching):
    pattern = re.compile(r"[a-f0-9]+:[a-f0-9]+")


class XenAddress(_Matching):
    pattern = re.compile(r"(00[0-9]{2}00)|[1-9][0-9]+")


class ResourceClass(String):
    """A resource class of Placement, kept in capitals."""

    _form = re.compile(r"[A-Z0-9_]+\Z")

    def coerce(self, obj: Any, attr: str, value: Any) -> str:
        name = super().coerce(obj, attr, value).upper()
        if not (isinstance(value, str) and self._form.match(name)):
            raise ValueError(f"{name!r} is not a resource class")
        return name


class NetworkModel(FieldType[NetworkInfo]):
    """A server's NICs. Contract: a JSON string on the wire and in the database."""

    def coerce(self, obj: Any, attr: str, value: Any) -> NetworkInfo:  # noqa: ARG002
        if isinstance(value, str):
            value = json.loads(value) if value else []
        if isinstance(value, list) and all(isinstance(vif, dict) for vif in value):
            return NetworkInfo(value)
        raise ValueError(f"{attr} must be a list of interfaces, not {type(value).__name__}")

    def to_primitive(self, obj: Any, attr: str, value: NetworkInfo) -> str:  # noqa: ARG002
        return value.to_json()

    def from_primitive(self, obj: Any, attr: str, value: Any) -> NetworkInfo:
        return self.coerce(obj, attr, value)

    def stringify(self, value: NetworkInfo) -> str:
        return f"NetworkInfo({[vif.get('id') for vif in value]})"


class NetworkVIFModel(FieldType[dict[str, Any]]):
    """One NIC, in the form of an element of `NetworkInfo`. Contract: a JSON string on the wire."""

    def coerce(self, obj: Any, attr: str, value: Any) -> dict[str, Any]:  # noqa: ARG002
        if isinstance(value, str):
            value = json.loads(value)
        if not isinstance(value, dict):
            raise ValueError(f"{attr} must be an interface, not {type(value).__name__}")  # noqa: TRY004
        return value

    def to_primitive(self, obj: Any, attr: str, value: dict[str, Any]) -> str:  # noqa: ARG002
        return json.dumps(value)

    def from_primitive(self, obj: Any, attr: str, value: Any) -> dict[str, Any]:
        return self.coerce(obj, attr, value)

    def stringify(self, value: dict[str, Any]) -> str:
        return f"VIF({value.get('id')})"


class InstancePowerStateField(BaseEnumField):
    AUTO_TYPE = InstancePowerState()


class IDEAddressField(AutoTypedField[str]):
    AUTO_TYPE = IDEAddress()


class SCSIAddressField(AutoTypedField[str]):
    AUTO_TYPE = SCSIAddress()


class USBAddressField(AutoTypedField[str]):
    AUTO_TYPE = USBAddress()


class XenAddressField(AutoTypedField[str]):
    AUTO_TYPE = XenAddress()


class ResourceClassField(AutoTypedField[str]):
    AUTO_TYPE = ResourceClass()


class NetworkModelField(AutoTypedField[NetworkInfo]):
    AUTO_TYPE = NetworkModel()


class NetworkVIFModelField(AutoTypedField[dict[str, Any]]):
    AUTO_TYPE = NetworkVIFModel()
