"""Certificates made for a test: an authority, one between, and a server's."""

import datetime
import ipaddress
import ssl
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID

KINDS = {
    "ec": lambda: ec.generate_private_key(ec.SECP256R1()),
    "rsa": lambda: rsa.generate_private_key(65_537, 2_048),
}


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


class Authority:
    """Issues certificates for 127.0.0.1; clients trust its root, servers send what is between."""

    def __init__(self, directory: Path):
        self.directory = directory
        self.root_key, self.key = KINDS["ec"](), KINDS["ec"]()
        self.root = self._sign("root", self.root_key, "root", self.root_key, authority=True)
        self.between = self._sign("between", self.key, "root", self.root_key, authority=True)
        self.path = directory / "authority.pem"
        self.path.write_bytes(_pem(self.root))

    @property
    def trust(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=self.path)

    def issue(self, kind: str = "ec", password: bytes | None = None, days: int = 2) -> tuple[bytes, bytes, int]:
        """A chain, its key, and the serial number of its first certificate."""
        key = KINDS[kind]()
        certificate = self._sign("server", key, "between", self.key, days=days)
        encryption = (
            serialization.BestAvailableEncryption(password) if password else serialization.NoEncryption()
        )
        text = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, encryption
        )
        return _pem(certificate) + _pem(self.between), text, certificate.serial_number

    def flags(self, **options) -> dict[str, object]:
        """The settings of a server with a certificate that was just issued."""
        certificate, key, _ = self.issue(**options)
        self.files = self.directory / "certificate.pem", self.directory / "key.pem"
        self.put(certificate, key)
        return {"http.tlsCertificate": self.files[0], "http.tlsPrivateKey": self.files[1]}

    def put(self, certificate: bytes, key: bytes) -> None:
        for path, content in zip(self.files, (certificate, key), strict=True):
            path.write_bytes(content)

    def _sign(self, name, key, issuer, issuer_key, *, authority=False, days=2) -> x509.Certificate:
        now = datetime.datetime.now(datetime.UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(_name(name))
            .issuer_name(_name(issuer))
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=3))
            .not_valid_after(now + datetime.timedelta(days=days))
            .add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
        )
        if authority:
            usage = dict.fromkeys(
                ("digital_signature", "content_commitment", "key_encipherment", "data_encipherment",
                 "key_agreement", "crl_sign", "encipher_only", "decipher_only"), False)
            builder = builder.add_extension(x509.KeyUsage(key_cert_sign=True, **usage), critical=True)
        else:
            address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
            builder = builder.add_extension(x509.SubjectAlternativeName([address]), critical=False)
        builder = builder.add_extension(
            x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        builder = builder.add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key()), critical=False)
        return builder.sign(issuer_key, hashes.SHA256())
