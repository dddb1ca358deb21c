"""Options in a file: `circ.toml`, or `[tool.circ]` of a `pyproject.toml`, by the names that they have on the command line.

    thread = ["worker=2"]
    data-model = "ilp32"
    fail-on = "race"

The nearest such file of the current folder and those above it holds, up to the root of the repository; one of another user is
passed over. The headers of files and the command line win over it. Whoever wrote it need not be whoever runs circ: as in
headers, only options that can neither run nor write anything are obeyed, and paths, which start from its folder, must lie inside.
What it says is printed. Anything else is refused, with its place.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from circ.scan.header import ASKING, READING
from frontend.program import FrontendError, Location, displayed, read_data
from frontend.records import dataclass

NAMES = ("circ.toml", "pyproject.toml")
_REPORTING = ("--format", "--fail-on", "--baseline", "--color", "--explain", "--explain-full", "--verbose", "--full-trace",
              "--no-possible", "--flow-rule", "--exclude", "--target", "--predicate", "--k", "--unroll", "--assume")
"""No limits: those are for whoever runs circ to set."""
ALLOWED = (*READING, *ASKING, *_REPORTING)
_PATHS = ("-I", "--interrupts", "--baseline")


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """Options by their names on the command line, each with its values as texts; a flag has none."""

    path: str
    options: tuple[tuple[str, tuple[str, ...]], ...] = ()
    places: tuple[Location, ...] = ()

    def __str__(self) -> str:
        """As on a command line."""
        return " ".join(f"{name} {value}".rstrip() for name, values in self.options for value in values or ("",))

    def defaults(self, command: Any) -> dict[str, Any]:
        """What a command's options are unless the command line says otherwise, by the names of its parameters.

        Raises FrontendError for a value that the option cannot have.
        """
        known = {option: parameter for parameter in command.params for option in parameter.opts}
        found: dict[str, Any] = {}
        for (name, values), place in zip(self.options, self.places, strict=True):
            if name not in known:
                continue  # an option of another command
            parameter = known[name]
            if parameter.is_flag == bool(values):
                raise FrontendError(place, f"'{name}' {'is true or false' if parameter.is_flag else 'has a value'}")
            if len(values) > 1 and not parameter.multiple:
                raise FrontendError(place, f"'{name}' has one value, no list")
            found[parameter.name] = True if parameter.is_flag else list(values) if parameter.multiple else values[0]
        return found


def find_config(folder: str) -> ConfigFile | None:
    """The nearest file of options in a folder or above it; raises FrontendError if it says what it may not."""
    here = Path(os.path.abspath(folder))
    for parent in (here, *here.parents):
        for name in NAMES:
            path = parent / name
            if path.is_file() and _is_ours(path) and (config := read_config(str(path))) is not None:
                return config
        if (parent / ".git").exists():
            return None
    return None


def _is_ours(path: Path) -> bool:
    """Whether a file belongs to who runs circ, or to the system: in a folder above, such as /tmp, anybody may have put one."""
    return path.stat().st_uid in (os.getuid(), 0)


def read_config(path: str) -> ConfigFile | None:
    """The options of a file; None for a `pyproject.toml` that says nothing of circ."""
    import tomllib  # where there is no such file, nobody needs it

    text = read_data(path)
    project = os.path.basename(path) == "pyproject.toml"
    if project and "tool.circ" not in text:
        return None
    try:
        data: Any = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # numbers of thousands of digits are no TOMLDecodeError
        raise FrontendError(Location(path, 1), f"this is no TOML: {error}", "see docs/usage.md") from None
    table = data.get("tool", {}).get("circ") if project and isinstance(data.get("tool", {}), dict) else data
    if table is None:
        return None
    if not isinstance(table, dict):
        raise FrontendError(Location(path, 1), "'tool.circ' is no table", "see docs/usage.md")
    found = [(*_option(key, value, place := _place(path, text, key)), place) for key, value in table.items()]
    kept = [(name, values, place) for name, values, place in found if values is not None]
    return ConfigFile(path, tuple((name, values) for name, values, _ in kept), tuple(place for _, _, place in kept))


def _place(path: str, text: str, key: str) -> Location:
    """Where a key stands, as far as its line can be told."""
    for number, line in enumerate(text.split("\n"), 1):
        if re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=", line):
            return Location(path, number, len(line) - len(line.lstrip()) + 1)
    return Location(path, 1)


def _option(key: str, value: Any, place: Location) -> tuple[str, tuple[str, ...] | None]:
    """An option's name and values; None for a flag that is off."""
    name = next((option for option in (f"-{key}", f"--{key}") if option in ALLOWED and option.lstrip("-") == key), None)
    if name is None:
        said = ", ".join(sorted(option.lstrip("-") for option in ALLOWED))
        raise FrontendError(place, f"a file of options may not say '{displayed(key)}'",
                            f"give it on the command line; a file says {said}")
    if isinstance(value, bool):
        return name, () if value else None
    values = tuple(_texts(value if isinstance(value, list) else [value], key, place))
    if name == "--property" and any(v.endswith(".prp") for v in values):
        raise FrontendError(place, "a file of options may not name a property file", "say races, asserts, all or atomicity")
    return name, tuple(_inside(v, place) for v in values) if name in _PATHS else values


def _texts(values: Sequence[Any], key: str, place: Location) -> Iterator[str]:
    for value in values:
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise FrontendError(place, f"'{displayed(key)}' is neither a text nor a number, nor a list of them")
        yield str(value)


def _inside(path: str, place: Location) -> str:
    """The path as seen from the folder of the file; links do not lead it out."""
    folder = os.path.dirname(place.file)
    here, root = os.path.join(folder, path), os.path.realpath(folder)
    if "\0" in path or os.path.commonpath([root, os.path.realpath(here)]) != root:
        raise FrontendError(place, f"'{displayed(path)}' lies outside of the folder of this file", "give it on the command line")
    return here


def default_map(config: ConfigFile, commands: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The defaults of each command. A baseline that is not there yet is written only by who asks for it on the command line."""
    for (name, values), place in zip(config.options, config.places, strict=True):
        if name == "--baseline" and not os.path.exists(values[0]):
            raise FrontendError(place, f"there is no baseline '{displayed(values[0])}'",
                                "write it once by giving --baseline yourself")
    return {name: config.defaults(commands[name]) for name in ("check", "verify", "scan", "cfa")}
