"""cosyedge: MQTT messages become spoken announcements, on one thread, in little memory."""

__version__ = "0.1.0"
