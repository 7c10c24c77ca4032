"""The process of the daemon: its signals, its service manager, its beginning and its end."""

from __future__ import annotations

import logging
import queue
import signal
import threading
from collections.abc import Callable
from contextlib import ExitStack
from typing import Final

from cosyedge.daemon import Event, Node
from cosyedge.errors import CosyError
from cosyedge.host.limits import set_memory_limit
from cosyedge.host.notify import Notifier
from cosyedge.host.threads import name_threads, print_stacks_on
from cosyedge.options import Config

log = logging.getLogger(__name__)

_SIGNALS: Final[dict[int, Event]] = {
    signal.SIGTERM: "stop",
    signal.SIGINT: "stop",
    signal.SIGHUP: "reload",
    signal.SIGABRT: "given_up",  # systemd's watchdog; abort() of a library ends the process all the same
}


def run(config: Config, read_again: Callable[[], Config] | None = None) -> int:
    """Run the daemon until SIGTERM or SIGINT; the exit code.

    Args:
        read_again: reads the configuration anew at SIGHUP, and may raise a ConfigError.

    Raises:
        CosyError: the bundle, the configuration or the machine makes a start impossible. An absent broker
            or sound card does not: they make the daemon ``degraded`` until they are there.
    """
    set_memory_limit(config.memory.limit_mb)
    # Signal handlers may only do what can't block: a SimpleQueue takes an event even while it is being read.
    events: queue.SimpleQueue[Event] = queue.SimpleQueue()
    print_stacks_on(signal.SIGUSR1)
    for number in _SIGNALS:
        signal.signal(number, lambda number, _frame: events.put(_SIGNALS[number]))
    with ExitStack() as stack:
        notifier = Notifier()
        stack.callback(notifier.close)
        notifier.extend_timeout(60)
        notifier.status("loading the voice")
        try:
            node = Node(config, events, read_again)
            stack.callback(node.stop, notifier)
            node.start()
        except CosyError as error:
            notifier.status(f"failed: {error}")
            raise
        name_threads()
        notifier.ready(node.report.sentence())
        node.serve(notifier)
    survivors = [thread.name for thread in threading.enumerate() if thread is not threading.main_thread()]
    if survivors:
        log.warning("still running at the end, probably a defect: %s", ", ".join(survivors))
    return 0
