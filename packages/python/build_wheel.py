"""Builds the wheel with Python's standard library alone: `python3 build_wheel.py FOLDER`, or by pip, as a PEP 517 backend."""

from __future__ import annotations

import ast
import base64
import hashlib
import re
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent
PACKAGE = "svc_voice"
# Equal sources make equal bytes.
TIME = (1980, 1, 1, 0, 0, 0)


def build_wheel(wheel_directory: str, config_settings: object = None, metadata_directory: object = None) -> str:
    """Writes the wheel into the folder and returns its file name."""
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    version = value_of(project, "version")
    info = f"{PACKAGE}-{version}.dist-info"
    files = {
        str(path.relative_to(ROOT / "src").as_posix()): path.read_bytes()
        for path in sorted((ROOT / "src" / PACKAGE).rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }
    for name, content in files.items():
        if name.endswith((".py", ".pyi")):
            ast.parse(content, name)  # a syntax error of the generated types shows here, not in a user's type checker
    files[f"{info}/METADATA"] = metadata(project, version).encode()
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: build_wheel\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files[f"{info}/licenses/LICENSE"] = (ROOT / "../../LICENSE").read_bytes()
    record = [f"{name},sha256={digest(content)},{len(content)}" for name, content in files.items()]
    files[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()

    wheel = f"{PACKAGE}-{version}-py3-none-any.whl"
    Path(wheel_directory).mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, TIME)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return wheel


def metadata(project: str, version: str) -> str:
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {value_of(project, 'name')}",
        f"Version: {version}",
        f"Summary: {value_of(project, 'description')}",
        f"Requires-Python: {value_of(project, 'requires-python')}",
        f"License-Expression: {value_of(project, 'license')}",
        "License-File: LICENSE",
        f"Keywords: {','.join(values_of(project, 'keywords'))}",
        "Provides-Extra: livekit",
        *(f'Requires-Dist: {name}; extra == "livekit"' for name in values_of(project, "livekit")),
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join([*lines, "", (ROOT / "README.md").read_text("utf-8")])


def value_of(project: str, key: str) -> str:
    """Returns a text of pyproject.toml; Python before 3.11 has no reader of TOML."""
    found = re.search(rf'^{key} = "(.*)"$', project, re.MULTILINE)
    if found is None:
        raise ValueError(f"pyproject.toml has no {key}")
    return found[1]


def values_of(project: str, key: str) -> list[str]:
    found = re.search(rf"^{key} = \[(.*)\]$", project, re.MULTILINE)
    return re.findall(r'"([^"]+)"', found[1] if found else "")


def digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    print(build_wheel(sys.argv[1]))
