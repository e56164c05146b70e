"""Serve the page to this machine, and to nobody else."""

import contextlib
import importlib.util
import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path

from calibration.app.background import is_at_work
from calibration.app.desk import Desk
from calibration.errors import InputError

HOST = "127.0.0.1"
"""What other machines cannot reach."""

PORT = 8642
"""Where the page is, if that is free."""

ASLEEP = 3600.0
"""So long a browser may be away, as that of a laptop that sleeps, and find its page again [s]."""

_SENT_NOWHERE = {f"OTEL_{signal}_EXPORTER": "none" for signal in ("TRACES", "METRICS", "LOGS")}
"""Settings with which the web server of the page reports to no collector, whatever is set for other
programs.
"""


def check_installed() -> None:
    """Raise where the library of the page is missing.

    Raises:
        InputError: with the command that installs it.
    """
    if importlib.util.find_spec("nicegui") is None:
        raise InputError(
            "the page needs NiceGUI, which is not installed",
            remedy="Install it with: pip install 'jaxcontact[app]'",
        )


def port_for(wanted: int | None) -> int:
    """The port that was asked for, else the usual one or, where that is in use, a free one.

    Raises:
        InputError: what was asked for is in use.
    """
    for port in (PORT, 0) if wanted is None else (wanted,):
        with socket.socket() as attempt, contextlib.suppress(OSError):
            attempt.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            attempt.bind((HOST, port))
            return attempt.getsockname()[1]
    raise InputError(
        f"port {wanted} is in use or reserved",
        remedy="Name another one, jaxcontact app --port 8000, or leave it out.",
    )


def desks(study_file: str | None, studies: Path) -> Callable[[str], Desk]:
    """What makes the study that a tab of the browser begins with.

    Args:
        study_file: an existing study, if it was named.
        studies: folder of new studies, from which one is opened by its name.

    Raises:
        InputError: as ``read_study``.
    """
    if study_file is None:
        return lambda name: Desk.again(studies, name)
    path = Path(study_file)
    Desk.of(path)
    return lambda name: Desk.of(path)


def serve(open_desk: Callable[[str], Desk], *, port: int, browser: bool) -> None:
    """Serve the page until Ctrl-C.

    Args:
        open_desk: makes the study that a tab of the browser begins with, from the name in its
            address.
        port: on this machine.
        browser: whether it is opened there.
    """
    os.environ.update(_SENT_NOWHERE)
    from nicegui import app, ui
    from starlette.middleware.trustedhost import TrustedHostMiddleware

    from calibration.app.own_pages import OwnPages
    from calibration.app.page import Page

    # So that no page of the web can ask for this one under a name of its own.
    app.add_middleware(OwnPages)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=[HOST, "localhost"])

    @ui.page("/")
    def page(study: str = "") -> None:
        Page(lambda: open_desk(study))

    with contextlib.suppress(KeyboardInterrupt):
        ui.run(
            host=HOST,
            port=port,
            title="jaxcontact",
            dark=None,  # as the browser is set
            reload=False,
            show=browser,
            show_welcome_message=False,
            reconnect_timeout=ASLEEP,
        )
    if is_at_work():  # Python would end that thread in the middle of compiled code, which aborts
        print("What was under way is ended; a fit goes on where it was when it is asked for again.")
        sys.stdout.flush()
        os._exit(0)
