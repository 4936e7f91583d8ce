"""Keypairs: public keys of users, imported or made here.

A private key made here is answered once and kept nowhere. Contract: the keypair operations; since
microversion 2.92 clients make their own.
"""

import base64
import binascii
import datetime as dt
import hashlib
from dataclasses import dataclass
from typing import Any, Final

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from openkeel import objects
from openkeel.common.clock import Clock
from openkeel.common.context import Context
from openkeel.db.cells import CellDirectory
from openkeel.domain.errors import Invalid, KeypairNotFound
from openkeel.notifications.notifier import Notifications
from openkeel.services.quota import QuotaService

SSH: Final = "ssh"
X509: Final = "x509"

_BITS: Final = 2048
_PUBLIC_EXPONENT: Final = 65537
_CERTIFICATE_DAYS: Final = 3650
_COMMENT: Final = "Generated-by-OpenKeel"


@dataclass(frozen=True, slots=True)
class Material:
    """What a keypair is made of; the private part only where it was made here."""

    public_key: str
    fingerprint: str
    private_key: str | None = None


@dataclass(frozen=True, slots=True)
class Created:
    """A new keypair and the private key to be answered, if any."""

    keypair: Any
    private_key: str | None


class KeyPairService:
    """The use cases of keypairs."""

    def __init__(
        self,
        cells: CellDirectory,
        quota: QuotaService,
        clock: Clock,
        notifications: Notifications | None = None,
    ) -> None:
        self._cells = cells
        self._quota = quota
        self._clock = clock
        self._notifications = notifications or Notifications()

    def page(self, user_id: str, limit: int | None, marker: str | None) -> list[Any]:
        """Keypairs of a user by name. Raises: Invalid for an unknown marker."""
        try:
            return list(self._cells.api.keypairs.list(user_id, limit=limit, marker=marker))
        except KeypairNotFound as error:
            raise Invalid(f"Marker {marker} could not be found.") from error

    def get(self, user_id: str, name: str) -> Any:
        """Raises: KeypairNotFound."""
        return self._cells.api.keypairs.get(user_id, name)

    def create(self, ctx: Context, user_id: str, name: str, kind: str, public_key: str | None) -> Created:
        """Import a public key, or make a pair where none is given.

        Raises: OverQuota; Invalid for a key that is none; KeyPairExists.
        """
        within_limit = self._quota.keypairs_bound(ctx)
        within_limit(self._cells.api.keypairs.count(user_id))
        told = self._notifications.keypairs
        keypair = objects.KeyPair(user_id=user_id, name=name, type=kind, public_key=public_key)
        if public_key is not None:
            told.importing(ctx, keypair)
            made = imported(kind, public_key)
        else:
            told.creating(ctx, keypair)
            made = generate_x509(user_id, self._clock.now()) if kind == X509 else generate_ssh()
        keypair.public_key, keypair.fingerprint = made.public_key, made.fingerprint
        self._cells.api.keypairs.create_within(keypair, within_limit)
        (told.created if public_key is None else told.imported)(ctx, keypair)
        return Created(keypair, made.private_key)

    def delete(self, user_id: str, name: str) -> None:
        """Servers keep the key. Raises: KeypairNotFound."""
        if not self._notifications.emitter.is_on:
            self._cells.api.keypairs.delete(user_id, name)
            return
        keypair = self._cells.api.keypairs.get(user_id, name)
        self._notifications.keypairs.deleting(None, keypair)
        self._cells.api.keypairs.delete(user_id, name)
        self._notifications.keypairs.deleted(None, keypair)


def imported(kind: str, public_key: str) -> Material:
    """The material of a given key. Raises: Invalid."""
    return Material(public_key, x509_fingerprint(public_key) if kind == X509 else ssh_fingerprint(public_key))


def ssh_fingerprint(public_key: str) -> str:
    """MD5 of an OpenSSH public key as pairs of digits. Raises: Invalid."""
    try:
        serialization.load_ssh_public_key(public_key.encode())
        blob = base64.b64decode(public_key.split(maxsplit=2)[1])
    except (ValueError, IndexError, binascii.Error, UnsupportedAlgorithm) as error:
        raise Invalid("The public key is no OpenSSH key that can be read.") from error
    return _pairs(hashlib.md5(blob, usedforsecurity=False).hexdigest())


def x509_fingerprint(certificate: str) -> str:
    """SHA-1 of a PEM certificate as pairs of digits. Raises: Invalid."""
    try:
        loaded = x509.load_pem_x509_certificate(certificate.encode())
    except ValueError as error:
        raise Invalid("The public key is no PEM certificate that can be read.") from error
    # Compat: this is how users compare certificates with what their tools show.
    return _pairs(loaded.fingerprint(hashes.SHA1()).hex())  # noqa: S303 - an identity, not a secret


def _pairs(digits: str) -> str:
    return ":".join(digits[at : at + 2] for at in range(0, len(digits), 2))


def generate_ssh() -> Material:
    """A new RSA pair for OpenSSH."""
    key = rsa.generate_private_key(_PUBLIC_EXPONENT, _BITS)
    encoded = key.public_key().public_bytes(
        serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH
    )
    public_key = f"{encoded.decode()} {_COMMENT}"
    return Material(public_key, ssh_fingerprint(public_key), _private_pem(key))


def generate_x509(user_id: str, now: dt.datetime) -> Material:
    """A new RSA key with a self-signed certificate for WinRM: the user's id is its principal."""
    key = rsa.generate_private_key(_PUBLIC_EXPONENT, _BITS)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, user_id[:64])])
    principal = x509.OtherName(
        x509.ObjectIdentifier("1.3.6.1.4.1.311.20.2.3"), _utf8_string(f"{user_id}@localhost")
    )
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=_CERTIFICATE_DAYS))
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH]), critical=False)
        .add_extension(x509.SubjectAlternativeName([principal]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = certificate.public_bytes(serialization.Encoding.PEM).decode()
    return Material(pem, x509_fingerprint(pem), _private_pem(key))


def _utf8_string(text: str) -> bytes:
    """A DER UTF8String of up to 64 KiB."""
    raw = text.encode()
    length = bytes([len(raw)]) if len(raw) < 0x80 else b"\x82" + len(raw).to_bytes(2, "big")  # noqa: PLR2004
    return b"\x0c" + length + raw


def _private_pem(key: rsa.RSAPrivateKey) -> str:
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    ).decode()
