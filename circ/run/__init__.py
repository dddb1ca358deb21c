"""One run of `circ check`: programs and questions in, answers, certificate files and an exit status out.

Files are read and engines run in child processes under limits; what an engine says becomes an answer only after the kernel has
accepted it. This room may not know how an engine works (it asks for one by name), nor that there are scans of many files.
"""

__all__ = [
    "certificate_files", "check", "competition", "export_assumptions", "output_files", "process_tree", "progress",
    "projects", "reading", "schedule", "session", "supervise",
]
