"""Handlers, tasks and who preempts whom: calls and registers that switch interrupts come in, steps and guards go out.

While threads are inlined, calls become steps on ghost variables (`interrupt_calls`, `interrupt_sections`); on the finished
program those ghosts, hardware registers and priorities become guards (`preemption`, `registers`, `handler_facts`), and what
`main` does before anybody else runs becomes initial values (`initialisation_run`). Which accesses one instruction makes is
marked on the finished program, too (`indivisible`, `access_patterns`, `race_models`); bits that one sets become sections before
(`bit_instructions`). It may not know libraries, or C text.
"""

__all__ = [
    "bit_instructions", "implied_rules", "indivisible", "initialisation_run", "interrupt_calls",
    "interrupt_sections", "preemption", "race_models", "registers",
]
