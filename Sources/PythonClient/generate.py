"""Generates the messages and stubs of marquee.v1, with their types, while a wheel is built."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class GeneratedStubs(BuildHookInterface[Any]):
    """Adds the package `marquee_client.v1` to the wheel."""

    _directory: str | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel":
            return
        # A source distribution contains the definitions; the repository has them at its top level.
        root = pathlib.Path(self.root)
        protos = next(
            path for path in (root / "Protos", root.parents[1] / "Protos") if (path / "marquee/v1").is_dir()
        )
        self._directory = tempfile.mkdtemp(prefix="marquee-client-")
        outputs = [f"--{kind}_out={self._directory}" for kind in ("python", "grpc_python", "mypy", "mypy_grpc")]
        files = sorted(str(path) for path in (protos / "marquee/v1").glob("*.proto"))
        # The plugins of protoc are beside the interpreter, also if the environment is not activated.
        path = os.pathsep.join([str(pathlib.Path(sys.executable).parent), os.environ.get("PATH", "")])
        command = [sys.executable, "-m", "grpc_tools.protoc", f"-I{protos}", *outputs, *files]
        subprocess.run(command, check=True, env={**os.environ, "PATH": path})
        package = pathlib.Path(self._directory, "marquee/v1")
        (package / "__init__.py").write_text('"""The messages and stubs of the services, generated from Protos."""\n')
        for path in package.iterdir():
            text = path.read_text().replace("from marquee.v1 import", "from marquee_client.v1 import")
            path.write_text(re.sub(r"'marquee\.v1\.(\w+_pb2)'", r"'marquee_client.v1.\1'", text))
        build_data["force_include"][str(package)] = "marquee_client/v1"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if self._directory is not None:
            shutil.rmtree(self._directory)
