"""Rhasspy's own client of its protocol Hermes, told by lines what to do.

Runs in the Python that rhasspy-hermes is installed in::

    python rhasspy.py BROKER_PORT SITE

Each line of standard input is a JSON object, and each gets one line of standard output:

    {"do": "send", "type": "TtsSay", "values": {…}}             publishes a message of that class
    {"do": "play", "file": "…", "id": "…", "volume": null}      AudioPlayBytes with a WAV file
    {"do": "wait", "type": "TtsSayFinished", "values": {…}}     the next such message with these values
    {"do": "heard"}                                             classes of all that came, in order
"""

import asyncio
import io
import json
import sys

import paho.mqtt.client as mqtt
import wavchunk
from rhasspyhermes import audioserver, tts
from rhasspyhermes.client import HermesClient

PATIENCE_S = 60.0
CLASSES = {
    name: getattr(module, name) for module in (tts, audioserver) for name in dir(module) if name[0].isupper()
}
WANTED = ("TtsSayFinished", "TtsError", "Voices", "AudioPlayFinished", "AudioPlayError")


class Client(HermesClient):
    def __init__(self, paho, site):
        super().__init__("test", paho, site_ids=[site], loop=asyncio.get_running_loop())
        self.heard = []
        self.subscribe(*(CLASSES[name] for name in WANTED))

    async def on_message(self, message, site_id=None, session_id=None, topic=None):
        self.heard.append((type(message).__name__, json.loads(message.payload()), topic))
        yield None


async def obey(client, order, seen):
    if order["do"] == "send":
        message = CLASSES[order["type"]](**order["values"])
        client.publish(message)
        return True
    if order["do"] == "play":
        with open(order["file"], "rb") as file:
            data = file.read()
        if order.get("volume") is not None:
            info = json.dumps({"volume": order["volume"]}).encode()
            data = wavchunk.add_chunk(io.BytesIO(data), info)
        client.publish(audioserver.AudioPlayBytes(data), site_id=client.site_id, request_id=order["id"])
        return True
    if order["do"] == "heard":
        return [name for name, _, _ in client.heard]
    deadline = asyncio.get_running_loop().time() + PATIENCE_S
    while asyncio.get_running_loop().time() < deadline:
        for index, (name, values, topic) in enumerate(client.heard):
            fits = all(values.get(key) == value for key, value in order.get("values", {}).items())
            if index not in seen and name == order["type"] and fits:
                seen.add(index)
                return {**values, "topic": topic}
        await asyncio.sleep(0.02)
    return {"nothing among": [f"{name} {values}" for name, values, _ in client.heard]}


async def main(port, site):
    paho = mqtt.Client()
    client = Client(paho, site)
    paho.connect("127.0.0.1", int(port))
    paho.loop_start()
    loop = asyncio.get_running_loop()
    reader = asyncio.ensure_future(client.handle_messages_async(loop))
    await asyncio.wait_for(client.mqtt_connected_event.wait(), PATIENCE_S)
    # What the broker has taken of a subscription is known once a message of our own came back.
    while not client.heard:
        client.publish(tts.TtsSayFinished(site_id=site, id="ready"))
        await asyncio.sleep(0.05)
    seen = {index for index, _ in enumerate(client.heard)}
    print(json.dumps("ready"), flush=True)
    while True:
        line = await loop.run_in_executor(None, sys.stdin.readline)
        if not line:
            break
        print(json.dumps(await obey(client, json.loads(line), seen)), flush=True)
    reader.cancel()
    paho.loop_stop()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
