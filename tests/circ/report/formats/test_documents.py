"""Reports for other programs: what they say, and that they are valid where the format has a schema."""

from __future__ import annotations

import html
import json
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
from typer.testing import CliRunner

import circ
from circ.cli import app
from circ.report.data.plain_data import built
from circ.report.documents import document
from circ.report.findings import Finding, finding_of
from circ.report.formats.table import table_json
from circ.report.forms import FailOn, ReportForm
from circ.report.gcc import diagnostics
from circ.report.json import report_json
from circ.report.rows import Head, Row, Scanned, scanned_of, scanned_status
from circ.report.summary import FileReport
from circ.scan.results import from_line, to_line
from frontend import LoadOptions, load
from frontend.program import FrontendError, Location
from tests.support.npm import unpacked

ROOT = Path(__file__).parents[4]
MIXED = """#include <pthread.h>
int raced, locked;
struct list { int size; struct list *next; } *all[4];
pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static void touch(int i) { all[i]->size++; }
void *worker(void *argument)
{
    raced++;
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
def mixed(tmp_path_factory: pytest.TempPathFactory) -> FileReport:
    """A race and a proof, as `circ check` finds them."""
    path = tmp_path_factory.mktemp("mixed") / "mixed.c"
    path.write_text(MIXED)
    result = circ.check(load(str(path)))
    return FileReport(str(path), result)


@pytest.fixture(scope="module")
def files(mixed: FileReport) -> list[Scanned]:
    """The same, something possible and something unknown beside it, and a file that cannot be read."""
    scanned = scanned_of(mixed)
    [race] = [row for row in scanned.rows if row.verdict == "race"]
    possible = replace(race, variable="p", finding=replace(
        race.finding, variable="p", verdict="possible race", message="possible race on 'p'", steps=(), threads=(), fingerprint="1",
        accesses=tuple(replace(a, number=0, path=(a.location,), calls=("touch",)) for a in race.finding.accesses)))
    unknown = replace(race, variable="u", finding=replace(race.finding, variable="u", verdict="unknown", message="unknown: 100% \x1b\n,:",
                                                          steps=(), threads=(), accesses=(), fingerprint="2"))
    broken = scanned_of(FileReport("broken.c", error=FrontendError(Location("broken.c", 3), "no C")))
    return [replace(scanned, head=replace(scanned.head, asked=(*scanned.head.asked, "p", "u")), rows=(*scanned.rows, possible, unknown)),
            broken]


def rendered(form: ReportForm, files: list[Scanned], fail_on: FailOn = FailOn.UNKNOWN) -> str:
    return document(form, files, 2, True, fail_on)


# ------------------------------------------------------------------------------------------------ SARIF
@pytest.fixture(scope="module")
def log(files: list[Scanned]) -> Any:
    return json.loads(rendered(ReportForm.SARIF, files))


def test_sarif_is_what_its_schema_says(log: Any, tmp_path: Path) -> None:
    """The schema of the standard, which a package of npm has; or the copy of it that SARIF_SCHEMA names."""
    named = os.environ.get("SARIF_SCHEMA")
    path = Path(named) if named else next(unpacked("@microsoft/jest-sarif", tmp_path).rglob("sarif-2.1.0*.json"))
    schema = json.loads(path.read_text())
    validator = jsonschema.validators.validator_for(schema)(schema)
    assert [e.message for e in validator.iter_errors(log)] == []
    broken = {**log, "version": "2.0.0"}
    assert list(validator.iter_errors(broken))


def test_names_of_sarif_rules_are_no_copies_of_their_ids(log: Any) -> None:
    """As the validator of the standard's makers demands (SARIF1001)."""
    rules = log["runs"][0]["tool"]["driver"]["rules"]
    assert all(rule["name"].lower() != rule["id"].lower() for rule in rules) and len({rule["id"] for rule in rules}) == len(rules)


def test_sarif_tells_kinds_and_what_could_not_be_read(log: Any) -> None:
    [run] = log["runs"]
    kinds = {r["properties"]["variable"]: (r["ruleId"], r["kind"], r["level"]) for r in run["results"]}
    assert kinds == {"raced": ("race", "fail", "error"), "locked": ("safe", "pass", "none"),
                     "p": ("possible-race", "review", "none"), "u": ("unknown", "open", "none")}
    rules = run["tool"]["driver"]["rules"]
    assert all(rules[r["ruleIndex"]]["id"] == r["ruleId"] for r in run["results"])
    [note] = run["invocations"][0]["toolExecutionNotifications"]
    assert "no C" in note["message"]["text"]


def test_sarif_has_a_flow_for_each_thread_and_the_order_of_all_steps(log: Any, files: list[Scanned]) -> None:
    [race] = [r for r in log["runs"][0]["results"] if r["kind"] == "fail"]
    [flow] = race["codeFlows"]
    threads = flow["threadFlows"]
    finding = next(row.finding for row in files[0].rows if row.verdict == "race")
    assert len(threads) == 3 and next(t["message"]["text"] for t in threads) == "thread 1 (main)"
    order = sorted(step["executionOrder"] for t in threads for step in t["locations"])
    assert order == list(range(1, len(finding.steps) + 3))
    last = max((step for t in threads for step in t["locations"]), key=lambda step: step["executionOrder"])
    assert last["importance"] == "essential" and "raced" in last["location"]["message"]["text"]
    assert len(race["relatedLocations"]) == 2


def test_sarif_names_files_below_the_current_folder_from_there(files: list[Scanned], monkeypatch: pytest.MonkeyPatch) -> None:
    folder = os.path.dirname(files[0].head.file)
    monkeypatch.chdir(folder)
    [run] = json.loads(rendered(ReportForm.SARIF, files))["runs"]
    places = [r["locations"][0]["physicalLocation"]["artifactLocation"] for r in run["results"]]
    assert {(p["uri"], p["uriBaseId"]) for p in places} == {("mixed.c", "SRCROOT")}
    assert run["originalUriBaseIds"]["SRCROOT"]["uri"] == f"file://{folder}/"


def test_fingerprints_do_not_change_when_lines_move_or_files_are_renamed(mixed: FileReport, tmp_path: Path) -> None:
    moved = tmp_path / "renamed.c"
    moved.write_text("/* a\n   comment */\n\n" + MIXED.replace("    raced++;", "    int k = 0; k++;\n    raced++;"))
    result = circ.check(load(str(moved)))
    again = {f.variable: f.fingerprint for f in (finding_of(result.program, a) for a in result.answers)}
    assert again == {f.variable: f.fingerprint for f in mixed.findings} and len(set(again.values())) == 2


# ------------------------------------------------------------------------------------------------ the others
def test_junit_counts_what_fails(files: list[Scanned]) -> None:
    suites = ElementTree.fromstring(rendered(ReportForm.JUNIT, files))
    assert (suites.get("tests"), suites.get("failures"), suites.get("errors")) == ("5", "3", "1")
    lenient = ElementTree.fromstring(rendered(ReportForm.JUNIT, files, FailOn.RACE))
    assert (lenient.get("failures"), lenient.get("skipped")) == ("1", "2")
    failures = {case.get("name"): failure for case in suites.iter("testcase") if (failure := case.find("failure")) is not None}
    assert "note: step 1: thread 1 (main)" in (failures["no race on raced"].text or "")
    assert "\x1b" not in rendered(ReportForm.JUNIT, files)


def test_github_gets_a_line_for_each_finding(files: list[Scanned]) -> None:
    lines = rendered(ReportForm.GITHUB, files).splitlines()
    assert [line.split(" ")[0] for line in lines] == ["::error", "::warning", "::notice", "::error"]
    assert all(re.fullmatch(r"::\w+ file=[^,:]+,line=\d+(,col=\d+)?,title=[^,:]+::[^\r\n]*", line) for line in lines)
    assert "100%25" in lines[2] and "%0A" in lines[0]


def test_code_climate_lists_issues_with_distinct_fingerprints(files: list[Scanned]) -> None:
    issues = json.loads(rendered(ReportForm.CODE_CLIMATE, [*files, replace(files[0], head=replace(files[0].head, file="other.c"))]))
    assert [i["severity"] for i in issues[:3]] == ["critical", "major", "info"]
    assert len({i["fingerprint"] for i in issues}) == len(issues) == 7
    required = {"description", "check_name", "fingerprint", "severity", "location"}  # by GitLab's documentation
    assert all(required <= set(i) and i["location"]["lines"]["begin"] >= 1 for i in issues)


def test_gcc_has_a_note_for_each_access_and_step(mixed: FileReport) -> None:
    [race] = [f for f in mixed.findings if f.verdict == "race"]
    lines = list(diagnostics(race))
    assert all(re.match(r"[^:]+:\d+:\d+: (warning|note): ", line) for line in lines)
    assert len(lines) == 1 + 2 + len(race.steps)
    assert list(diagnostics(next(f for f in mixed.findings if f.verdict == "safe"))) == []


def test_what_does_not_count_is_told_and_does_not_fail(files: list[Scanned]) -> None:
    rows = tuple(replace(r, finding=replace(r.finding, suppressed="statistics only")) if r.verdict == "race" else
                 replace(r, finding=replace(r.finding, known=r.verdict != "safe")) for r in files[0].rows)
    quiet = [replace(files[0], rows=rows)]
    assert scanned_status(files[0]) == 1 and scanned_status(quiet[0]) == 0
    assert rendered(ReportForm.GITHUB, quiet) == "" and json.loads(rendered(ReportForm.CODE_CLIMATE, quiet)) == []
    results = json.loads(rendered(ReportForm.SARIF, quiet))["runs"][0]["results"]
    [race] = [r for r in results if r["kind"] == "fail"]
    assert race["suppressions"] == [{"kind": "inSource", "justification": "statistics only"}]
    assert {r["baselineState"] for r in results if r["kind"] in ("review", "open")} == {"unchanged"}


@pytest.mark.parametrize(("fail_on", "verdict", "status"), [
    (FailOn.RACE, "possible race", 0), (FailOn.POSSIBLE, "possible race", 3), (FailOn.POSSIBLE, "unknown", 0), (FailOn.UNKNOWN, "unknown", 3),
    (FailOn.RACE, "race", 1), (FailOn.RACE, "safe", 0),
])
def test_what_a_run_fails_on(files: list[Scanned], fail_on: FailOn, verdict: str, status: int) -> None:
    rows = tuple(r for r in files[0].rows if r.verdict == verdict)
    only = Scanned(replace(files[0].head, asked=tuple(r.variable for r in rows)), rows)
    assert len(rows) == 1 and scanned_status(only, fail_on) == status


# ------------------------------------------------------------------------------------------------ names
AVR = """#include <avr/io.h>
#include <avr/interrupt.h>
unsigned char buffer, mode, racy;
volatile unsigned char count;
ISR(TIMER0_OVF_vect) { buffer = 1; count++; racy++; }
int main(void)
{
    sei();
    for (;;) {
        for (int i = 0; i < 2; i++) { int i = racy; racy = i + 1; }
        TIMSK &= ~(1 << TOIE0); buffer = 2; TIMSK |= 1 << TOIE0; cli(); mode = count; sei();
    }
}
"""


@pytest.mark.parametrize("form", [ReportForm.HTML, ReportForm.SARIF, ReportForm.JSON, ReportForm.GITHUB, ReportForm.JUNIT])
def test_names_are_those_of_the_source(form: ReportForm, avr: FileReport) -> None:
    """No names of our own for registers, vectors, temporaries and second variables of one name."""
    options = {"engine": "auto", "property": "races", "variables": None, "predicates": [], "k": None, "timeout": 60.0, "memory": 4096,
               "cpu_limit": None}
    text = report_json([avr], LoadOptions(), options, 1) if form is ReportForm.JSON else rendered(form, [scanned_of(avr)])
    text = html.unescape(re.sub(r"<(?:style|script).*?</(?:style|script)>|<[^>]+>", " ", text, flags=re.S) if form is ReportForm.HTML else text)
    assert "TIMER0_OVF_vect" in text and not re.findall(r".{0,40}(?:__circ|__vector|\*0x|<interrupts|\w#\d|::%\d).{0,40}", text)


@pytest.fixture(scope="module")
def avr(tmp_path_factory: pytest.TempPathFactory) -> FileReport:
    path = tmp_path_factory.mktemp("avr") / "avr.c"
    path.write_text(AVR)
    program = load(str(path), LoadOptions(platform="atmega128"))
    proved, raced = circ.check(program, ["buffer", "count"], "omega-circ"), circ.check(program, ["racy"])
    assert [type(a.verdict).__name__ for a in proved.answers] == ["Safe", "Safe"]
    return FileReport(str(path), replace(proved, answers=(*proved.answers, *raced.answers)))


# ------------------------------------------------------------------------------------------------ JSON
def test_json_is_what_our_schema_says(mixed: FileReport) -> None:
    schema = json.loads((ROOT / "docs" / "schemas" / "circ-report.schema.json").read_text())
    options = {"engine": "auto", "property": "races", "variables": None, "predicates": [], "k": None, "timeout": 60.0, "memory": 4096,
               "cpu_limit": None}
    broken = FileReport("broken.c", error=FrontendError(Location("broken.c", 3), "no C", "write C"))
    data = json.loads(report_json([mixed, broken], LoadOptions(), options, 2, flow_rule=True))
    validator = jsonschema.Draft202012Validator(schema)
    assert [e.message for e in validator.iter_errors(data)] == []
    data["files"][0]["answers"][0]["verdict"] = "fine"
    assert list(validator.iter_errors(data))


def test_json_of_a_scan_is_what_our_schema_says(files: list[Scanned]) -> None:
    schema = json.loads((ROOT / "docs" / "schemas" / "circ-scan.schema.json").read_text())
    validator = jsonschema.Draft202012Validator(schema)
    data = json.loads(table_json(files, True, ["mixed.c:1: difference: raced: expected safe, got race"], 2, FailOn.UNKNOWN))
    assert [e.message for e in validator.iter_errors(data)] == []
    assert [a["verdict"] for a in data["files"][0]["answers"]].count("race") == 1 and data["files"][1]["error"]
    for spoilt in ({**data, "version": 2}, {**data, "more": 1}, {**data, "files": [{**data["files"][0], "answers": [{"variable": "x"}]}]}):
        assert list(validator.iter_errors(spoilt))
    assert list(validator.iter_errors(json.loads(table_json(files, False, None, 0, FailOn.RACE)))) == []


def test_rows_are_the_same_after_writing_and_reading(files: list[Scanned]) -> None:
    for row in files[0].rows:
        assert from_line(to_line(row)) == row
    assert from_line(to_line(files[0].head)) == files[0].head


@pytest.mark.parametrize("change", [
    {"variable": 1}, {"place": {"file": "a.c", "line": "1", "column": 0}}, {"place": None}, {"steps": [{}]}, {"steps": {}}, {"bug": 0},
    {"more": 1}, {"accesses": [None]}, {"threads": [None]},
])
def test_data_of_another_shape_is_refused(change: dict[str, Any], files: list[Scanned]) -> None:
    data = json.loads(to_line(files[0].rows[0]))["finding"]
    assert isinstance(built(Finding, data), Finding)
    with pytest.raises(ValueError):
        built(Finding, {**data, **change})


def test_a_head_knows_its_threads(files: list[Scanned]) -> None:
    head: Head = files[0].head
    assert head.lines == len(MIXED.split("\n")) and "main main (1)" in head.threads and head.files == (head.file,)
    assert isinstance(files[0].rows[0], Row)


@pytest.mark.parametrize(("error", "place"), [
    (FrontendError(Location("inc/a.h", 7, 3), "no such thing: error: or so"), Location("inc/a.h", 7, 3)),
    (FrontendError(Location("a:b.h", 7), "that is no C"), Location("a:b.h", 7)),
    (FrontendError(Location("new\nline.h", 7), "a name that is not written as it is"), Location("main.c", 1)),
])
def test_what_could_not_be_read_is_told_where_it_is(error: FrontendError, place: Location) -> None:
    scanned = [Scanned(Head("main.c", None, error=str(error)), ())]
    github, climate, sarif, junit = (rendered(form, scanned) for form in (ReportForm.GITHUB, ReportForm.CODE_CLIMATE, ReportForm.SARIF,
                                                                          ReportForm.JUNIT))
    name = place.file.replace(":", "%3A")
    assert github.startswith(f"::error file={name},line={place.line}" + (f",col={place.column}" if place.column else ","))
    [issue] = json.loads(climate)
    assert (issue["location"]["path"], issue["location"]["lines"]["begin"]) == (place.file, place.line)
    [note] = json.loads(sarif)["runs"][0]["invocations"][0]["toolExecutionNotifications"]
    where = note["locations"][0]["physicalLocation"]
    assert where["region"]["startLine"] == place.line and where["artifactLocation"]["uri"].endswith(place.file.partition(":")[2] or place.file)
    assert f'file="{place.file}" line="{place.line}"' in junit


def test_no_line_of_a_report_is_a_command_to_who_runs_tests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.c").write_text('#line 1 "::stop-commands::x"\nint x;\n__attribute__((circ_thread)) void w(void) { x = x + 1; }\n')
    told = CliRunner().invoke(app, ["check", "a.c"])
    assert "::stop-commands::x:2:45: warning: race on 'x'" in told.output
    assert not [line for line in told.output.splitlines() if line.lstrip().startswith("::")]
