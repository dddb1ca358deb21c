"""The page for browsers: what is in it, that nothing of a source becomes markup, and how it behaves in a real browser."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import circ
from circ.report.documents import document
from circ.report.findings import FoundStep, FoundValue
from circ.report.forms import FailOn, ReportForm
from circ.report.rows import Scanned, scanned_of
from circ.report.summary import FileReport
from frontend import load
from frontend.program import FrontendError, Location

PROGRAM = """#include <pthread.h>
int raced, locked;
pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
void *worker(void *argument)
{
    raced++; /* <b>not markup</b> */
    pthread_mutex_lock(&guard);
    locked++;
    pthread_mutex_unlock(&guard);
    return argument;
}
int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, worker, 0);
    pthread_create(&two, 0, worker, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return raced + locked;
}
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Scanned]:
    """A race, a proof, a possible race; and a file that cannot be read."""
    path = tmp_path_factory.mktemp("page") / "mixed.c"
    path.write_text(PROGRAM)
    scanned = scanned_of(FileReport(str(path), circ.check(load(str(path)))))
    [race] = [row for row in scanned.rows if row.verdict == "race"]
    possible = replace(race, variable="p", finding=replace(
        race.finding, variable="p<script>alert(1)</script>", verdict="possible race", message="possible race \x1b[2J</script>", steps=(),
        accesses=tuple(replace(a, number=0, path=(a.location,), calls=("touch",), locks=("guard",)) for a in race.finding.accesses)))
    broken = scanned_of(FileReport("broken.c", error=FrontendError(Location("broken.c", 3), "no C")))
    return [replace(scanned, rows=(*scanned.rows, possible)), broken]


def page(files: list[Scanned]) -> str:
    return document(ReportForm.HTML, files, 1, True, FailOn.UNKNOWN)


class Checker(HTMLParser):
    """Every element ends where it should, and nothing is fetched from elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.scripts = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert not {"src", "href", "onclick"} & {name for name, _ in attrs}
        self.scripts += tag == "script"
        if tag not in ("meta", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_well_formed_and_only_ours(files: list[Scanned]) -> None:
    text = page(files)
    checker = Checker()
    checker.feed(text)
    assert checker.open == [] and checker.scripts == 1
    assert "alert(1)</script>" not in text and "<b>not" not in text and "&lt;b&gt;not markup" in text and "\x1b" not in text
    assert "broken.c:3: error: no C" in text and not re.search(r"https?://", text)


def test_a_long_run_is_folded(files: list[Scanned]) -> None:
    [race] = [row for row in files[0].rows if row.verdict == "race"]
    step = FoundStep(1, Location("a.c", 1), "x = 1", (FoundValue("x", 1),))
    long = replace(race, finding=replace(race.finding, steps=(step,) * 10_000))
    text = page([replace(files[0], rows=(long,))])
    assert "show 9950 steps" in text and text.count('class="step"') == 10_000


# ------------------------------------------------------------------------------------------------ in a browser
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.fixture(scope="module")
def tab(files: list[Scanned], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed (pip install '.[browser]')")
    if CHROMIUM is None:
        pytest.skip("there is no chromium")
    path = tmp_path_factory.mktemp("browser") / "report.html"
    path.write_text(page(files))
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        tab = browser.new_page()
        problems: list[str] = []
        tab.on("pageerror", lambda error: problems.append(str(error)))
        tab.on("request", lambda request: problems.append(request.url) if not request.url.startswith("file:") else None)
        tab.goto(path.as_uri())
        yield tab
        browser.close()
    assert problems == []


def test_filters_in_a_browser(tab: Any) -> None:
    assert tab.locator("details.finding:visible").count() == 3 and tab.locator("#count").inner_text() == "3 of 3 shown"
    tab.get_by_label("safe (1)").uncheck()
    assert tab.locator("details.finding:visible").count() == 2
    tab.get_by_label("safe (1)").check()
    tab.get_by_label("filter").fill("locked no race")
    assert tab.locator("details.finding:visible code").all_inner_texts() == ["locked"]
    tab.get_by_label("filter").fill("")
    assert tab.locator("section.program:visible").count() == 2


def test_stepping_through_a_run_in_a_browser(tab: Any) -> None:
    race = tab.locator("details.race")
    race.locator("summary").click()
    assert race.locator("pre.source .here").count() == 2
    lines = [line.bounding_box() for line in race.locator("pre.source").first.locator("span").all()]
    assert len(lines) == 7 and len({box["x"] for box in lines}) == 1 and len({box["y"] for box in lines}) == 7  # below each other
    tab.keyboard.press("ArrowDown")
    tab.keyboard.press("ArrowDown")
    assert race.locator("tr.now td").first.inner_text() == "2" and race.locator(".current").inner_text().startswith("2. ")
    tab.keyboard.press("ArrowUp")
    race.get_by_text("next").click()
    assert race.locator("tr.now td").first.inner_text() == "2"
    race.locator("tr.meets").last.click()
    assert "raced" in race.locator(".current").inner_text()


def test_five_hundred_files_in_a_browser(tab: Any, files: list[Scanned], tmp_path: Path) -> None:
    """Filtered at once, and nothing is laid out that is not in sight; what is far below opens and steps as everywhere."""
    many = [replace(files[0], head=replace(files[0].head, file=f"part{n // 50}/file{n}.c"),
                    rows=tuple(replace(row, finding=replace(row.finding, variable=f"{row.variable}_{n}")) for row in files[0].rows for _ in range(3)))
            for n in range(500)]
    (tmp_path / "many.html").write_text(page(many))
    before = tab.url
    tab.goto((tmp_path / "many.html").as_uri())
    search = "text => { const i = document.querySelector('nav input[type=search]'); i.value = text; i.dispatchEvent(new Event('input')); }"
    assert tab.locator("#count").inner_text() == "4500 of 4500 shown"
    in_sight = "() => [...document.querySelectorAll('section.program')].map(p => p.firstElementChild.checkVisibility({contentVisibilityAuto: true}))"
    laid_out = tab.evaluate(in_sight)
    assert laid_out[0] and not laid_out[-1] and sum(laid_out) < 50
    tab.evaluate(search, "raced_499")
    assert tab.locator("#count").inner_text() == "3 of 4500 shown" and tab.locator("section.program:visible").count() == 1
    tab.locator("details.race:visible > summary").first.click()
    tab.keyboard.press("ArrowDown")
    assert tab.locator("tr.now:visible td").first.inner_text() == "1"
    tab.goto(before)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark_in_a_browser(tab: Any, scheme: str) -> None:
    tab.emulate_media(color_scheme=scheme)
    back = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (back == "rgb(255, 255, 255)") is (scheme == "light")


def test_examples_have_a_page(tmp_path: Path) -> None:
    from circ.cli import main

    example = Path(__file__).parents[4] / "nesc_examples" / "test_and_set_no_atomic.c"
    with pytest.raises(SystemExit) as end:
        main(["scan", str(example), "--no-cache", "--format", "html", "-o", str(tmp_path / "report.html")])
    assert end.value.code == 1 and "<h3>A run that leads there</h3>" in (tmp_path / "report.html").read_text()


# ------------------------------------------------------------------------------------------------ drawings
@pytest.fixture(scope="module")
def proved() -> Scanned:
    """A proof by context inference, with its automata."""
    path = Path(__file__).parents[4] / "nesc_examples" / "test_and_set.c"
    return scanned_of(FileReport(str(path), circ.check(load(str(path)), ["x"])))


def page_of(scanned: Scanned) -> str:
    return document(ReportForm.HTML, [scanned], 0, True, FailOn.UNKNOWN)


def test_a_proof_has_its_automata_as_drawings_with_links_to_lines(proved: Scanned) -> None:
    pytest.importorskip("pygraphviz", reason="pygraphviz is not installed (pip install '.[draw]')")
    page = page_of(proved)
    assert page.count("<svg") == 2 and "Thread, as the others see it" in page and "thread Thread" in page
    links = set(re.findall(r'xlink:href="#([^"]+)"', page))
    assert len(links) >= 6 and links <= set(re.findall(r'id="([^"]+)"', page))
    assert "A thick border: where a thread starts." in page and "<title>" not in page.split("<svg", 1)[1]
    assert "state == 0 → state != 0" in page.replace("&#45;", "-").replace("&gt;", ">") and "[old != 0]" in page
    assert page_of(proved) == page


def test_without_graphviz_the_automata_are_told_in_words(proved: Scanned, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("circ.report.html.drawing.laid_out", lambda dot: None)
    page = page_of(proved)
    assert "<svg" not in page and "the context automaton of Thread:" in page


def test_nothing_of_a_label_becomes_markup(proved: Scanned) -> None:
    pytest.importorskip("pygraphviz", reason="pygraphviz is not installed (pip install '.[draw]')")
    evil = '</text><script>alert("1")</script>\\n\\"&<b>'
    [row] = proved.rows
    [automaton] = row.finding.automata
    bad = replace(automaton, title=evil, locations=tuple(replace(q, label=evil) for q in automaton.locations),
                  edges=tuple(replace(e, label=evil) for e in automaton.edges))
    page = page_of(replace(proved, rows=(replace(row, finding=replace(row.finding, automata=(bad,))),)))
    assert page.count("<svg") == 2 and page.count("<script") == 1 and "<b>" not in page


def test_a_large_scan_draws_so_many_and_no_more(proved: Scanned) -> None:
    pytest.importorskip("pygraphviz", reason="pygraphviz is not installed (pip install '.[draw]')")
    from circ.report.excerpts import Excerpts
    from circ.report.html.drawing import Drawings

    drawings, automata = Drawings(most=1), proved.rows[0].finding.automata
    assert drawings.figure(automata, "", Excerpts(())) is not None and drawings.figure(automata, "", Excerpts(())) is None


def test_a_click_on_a_location_shows_its_line_in_a_browser(proved: Scanned, tab: Any, tmp_path: Path) -> None:
    pytest.importorskip("pygraphviz", reason="pygraphviz is not installed (pip install '.[draw]')")
    (tmp_path / "proof.html").write_text(page_of(proved))
    tab.goto((tmp_path / "proof.html").as_uri())
    tab.locator("details.safe > summary").click()
    tab.locator(".drawing svg .node a").nth(1).click()
    marked = tab.locator("pre.source span:target")
    assert marked.count() == 1 and "x = x + 1" in marked.inner_text() and marked.is_visible()
