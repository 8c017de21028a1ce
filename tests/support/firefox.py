"""Firefox for tests, driven by its own protocol: playwright drives only a Firefox that it has changed."""

from __future__ import annotations

import base64
import json
import shutil
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

_PREFERENCES = {
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
}


def find_firefox() -> str | None:
    """The program, None without one."""
    return shutil.which("firefox-esr") or shutil.which("firefox")


class Firefox:
    """A window of Firefox that is not shown; `close` ends it."""

    def __init__(self, program: str, folder: Path, *, width: int = 1280, height: int = 800) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        lines = {**_PREFERENCES, "marionette.port": port}.items()
        (folder / "user.js").write_text(
            "".join(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in lines)
        )
        size = [f"--width={width}", f"--height={height}"]
        self._process = subprocess.Popen(
            [program, "--headless", "--marionette", "--no-remote", "--profile", str(folder), *size],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._number = 0
        self._channels: list[Any] = []
        try:
            self._socket = self._connect(port)
            self._file = self._socket.makefile("rb")
            self._channels += [self._file, self._socket]
            self._read()
            self._call("WebDriver:NewSession", capabilities={})
        except BaseException:
            self.close()
            raise

    def _connect(self, port: int) -> socket.socket:
        for _ in range(300):
            try:
                return socket.create_connection(("127.0.0.1", port), timeout=60)
            except OSError:
                assert self._process.poll() is None, "Firefox has ended"
                time.sleep(0.1)
        raise TimeoutError("Firefox does not answer")

    def _read(self) -> Any:
        digits = b""
        while (sign := self._file.read(1)) != b":":
            assert sign, "Firefox has ended"
            digits += sign
        return json.loads(self._file.read(int(digits)))

    def _call(self, command: str, **parameters: Any) -> Any:
        self._number += 1
        message = json.dumps([0, self._number, command, parameters]).encode()
        self._socket.sendall(str(len(message)).encode() + b":" + message)
        _, _, error, result = self._read()
        assert error is None, error
        return result

    def open(self, address: str) -> None:
        """Open a page, and wait until its view is drawn."""
        self._call("WebDriver:Navigate", url="about:blank")
        self._call("WebDriver:Navigate", url=address)
        for _ in range(300):
            if self.run("return document.documentElement.dataset.state") == "ready":
                return
            time.sleep(0.1)
        raise TimeoutError(address)

    def run(self, script: str) -> Any:
        """Result of a script, whose last statement returns it."""
        return self._call("WebDriver:ExecuteScript", script=script, args=[])["value"]

    def picture(self) -> bytes:
        """The window as PNG."""
        return base64.b64decode(self._call("WebDriver:TakeScreenshot", full=False)["value"])

    def close(self) -> None:
        """End the process."""
        for channel in self._channels:
            channel.close()
        self._process.terminate()
        self._process.wait(20)
