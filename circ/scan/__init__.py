"""One run of `circ scan`: files, folders and compile_commands.json in, results as JSON lines and one table out.

Each file is a job in a process of its own, here or on a cluster, asked the questions that `circ.run` asks; its header says how it
is read. Nobody may know of this room but the command line. The cache is not believed: what it has goes through the kernel again.
"""

__all__ = ["cache", "cluster", "fingerprint", "header", "scan", "scan_report", "sources"]
