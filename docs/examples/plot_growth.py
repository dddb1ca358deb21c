"""Plot how the abstract reachability graph grows from round to round of context inference, as bars of text and as SVG.

    python plot_growth.py [FILE VARIABLE [OUT.svg]]
"""

import sys

import frontend
from circ import engines
from circ.verdict import Options, RaceOn, word

path, name, *out = sys.argv[1:] or ("nesc_examples/surge.c", "FramerM__gTxByteCnt")
program = frontend.load(path)
(variable,) = frontend.resolve_variable(program, name)
sizes = []


def observer(event, data):
    """At the end of a round the engine shows its graphs; here, in the engine's own process, as they are and not as text."""
    if event == "dump" and data["name"].startswith("arg-"):
        sizes.append((data["name"].removeprefix("arg-"), data["dot"].arg.size))


engine = engines.find("omega-circ").load()  # the engine alone, without limits, and without the kernel
question = RaceOn(variable.name)
verdict = engine(program, question, Options(), observer)
rounds = [sizes[n:n + len(program.templates)] for n in range(0, len(sizes), len(program.templates))]
for number, row in enumerate(rounds, 1):
    total = sum(size for _, size in row)
    print(f"round {number}: {'#' * total} {total} states")
print(f"then {name} is {word(question, verdict)}, with the predicates {', '.join(verdict.statistics.predicates)}")
if out:
    bars = "".join(f'<rect x="{20 * n}" y="{100 - size}" width="16" height="{size}" fill="steelblue"/>'
                   for n, size in enumerate(sum(size for _, size in row) for row in rounds))
    with open(out[0], "w") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {20 * len(rounds)} 100">{bars}</svg>\n')
