"""The broker as the configuration wants it, and short visits to it that never disturb a running node."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.reasoncodes import ReasonCode

from cosyedge import __version__
from cosyedge.announcements.result import Result
from cosyedge.announcements.say_object import LANGS
from cosyedge.config import node_name
from cosyedge.errors import MqttError
from cosyedge.mqtt.settings import MqttSettings, name_failure, name_reason, read_password, tls_context
from cosyedge.mqtt.topics import WARM, Topics
from cosyedge.options import Config
from cosyedge.stages import state_folder

#: What is retained has come when nothing more comes for so long.
_QUIET_S: Final = 0.5

if TYPE_CHECKING:
    from cosyedge.mqtt.bridge import Bridge
    from cosyedge.mqtt.homeassistant import Described
    from cosyedge.speech.voice import Bundle


def broker_settings(config: Config) -> MqttSettings:
    """Where the broker is and how to speak with it."""
    mqtt = config.mqtt
    return MqttSettings(
        host=mqtt.host,
        port=mqtt.port,
        protocol=mqtt.protocol,
        keepalive_s=mqtt.keepalive_s,
        session_expiry_s=mqtt.session_expiry_s,
        username=mqtt.username,
        password=mqtt.password_file or mqtt.password,
        tls=mqtt.tls,
        tls_ca=mqtt.tls_ca,
        tls_certificate=mqtt.tls_certificate,
        tls_key=mqtt.tls_key,
    )


def node_topics(config: Config) -> Topics:
    """The topics of this node.

    Raises:
        ConfigError: ``config_bad_value``, a name that is taken by cosyedge itself.
    """
    return Topics(node_name(config), config.mqtt.groups)


def make_bridges(config: Config, topics: Topics, bundle: Bundle) -> list[Bridge]:
    """The other protocols that are switched on; what they need is loaded for no others."""
    bridges: list[Bridge] = []
    if config.homeassistant.discovery:
        from cosyedge.mqtt.homeassistant import HomeAssistant

        bridges.append(
            HomeAssistant(
                topics,
                describe(config, bundle),
                prefix=config.homeassistant.prefix,
                status_topic=config.homeassistant.status_topic,
            )
        )
    if config.hermes.enabled:
        from cosyedge.mqtt.hermes import Hermes

        voices = {voice.id: voice.description for voice in bundle.voices}
        bridges.append(Hermes(config.hermes.site, voices))
    return bridges


def describe(config: Config, bundle: Bundle) -> Described:
    """What Home Assistant is told of this node."""
    from cosyedge.host.identity import node_id
    from cosyedge.mqtt.homeassistant import Described

    return Described(
        node_id=node_id(state_folder(config)),
        voices=[voice.id for voice in bundle.voices],
        langs=[lang for lang in LANGS if lang in bundle.languages],
        version=__version__,
        bundle=f"{bundle.name} {bundle.version}",
        last_text=config.homeassistant.last_text,
    )


def greet(config: Config, timeout_s: float) -> str:
    """Connect, be accepted, leave; where that was, in words.

    Raises:
        MqttError: ``mqtt_unreachable``, ``mqtt_refused``, ``mqtt_tls``.
    """
    visit = _Visit(broker_settings(config), timeout_s)
    visit.leave()
    return f"{config.mqtt.host}:{config.mqtt.port} accepts us"


def ask(config: Config, timeout_s: float) -> dict[str, Any]:
    """How a node is: its name, ``availability``, ``state``, ``health`` and ``history``.

    A running node is asked, and ``answered`` is true. Of any other it is what it said last; without history.

    Raises:
        MqttError: as :func:`greet`; ``mqtt_unreachable`` where no such node ever spoke with this broker.
    """
    topics = node_topics(config)
    visit = _Visit(broker_settings(config), timeout_s)
    kept = {topics.availability: "availability", topics.state: "state", topics.health: "health"}
    visit.subscribe([*kept, topics.status])
    visit.wait(lambda told: topics.availability in told, until_quiet=True)
    if visit.told.get(topics.availability) == b"online":
        visit.publish(f"{topics.base}/status/get", b"")
        visit.wait(lambda told: topics.status in told)
    visit.leave()
    if not visit.told:
        raise MqttError(
            "mqtt_unreachable",
            f"No node {topics.node!r} is known at {config.mqtt.host}:{config.mqtt.port}; "
            "mqtt.node asks for another.",
        )
    told = {name: _value(visit.told[topic]) for topic, name in kept.items() if topic in visit.told}
    answer = _value(visit.told.get(topics.status, b"null"))
    answered = isinstance(answer, dict)
    return {"node": topics.node, "answered": answered, **told, **(answer if answered else {})}


def forget(config: Config, timeout_s: float) -> tuple[str, ...]:
    """Take back what a node that has gone for good left at the broker; the topics that told of it.

    These are its retained messages, what Home Assistant was told of it, and its session, in which
    announcements would go on waiting.

    Raises:
        MqttError: as :func:`greet`; ``node_online`` for one that still runs; ``mqtt_unreachable`` where the
            broker did not confirm all of it.
    """
    topics = node_topics(config)
    visit = _Visit(broker_settings(config), timeout_s)
    told = visit.retained(list(topics.retained))
    if told.get(topics.availability) == b"online":
        visit.leave()
        raise MqttError("node_online", f"The node {topics.node!r} is online.")
    visit.clear(told)
    visit.leave()
    _Visit(
        broker_settings(config), timeout_s, client_id=topics.client_id
    ).leave()  # a clean session ends the old
    return (*told, *forget_discovery(config, timeout_s))


def forget_discovery(config: Config, timeout_s: float) -> list[str]:
    """Takes back what a node of this name has announced to Home Assistant; the topics where it stood.

    It is found by what it says and not by the node's id, so this works from any machine.

    Raises:
        MqttError: as :func:`greet`.
    """
    from cosyedge.mqtt.homeassistant import is_of

    topics = node_topics(config)
    visit = _Visit(broker_settings(config), timeout_s)
    visit.subscribe([f"{config.homeassistant.prefix}/device/+/config"])
    visit.wait(lambda told: False, until_quiet=True)
    found = sorted(topic for topic, payload in visit.told.items() if is_of(topics, payload))
    for topic in found:
        visit.publish(topic, b"", retain=True)
    visit.leave()
    return found


def warm_cache(config: Config, texts: Iterable[str], timeout_s: float) -> Iterator[Result]:
    """Have the running node make each text and keep it; how each ended, in their order.

    Raises:
        MqttError: as :func:`greet`; ``mqtt_unreachable`` where the node is not online, or says nothing for
            ``timeout_s``.
    """
    topics = node_topics(config)
    visit = _Visit(broker_settings(config), timeout_s)
    visit.check_online(topics)
    visit.subscribe([topics.result])
    for text in texts:
        yield visit.result_of(topics, text)
    visit.leave()


def clear_cache(config: Config, timeout_s: float) -> None:
    """Have the running node drop what it keeps.

    Raises:
        MqttError: as :func:`warm_cache`.
    """
    topics = node_topics(config)
    visit = _Visit(broker_settings(config), timeout_s)
    visit.check_online(topics)
    visit.publish(f"{topics.base}/cache/clear", b"")
    visit.leave()


def _value(payload: bytes) -> Any:
    text = payload.decode("utf-8", "replace")
    try:
        return json.loads(text)
    except ValueError:
        return text


class _Visit:
    """A connection with a client id of its own, a clean session and no will: it leaves no trace."""

    def __init__(self, settings: MqttSettings, timeout_s: float, client_id: str | None = None) -> None:
        self._settings = settings
        self._timeout_s = timeout_s
        self._deadline = time.monotonic() + timeout_s
        self._answer: ReasonCode | None = None
        self._subscribed = False
        self.told: dict[str, bytes] = {}
        self._results: dict[str, Result] = {}  # of announcements that have ended
        is_v5 = settings.protocol == "5"
        self._client = Client(
            CallbackAPIVersion.VERSION2,
            client_id=client_id or f"cosyedge-visit-{uuid.uuid4().hex[:8]}",
            clean_session=None if is_v5 else True,
            protocol=MQTTProtocolVersion.MQTTv5 if is_v5 else MQTTProtocolVersion.MQTTv311,
            reconnect_on_failure=False,
        )
        self._client.on_connect = self._connected
        self._client.on_message = self._received
        self._client.on_subscribe = self._took
        self._client.connect_timeout = timeout_s
        if settings.username is not None:
            self._client.username_pw_set(settings.username, read_password(settings.password))
        if settings.tls:
            self._client.tls_set_context(tls_context(settings))
        try:
            self._client.connect(settings.host, settings.port, settings.keepalive_s)
        except (OSError, ValueError) as error:
            raise name_failure(settings, error) from error
        while self._answer is None:
            broken = self._client.loop(0.1) != 0
            if self._answer is None and (broken or time.monotonic() > self._deadline):
                where = f"{settings.host}:{settings.port}"
                raise MqttError(
                    "mqtt_unreachable", f"The broker at {where} took the connection and does not answer."
                )
        if self._answer.is_failure:
            raise name_reason(settings, self._answer)

    def subscribe(self, topics: list[str]) -> None:
        """Waits until the broker has taken it: what is retained comes after that."""
        self._client.subscribe([(topic, 1) for topic in topics])
        self._turn_until(lambda: self._subscribed)

    def wait(self, enough: Callable[[Mapping[str, bytes]], bool], *, until_quiet: bool = False) -> None:
        """Until :attr:`told` is ``enough``, or time is over; ``until_quiet`` also while more comes."""
        heard, since = -1, time.monotonic()
        while time.monotonic() < self._deadline:
            if len(self.told) != heard:
                heard, since = len(self.told), time.monotonic()
            quiet = time.monotonic() - since > _QUIET_S
            if quiet if until_quiet else enough(self.told):
                return
            self._client.loop(0.05)

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        """Returns when the broker has it, or time is over."""
        info = self._client.publish(topic, payload, 1, retain)
        self._turn_until(info.is_published)

    def check_online(self, topics: Topics) -> None:
        """Raises ``mqtt_unreachable`` where the node is not: the broker would keep for it what it is sent."""
        self.subscribe([topics.availability])
        self.wait(lambda told: topics.availability in told)
        if self.told.get(topics.availability) != b"online":
            raise MqttError("mqtt_unreachable", f"The node {topics.node!r} is not online.")

    def result_of(self, topics: Topics, text: str) -> Result:
        """What becomes of a text that the node is to keep."""
        self._deadline = time.monotonic() + self._timeout_s
        id_ = f"warm-{uuid.uuid4().hex[:12]}"
        self.publish(
            f"{topics.base}/{WARM}", json.dumps({"id": id_, "text": text, "priority": "low"}).encode()
        )
        self._turn_until(lambda: id_ in self._results)
        if id_ not in self._results:
            sentence = f"The node {topics.node!r} said nothing for {self._timeout_s:g} s."
            raise MqttError("mqtt_unreachable", sentence)
        return self._results.pop(id_)

    def _turn_until(self, done: Callable[[], bool]) -> None:
        while not done() and time.monotonic() < self._deadline:
            self._client.loop(0.05)

    def retained(self, topics: list[str]) -> dict[str, bytes]:
        """What is retained on ``topics``, as far as it comes in time."""
        self._client.subscribe([(topic, 1) for topic in topics])
        while len(self.told) < len(topics) and time.monotonic() < self._deadline:
            self._client.loop(0.1)
        return dict(self.told)

    def clear(self, topics: Iterable[str]) -> None:
        """Let the broker keep nothing on ``topics`` any more."""
        self._deadline = time.monotonic() + self._timeout_s  # what was waited for before is another matter
        sent = [self._client.publish(topic, b"", qos=1, retain=True) for topic in topics]
        while not all(message.is_published() for message in sent):
            if self._client.loop(0.1) != 0 or time.monotonic() > self._deadline:
                raise MqttError("mqtt_unreachable", "The broker did not confirm that it forgets the node.")

    def leave(self) -> None:
        self._client.disconnect()
        self._client.loop(0.1)

    def _connected(
        self, client: Client, userdata: object, flags: object, reason: ReasonCode, properties: object
    ) -> None:
        self._answer = reason

    def _received(self, client: Client, userdata: object, message: MQTTMessage) -> None:
        self.told[message.topic] = bytes(message.payload)
        if message.topic.endswith("/result"):
            with suppress(ValueError):
                result = Result.from_json(bytes(message.payload))
                if result.is_final:
                    self._results[result.id] = result

    def _took(self, *_: object) -> None:
        self._subscribed = True
