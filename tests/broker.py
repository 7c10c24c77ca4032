"""A mosquitto of one's own: on a free port of the loopback interface, in a folder of its own.

``Broker(folder)`` starts one and waits until it listens; ``kill`` and ``restart`` keep the port, as a broker
in a house does. The fixture ``make_broker`` ends what a test has started.
"""

from __future__ import annotations

import getpass
import json
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import pytest
from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

START_S = 10.0


@dataclass(frozen=True)
class Certificates:
    """PEM files: an authority, and what it signed."""

    ca: Path
    server: Path
    server_key: Path
    client: Path
    client_key: Path


class Broker:
    """Args:
    folder: for its configuration, log and database.
    host: an address of the loopback interface.
    port: None takes a free one.
    persistence: whether sessions, queued and retained messages survive a restart.
    users: names and passwords; None lets everybody in.
    acl: lines of an access list, such as ``topic readwrite #``.
    certificates: turns TLS on.
    require_client_certificate: with TLS, whether a client must show one.
    log: what it logs; a broker that runs for days had better say less than ``all``.
    extra: further lines of the configuration.
    """

    def __init__(
        self,
        folder: Path,
        *,
        host: str = "127.0.0.1",
        port: int | None = None,
        persistence: bool = False,
        users: Mapping[str, str] | None = None,
        acl: str | None = None,
        certificates: Certificates | None = None,
        require_client_certificate: bool = False,
        log: str = "all",
        extra: str = "",
        start: bool = True,
    ) -> None:
        self.folder = folder
        self.host = host
        self.port = free_port() if port is None else port
        self.certificates = certificates
        self._process: subprocess.Popen[bytes] | None = None
        folder.mkdir(parents=True, exist_ok=True)
        lines = [
            f"listener {self.port} {self.host}",
            f"user {getpass.getuser()}",  # else a mosquitto of root becomes one that can't read the folder
            f"allow_anonymous {str(users is None).lower()}",
            f"persistence {str(persistence).lower()}",
            f"persistence_location {folder}/",
            "autosave_interval 1",
            "autosave_on_changes true",  # so that a killed broker has lost nothing
            f"log_dest file {self.log_path}",
            f"log_type {log}",
        ]
        if users is not None:
            self.set_passwords(users)
            lines.append(f"password_file {self._password_path}")
        if acl is not None:
            (folder / "acl").write_text(acl + "\n")
            lines.append(f"acl_file {folder / 'acl'}")
        if certificates is not None:
            lines += [
                f"cafile {certificates.ca}",
                f"certfile {certificates.server}",
                f"keyfile {certificates.server_key}",
                f"require_certificate {str(require_client_certificate).lower()}",
            ]
        (folder / "mosquitto.conf").write_text("\n".join([*lines, extra, ""]))
        if start:
            self.start()

    @property
    def log_path(self) -> Path:
        return self.folder / "mosquitto.log"

    @property
    def log(self) -> str:
        return self.log_path.read_text(errors="replace") if self.log_path.exists() else ""

    @property
    def _database_path(self) -> Path:
        return self.folder / "mosquitto.db"

    @property
    def _password_path(self) -> Path:
        return self.folder / "passwords"

    def set_passwords(self, users: Mapping[str, str]) -> None:
        """Takes effect at once in a running broker."""
        self._password_path.write_text("".join(f"{user}:{word}\n" for user, word in users.items()))
        subprocess.run(["mosquitto_passwd", "-U", self._password_path], check=True, capture_output=True)
        if self._process is not None:
            self._process.send_signal(signal.SIGHUP)

    def start(self) -> Self:
        """Returns when it listens; RuntimeError with its log if it does not come to that."""
        assert self._process is None, "this broker runs already"
        self._process = subprocess.Popen(
            ["mosquitto", "-c", str(self.folder / "mosquitto.conf")],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline and self._process.poll() is None:
            try:
                socket.create_connection((self.host, self.port), timeout=1).close()
            except OSError:
                time.sleep(0.01)
            else:
                return self
        self.kill()
        raise RuntimeError(f"mosquitto did not start:\n{self.log}")

    def stop(self) -> None:
        """As a system does it: it says good-bye to its clients."""
        self._end(signal.SIGTERM)

    def save(self) -> None:
        """Has all that it keeps brought to its database: it thanks for a message some time before."""
        database = self._database_path
        before = database.stat().st_mtime_ns if database.exists() else 0
        self._running.send_signal(signal.SIGUSR1)
        deadline = time.monotonic() + START_S
        while not database.exists() or database.stat().st_mtime_ns == before:
            assert time.monotonic() < deadline, "the broker saved nothing"
            time.sleep(0.005)

    def kill(self) -> None:
        """As a power cut does it."""
        self._end(signal.SIGKILL)

    def database(self) -> bytes:
        """What a power cut would leave of it now."""
        self.save()
        return self._database_path.read_bytes()

    def fall_back(self, database: bytes) -> None:
        """A power cut that took its last writes with it: it comes back with an older :meth:`database`."""
        self.kill()
        self._database_path.write_bytes(database)
        self.start()

    def restart(self) -> None:
        self.stop()
        self.start()

    def freeze(self) -> None:
        """Connections stay open and nothing answers any more, as when a cable is pulled."""
        self._running.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self._running.send_signal(signal.SIGCONT)

    @property
    def _running(self) -> subprocess.Popen[bytes]:
        assert self._process is not None, "this broker does not run"
        return self._process

    def _end(self, how: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.send_signal(how)
        process.send_signal(signal.SIGCONT)
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(5)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()


class Peer:
    """A second client, which hears everything below its filter and remembers it in order.

    It speaks MQTT 5. What it hears is what is published from now on, and first what is retained; with the
    name of a session also what came since that session was here last.
    """

    def __init__(
        self, broker: Broker, topic_filter: str = "#", *, session: str | None = None, **login: str
    ) -> None:
        self.messages: list[MQTTMessage] = []
        self._arrived = threading.Condition()
        self._seen: dict[str, int] = {}
        self._subscribed = threading.Event()
        self._client = Client(
            CallbackAPIVersion.VERSION2, client_id=session, protocol=MQTTProtocolVersion.MQTTv5
        )
        if login:
            self._client.username_pw_set(**login)
        if broker.certificates is not None:
            made = broker.certificates
            self._client.tls_set(str(made.ca), str(made.client), str(made.client_key))
        self._client.on_connect = lambda client, *_: client.subscribe(topic_filter, 1)
        self._client.on_subscribe = lambda *_: self._subscribed.set()
        self._client.on_message = self._remember
        kept = Properties(PacketTypes.CONNECT)
        kept.SessionExpiryInterval = 0 if session is None else 600
        self._client.connect(broker.host, broker.port, clean_start=session is None, properties=kept)
        self._client.loop_start()
        assert self._subscribed.wait(10), "the second client could not subscribe"

    def _remember(self, _client: Client, _userdata: object, message: MQTTMessage) -> None:
        with self._arrived:
            self.messages.append(message)
            self._arrived.notify_all()

    def publish(
        self, topic: str, payload: str | bytes = b"", *, qos: int = 1, retain: bool = False, **properties: Any
    ) -> None:
        """Returns once the broker has it. ``properties`` as MQTT 5 names them: ``ResponseTopic=…``."""
        made = Properties(PacketTypes.PUBLISH)
        for name, value in properties.items():
            setattr(made, name, value)
        self._client.publish(topic, payload, qos, retain, made).wait_for_publish(10)

    def wait(
        self, topic: str, matches: Callable[[MQTTMessage], bool] = lambda _: True, timeout_s: float = 10
    ) -> MQTTMessage:
        """The next message on ``topic`` that matches, after the one last returned for this topic."""
        deadline = time.monotonic() + timeout_s
        position = self._seen.get(topic, 0)
        with self._arrived:
            while True:
                while position < len(self.messages):
                    message = self.messages[position]
                    position += 1
                    if message.topic == topic and matches(message):
                        self._seen[topic] = position
                        return message
                left = deadline - time.monotonic()
                if left <= 0:
                    heard = [(message.topic, bytes(message.payload[:80])) for message in self.messages]
                    raise AssertionError(f"nothing on {topic} that matches; heard {heard}")
                self._arrived.wait(left)

    def wait_json(self, topic: str, timeout_s: float = 10, **expected: Any) -> dict[str, Any]:
        """The next JSON object on ``topic`` that has these values."""

        def matches(message: MQTTMessage) -> bool:
            value = json.loads(message.payload)
            return all(value.get(key) == wanted for key, wanted in expected.items())

        found: dict[str, Any] = json.loads(self.wait(topic, matches, timeout_s).payload)
        return found

    def close(self) -> None:
        self._client.disconnect()
        self._client.loop_stop()


@pytest.fixture
def make_peer() -> Iterator[Callable[..., Peer]]:
    """``make_peer(broker, **login)`` connects a second client; all are closed with the test."""
    peers: list[Peer] = []

    def make(broker: Broker, *arguments: Any, **login: str) -> Peer:
        peers.append(Peer(broker, *arguments, **login))
        return peers[-1]

    yield make
    for peer in peers:
        peer.close()


@pytest.fixture
def make_broker(tmp_path: Path) -> Iterator[Callable[..., Broker]]:
    """``make_broker(**options)`` starts a broker of this test's own; all are ended with it."""
    brokers: list[Broker] = []

    def make(**options: Any) -> Broker:
        brokers.append(Broker(tmp_path / f"broker{len(brokers)}", **options))
        return brokers[-1]

    yield make
    for broker in brokers:
        broker.kill()


@pytest.fixture
def broker(make_broker: Callable[..., Broker]) -> Broker:
    """A broker that lets everybody in and keeps nothing."""
    return make_broker()


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return make_certificates(tmp_path_factory.mktemp("certificates"))


def free_port() -> int:
    """One that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def make_certificates(folder: Path) -> Certificates:
    """An authority, a server's certificate for localhost and 127.0.0.1, and a client's."""
    made = Certificates(
        *(folder / name for name in ("ca.pem", "server.pem", "server.key", "client.pem", "client.key"))
    )
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    ca_key = folder / "ca.key"
    _openssl(
        ["req", "-x509", *key, "-keyout", ca_key, "-out", made.ca, "-days", "2", "-subj", "/CN=house CA"],
        ["-addext", "keyUsage=critical,keyCertSign,cRLSign"],
    )
    sign = ["-CA", made.ca, "-CAkey", ca_key, "-CAcreateserial", "-days", "2"]
    for name, certificate, its_key, extension in (
        ("broker", made.server, made.server_key, "subjectAltName=DNS:localhost,IP:127.0.0.1"),
        ("node", made.client, made.client_key, "extendedKeyUsage=clientAuth"),
    ):
        request, extensions = folder / f"{name}.csr", folder / f"{name}.ext"
        extensions.write_text(extension + "\n")
        _openssl(["req", *key, "-keyout", its_key, "-out", request, "-subj", f"/CN={name}"])
        _openssl(["x509", "-req", "-in", request, "-out", certificate, "-extfile", extensions], sign)
    return made


def _openssl(*arguments: list[Any]) -> None:
    command = ["openssl", *(str(argument) for part in arguments for argument in part)]
    subprocess.run(command, check=True, capture_output=True, timeout=30)
