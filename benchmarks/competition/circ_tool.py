"""circ for BenchExec: `PYTHONPATH=benchmarks benchexec benchmarks/competition/circ.xml`, with `circ` on the path."""

import benchexec.result as result
from benchexec.tools.sv_benchmarks_util import get_data_model_from_task
from benchexec.tools.template import BaseTool2

DATA_MODELS = {"ILP32": "ilp32", "LP64": "lp64"}
WORDS = {"true": result.RESULT_TRUE_PROP, "unknown": result.RESULT_UNKNOWN,
         "false(no-data-race)": f"{result.RESULT_FALSE_PROP}(no-data-race)",
         "false(unreach-call)": f"{result.RESULT_FALSE_PROP}(unreach-call)"}


class Tool(BaseTool2):
    """Runs `circ check --competition`, whose last line is the verdict on the whole program."""

    def executable(self, tool_locator):
        return tool_locator.find_executable("circ", subdir="bin")

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="circ ")

    def name(self):
        return "circ"

    def cmdline(self, executable, options, task, rlimits):
        words = [executable, "check", "--competition", *options]
        if task.property_file:
            words += ["--property", task.property_file]
        model = get_data_model_from_task(task, DATA_MODELS)
        if model and "--data-model" not in options:
            words += ["--data-model", model]
        if rlimits.cputime and "--timeout" not in options:
            words += ["--timeout", str(max(1, rlimits.cputime - 2))]  # to end by itself, and say so
        if rlimits.memory and "--memory" not in options:
            words += ["--memory", str(max(256, rlimits.memory // 1_000_000 - 100))]
        return [*words, *task.input_files]

    def determine_result(self, run):
        if run.exit_code.signal:
            return result.RESULT_ERROR
        if run.exit_code.value == 2:
            return "ERROR (not readable)"
        if run.exit_code.value == 4:
            return "ERROR (internal error)"
        for line in reversed(run.output):
            if line.strip() in WORDS:
                return WORDS[line.strip()]
        return result.RESULT_UNKNOWN

    def get_value_from_output(self, output, identifier):
        """A line of the output that begins with the identifier, without it."""
        return next((line.removeprefix(identifier).strip() for line in output if line.startswith(identifier)), None)
