"""Mine a project for variables that nothing protects: the programs of a compile database, checked in worker processes.

    python mine_project.py [BUILD_FOLDER]
"""

import sys
from concurrent.futures import ProcessPoolExecutor

import circ
import frontend
from circ.verdict import Refuted, Unknown, word
from frontend.project import programs_in


def unprotected(files):
    """For each variable with a race, or one that may have one, the lines of the two accesses."""
    program = frontend.load_project(files)
    found = []
    for answer in circ.check(program, limits=circ.Limits(timeout=20)).answers:
        match answer.verdict:
            case Refuted(trace=trace):
                edges = [program.template(trace.threads[thread]).cfa.edges[edge] for thread, edge, _ in trace.accesses]
                places = [str(edge.location) for edge in edges]
            case Unknown(possible=race) if race is not None:
                places = [str(race.first.location), str(race.second.location)]
            case _:
                continue
        found.append((answer.shown, word(answer.question, answer.verdict), places))
    return found


if __name__ == "__main__":
    programs = programs_in(sys.argv[1] if sys.argv[1:] else "docs/examples/project")
    with ProcessPoolExecutor(2) as pool:
        for program, found in zip(programs, pool.map(unprotected, [p.files for p in programs]), strict=True):
            print(f"{program.name}: {len(program.files)} files")
            for name, what, places in found:
                print(f"  {name}: {what}: {' and '.join(places)}")
