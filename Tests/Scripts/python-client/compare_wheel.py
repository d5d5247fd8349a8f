"""Compares the wheel in a directory, which was made from the source distribution, with the installed package."""
import importlib.metadata
import pathlib
import sys
import zipfile

(wheel,) = pathlib.Path(sys.argv[1]).glob("*.whl")
contents = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("marquee_client/")}
files = importlib.metadata.files("marquee_client") or []
installed = {file.as_posix() for file in files if file.parts[0] == "marquee_client" and file.suffix != ".pyc"}
required = {"marquee_client/py.typed"} | {
    f"marquee_client/v1/{name}_pb2{suffix}"
    for name in ("admin", "display", "provider", "query", "widget")
    for suffix in (".py", ".pyi", "_grpc.py", "_grpc.pyi")
}
if contents != installed or not required <= contents:
    sys.exit(f"the wheels differ: {contents ^ installed}, or files are missing: {required - contents}")
