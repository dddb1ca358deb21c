"""For all tests: a mistake of ours in reading C is raised where it happens, also in the processes that tests start."""

from __future__ import annotations

import os

from frontend.lower.called.not_modelled import RAISE_MISTAKES

os.environ.setdefault(RAISE_MISTAKES, "1")
