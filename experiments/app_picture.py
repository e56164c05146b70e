"""The picture of the local page in the documentation: a study of two drops, as a browser shows it.

    python -m experiments.app_picture

Needs the extra ``app`` and Chromium.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from calibration.app.serve import HOST, port_for
from calibration.studies.steps.begun import begin_study
from calibration.studies.study import Ball, Study

DROPS = Path(__file__).parent / "data" / "known_truth"
WIDTH, HEIGHT = 1000, 1600
"""Of the picture [pixels]."""

UNTIL = 15
"""The recordings on the page are checked then [s]."""


def main() -> None:
    """Start the page, and take the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("docs/images/app.png"))
    out = parser.parse_args().out.absolute()
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
    if browser is None:
        sys.exit("no Chromium: apt install chromium")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "study-1"
        (folder / "recordings").mkdir(parents=True)
        for name in ("drop_00.csv", "drop_01.csv"):
            shutil.copy(DROPS / name, folder / "recordings")
        begin_study(
            Study(
                files=(f"{folder}/recordings/*.csv",),
                ball=Ball(radius=0.02, mass=0.0027, shell=True),
            ),
            folder / "study.toml",
        )
        port = port_for(None)
        command = [*("-m", "calibration.cli", "app", "--no-browser"), f"--port={port}", "--out=."]
        served = subprocess.Popen([sys.executable, *command], cwd=place)
        try:
            wait_for(f"http://{HOST}:{port}/")
            photograph(browser, f"http://{HOST}:{port}/?study=study-1", out)
        finally:
            served.terminate()
            served.wait()


def photograph(browser: str, address: str, out: Path) -> None:
    """Photograph a page some time after it was loaded: it is framed by one that loads so long."""

    class Frame(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/late":
                time.sleep(UNTIL)
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(
                f'<body style="margin: 0"><iframe src="{address}" style="border: 0; width: 100%; '
                'height: 100vh"></iframe><img src="/late" hidden>'.encode()
            )

        def log_message(self, format: str, *args: object) -> None:
            pass

    flags = ["--headless=new", "--no-sandbox", "--hide-scrollbars", f"--screenshot={out}"]
    with ThreadingHTTPServer((HOST, 0), Frame) as frame:
        threading.Thread(target=frame.serve_forever, daemon=True).start()
        framed = f"http://{HOST}:{frame.server_port}/"
        command = [browser, *flags, f"--window-size={WIDTH},{HEIGHT}", framed]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
        frame.shutdown()


def wait_for(address: str) -> None:
    """Until something is served there."""
    for _ in range(300):
        try:
            urllib.request.urlopen(address).close()
            return
        except OSError:
            time.sleep(0.2)
    sys.exit(f"nothing is served at {address}")


if __name__ == "__main__":
    main()
