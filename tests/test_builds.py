"""What docs/builds.md offers to builds works: the snippets are used as a user would, where their tools are installed."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.npm import npm

ROOT = Path(__file__).resolve().parent.parent
PROJECT = ROOT / "docs" / "examples" / "project"
SAFE, RACE = "int x; int main(void) { x = 1; return x; }\n", '#include "circ.h"\nint x;\ncirc_thread void w(void) { x = 1; }\n'


def environment(folder: Path) -> dict[str, str]:
    """With `circ` on the path, whatever is installed."""
    programs = folder / "bin"
    programs.mkdir(exist_ok=True)
    (programs / "circ").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m circ "$@"\n')
    (programs / "circ").chmod(0o755)
    return {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}


def run(words: list[str], folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, cwd=folder, env={**environment(folder), **more}, capture_output=True, text=True)


def source(folder: Path, mended: bool) -> None:
    for file in (*PROJECT.glob("*.c"), *PROJECT.glob("*.h")):
        text = file.read_text()
        if mended:
            text = text.replace("    pthread_mutex_unlock(&guard);\n", "").replace("        largest = value;\n", "        largest = value;\n    pthread_mutex_unlock(&guard);\n")
        (folder / file.name).write_text(text)


# ------------------------------------------------------------------------------------------------ build systems
@pytest.mark.skipif(shutil.which("cmake") is None, reason="cmake is not installed")
def test_the_cmake_module_fails_a_build_with_a_race_and_no_other(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "builds.md").read_text()
    (tmp_path / "CMakeLists.txt").write_text(page.partition("```cmake\n")[2].partition("```")[0])
    shutil.copy(ROOT / "docs" / "builds" / "Circ.cmake", tmp_path)
    for mended in (False, True):
        source(tmp_path, mended)
        done = run(["cmake", "-S", ".", "-B", "build"], tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
        done = run(["cmake", "--build", "build", "--target", "circ-counter"], tmp_path)
        assert (done.returncode == 0, "warning: race on 'largest'" in done.stdout) == (mended, not mended), done.stdout + done.stderr
    assert "100% tests passed" in run(["ctest", "--test-dir", "build", "-R", "circ-counter"], tmp_path).stdout


@pytest.mark.skipif(shutil.which("meson") is None or shutil.which("ninja") is None, reason="meson and ninja are not installed")
def test_the_meson_file_checks_the_program(tmp_path: Path) -> None:
    source(tmp_path, False)
    shutil.copy(ROOT / "docs" / "builds" / "meson.build", tmp_path)
    assert run(["meson", "setup", "build"], tmp_path).returncode == 0
    done = run(["ninja", "-C", "build", "circ"], tmp_path)
    assert done.returncode != 0 and "race on 'largest'" in done.stdout


# ------------------------------------------------------------------------------------------------ CI
def script_of_the_action() -> str:
    steps = yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"]
    script: str = steps[-1]["run"]
    return script


@pytest.mark.parametrize(("text", "status"), [(SAFE, 0), (RACE, 1)])
def test_the_script_of_the_action_annotates_and_writes_sarif(tmp_path: Path, text: str, status: int) -> None:
    (tmp_path / "a.c").write_text(text)
    done = run(["bash", "-e", "-c", script_of_the_action()], tmp_path, CIRC_PATHS="a.c", CIRC_OPTIONS="--timeout 30",
               CIRC_FAIL_ON="race", CIRC_SARIF="out.sarif")
    assert done.returncode == status, done.stdout + done.stderr
    assert ("::warning" in done.stdout or "::error" in done.stdout) == (status == 1)
    assert '"version": "2.1.0"' in (tmp_path / "out.sarif").read_text()


def test_the_inputs_of_the_action_are_those_that_its_script_uses() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    given = action["runs"]["steps"][-1]["env"]
    assert {f"${{{{ inputs.{name} }}}}" for name in action["inputs"] if name != "python-version"} == set(given.values())
    assert [name for name in given if f"${name}" not in script_of_the_action()] == []


def test_the_script_of_the_gitlab_job_fails_and_writes_both_reports(tmp_path: Path) -> None:
    job = yaml.safe_load((ROOT / "docs" / "builds" / "gitlab-ci.yml").read_text())["circ"]
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.c").write_text(RACE)
    script = "\n".join(line for line in job["script"] if "pip install" not in line)
    done = run(["bash", "-e", "-c", script], tmp_path, CIRC_PATHS="src", CIRC_OPTIONS="")
    assert done.returncode == 1, done.stdout + done.stderr
    assert all((tmp_path / report).stat().st_size for report in job["artifacts"]["reports"].values())


def test_the_hook_of_pre_commit_fails_for_races_only(tmp_path: Path) -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    command, *words = shlex.split(hook["entry"])
    assert (command, hook["language"]) == ("circ", "python")
    (tmp_path / "safe.c").write_text(SAFE)
    (tmp_path / "race.c").write_text(RACE)
    assert run([command, *words, "--no-cache", "safe.c"], tmp_path).returncode == 0
    assert run([command, *words, "--no-cache", "safe.c", "race.c"], tmp_path).returncode == 1


def test_the_image_starts_circ_in_the_folder_that_is_mounted() -> None:
    """Docker is not here; that what is copied can be installed and works is shown by `tests/test_install.py`."""
    lines = (ROOT / "docs" / "builds" / "Dockerfile").read_text().splitlines()
    page = (ROOT / "docs" / "builds.md").read_text()
    assert lines[-2:] == ["WORKDIR /src", 'ENTRYPOINT ["circ"]'] and "-v \"$PWD:/src\" circ check" in page



# ------------------------------------------------------------------------------------------------ editors
def test_the_extension_uses_the_settings_that_it_declares() -> None:
    folder = ROOT / "editors" / "vscode"
    declared: dict[str, Any] = yaml.safe_load((folder / "package.json").read_text())["contributes"]
    text = (folder / "src" / "extension.ts").read_text()
    assert all(f'("{name.removeprefix("circ.")}"' in text for name in declared["configuration"]["properties"])
    assert all(f'"{command["command"]}"' in text for command in declared["commands"])


def test_the_extension_is_built_and_packaged(tmp_path: Path) -> None:
    """As `make vscode` does it: types are checked, the bundle has the client, the package has what an editor needs."""
    folder = tmp_path / "vscode"
    shutil.copytree(ROOT / "editors" / "vscode", folder, ignore=shutil.ignore_patterns("node_modules", "out", "*.vsix"))
    npm(folder, "install", "--no-audit", "--no-fund", "--loglevel=error")
    npm(folder, "run", "package")
    with zipfile.ZipFile(folder / "circ.vsix") as package:
        names = package.namelist()
        bundle = package.read("extension/out/extension.js").decode()
        about = json.loads(package.read("extension/package.json"))
    assert {"extension/package.json", "extension/readme.md", "extension/out/extension.js"} <= set(names)
    assert about["main"] == "./out/extension.js" and '"lsp"' in bundle and "node_modules" not in " ".join(names)
