"""Line marks of preprocessed files (`# 12 "a.c"`, `#line 12`): which line of the file is which line of what it was made from."""

from __future__ import annotations

import re
from bisect import bisect_right

from frontend.records import dataclass

_MARK = re.compile(r'\s*#\s*(?:line\s+)?(\d{1,9})(?:\s+"((?:[^"\\]|\\.)*)")?')


@dataclass(frozen=True, slots=True)
class _Region:
    """Lines from `first` on are those of `file` from `line` on."""

    first: int
    file: str
    line: int


class LineMarks:
    """The marks of one file, `path`."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self._regions = [_Region(1, path, 1)]
        for number, line in enumerate(text.splitlines(), 1):
            found = _MARK.match(line) if "#" in line else None
            if found is not None:
                file = self._regions[-1].file if found[2] is None else found[2].replace("\\\\", "\\").replace('\\"', '"')
                self._regions.append(_Region(number + 1, file, int(found[1])))

    def source(self, line: int) -> tuple[str, int]:
        """The file and line that a line of this file comes from."""
        region = self._regions[bisect_right(self._regions, line, key=lambda r: r.first) - 1]
        return region.file, region.line + line - region.first

    def here(self, file: str, line: int) -> int | None:
        """The line of this file that comes from a line of another; the last, if there are several."""
        ends = [r.first - 1 for r in self._regions[1:]] + [1 << 40]
        for region, end in zip(reversed(self._regions), reversed(ends), strict=True):
            at = region.first + line - region.line
            if region.file == file and region.first <= at <= end:
                return at
        return None
