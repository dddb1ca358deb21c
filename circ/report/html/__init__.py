"""A report as one page for a browser: files with their findings in, a self-contained HTML document out.

Everything is in the one file, style and script too: no network, no other files. The page is whole without the script, which only
filters and steps. Lines of source are shown only as far as `circ.report.excerpts` gives them.
"""

__all__ = ["page"]
