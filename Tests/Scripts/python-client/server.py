"""A server that a test starts, kills and restarts."""
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from typing import Any

from marquee_client import TLS

DIRECTORY = pathlib.Path(os.environ["MARQUEE_TEST_DIRECTORY"])
TLS_DIRECTORY = DIRECTORY / "tls"


class Server:
    """A server with a Unix socket and a TCP port. `kind` is "unix", "tcp" or "tls": how clients connect to it."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.directory = pathlib.Path(tempfile.mkdtemp(dir=DIRECTORY))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.owner = f"unix:{self.directory}/socket"
        self.target = self.owner if kind == "unix" else f"127.0.0.1:{self.port}"
        policy = self.directory / "open.yaml"
        policy.write_text("rules: [{loopback: true, role: operator}]\n")
        access = TLS_DIRECTORY / "access.yaml" if kind == "tls" else policy
        self._command = [
            "marqueed", "--data-dir", f"{self.directory}/data", "--listen", self.owner,
            "--listen", f"tcp:127.0.0.1:{self.port}", "--access-policy", str(access)]
        if kind == "tls":
            self._command += [
                "--tls-certificate-chain", f"{TLS_DIRECTORY}/server.pem",
                "--tls-private-key", f"{TLS_DIRECTORY}/server.key"]
        self._process: subprocess.Popen[bytes] | None = None

    def options(self, role: str) -> dict[str, Any]:
        """Returns the arguments with which a role connects."""
        if self.kind != "tls":
            return {}
        tls = TLS(roots=TLS_DIRECTORY / "authority.pem", server_name="localhost")
        return {"tls": tls, "token": (TLS_DIRECTORY / f"{role}.token").read_text}

    def start(self, **limits: int) -> None:
        """Starts the server, with limits such as `app_write_size_burst`."""
        environment = {f"MARQUEED_LIMITS_{name.upper()}": str(value) for name, value in limits.items()}
        log = self.directory / "log"
        before = log.read_text().count("] listening") if log.exists() else 0
        with log.open("ab") as file:
            self._process = subprocess.Popen(self._command, stderr=file, env={**os.environ, **environment})
        end = time.monotonic() + 20
        while log.read_text().count("] listening") == before:
            if time.monotonic() > end or self._process.poll() is not None:
                raise RuntimeError(f"the server does not listen: {log.read_text()}")
            time.sleep(0.02)

    def kill(self, number: int = signal.SIGKILL) -> None:
        if self._process is not None:
            self._process.send_signal(number)
            self._process.wait()
            self._process = None

    def keep_data(self) -> None:
        """Copies the data of the killed server, to which `restore_data` returns."""
        shutil.copytree(self.directory / "data", self.directory / "kept")

    def restore_data(self) -> None:
        shutil.rmtree(self.directory / "data")
        shutil.copytree(self.directory / "kept", self.directory / "data")

    def command(self, *arguments: str) -> str:
        """Runs a command of the owner."""
        environment = {**os.environ, "MARQUEE_SERVER": self.owner}
        result = subprocess.run(["marquee", *arguments], env=environment, capture_output=True, text=True, timeout=30)
        if result.returncode:
            raise RuntimeError(f"{arguments}: {result.stderr}")
        return result.stdout
