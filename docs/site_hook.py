"""For `make docs`: the pages at the top of the checkout become pages of the site, and links are those of the site.

Links to files that are no pages (sources, tests, examples) cannot be followed there and become plain text.
"""

import re
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parent.parent
TOP = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)#:]+)(#[^)]*)?\)")


def on_files(files, config):
    """Adds the pages that stand at the top."""
    for name in TOP:
        files.append(File.generated(config, name, content=(ROOT / name).read_text()))
    return files


def on_page_markdown(markdown, page, config, files):
    """Each link as seen from the folder of pages."""
    top = page.file.src_uri in TOP

    def link(found):
        text, target, anchor = found[1], found[2], found[3] or ""
        place = (ROOT if top else ROOT / "docs") / target
        name = place.resolve().relative_to(ROOT).as_posix().removeprefix("docs/")
        if files.get_file_from_path(name) is None:
            return text
        return f"[{text}]({name}{anchor})"

    return _LINK.sub(link, markdown)
