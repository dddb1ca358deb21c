"""The back half of the front end, from top to bottom: functions in, a `Program` of thread automata out.

Each pass is a function from what is known by then to what it adds; nothing is handed over but arguments and results. Two
things are shared and only grow: `Notes` (assumptions and warnings, in the order in which they come up) and `Objects` (memory,
laid out when it is first asked for).
"""

from __future__ import annotations

from frontend.annotations.claims import with_claims
from frontend.entry import Sketch, called_by_threads, is_sketch, with_callers
from frontend.interrupts.bit_instructions import as_written, bit_instructions
from frontend.interrupts.implied_rules import with_implied_rules
from frontend.interrupts.indivisible import with_indivisible_accesses, with_lone_writers
from frontend.interrupts.initialisation_run import initialised
from frontend.interrupts.preemption import in_parallel, schedule
from frontend.interrupts.race_models import find_machine, hands_over, is_by_itself, sure_machine, with_whole_handlers
from frontend.interrupts.registers import HardwareRegisters
from frontend.ir import Module
from frontend.ir.modelled_calls import Without
from frontend.link.assemble import assemble
from frontend.link.bodies import Bodies
from frontend.link.call_models import model_calls, model_interrupts
from frontend.link.drafts import draft_threads
from frontend.link.lock_lifetimes import settle_lock_uses
from frontend.link.memory_model import model_memory
from frontend.link.options import DEFAULT_OPTIONS, LinkOptions
from frontend.link.settle import settle_pointers
from frontend.link.templates import make_templates
from frontend.link.vacuous_claims import warn_of_vacuous_claims
from frontend.link.weak_orders import FENCE_GHOST, with_weak_loads
from frontend.link.which_threads import find_roots, find_threads, reached_from, with_reentrance
from frontend.memory.escapes import find_escapes
from frontend.memory.objects import KnownRegisters, Notes
from frontend.program import FENCE, FrontendError, Location, Preemption, Program, RaceModel
from frontend.records import replace


def link(module: Module, options: LinkOptions = DEFAULT_OPTIONS) -> Program:
    """The program that a module's threads make."""
    notes = Notes({}, {})
    if options.threads and options.entries:
        raise FrontendError(Location(module.file, 1), "--thread and --entry are two answers to one question", "give one of them")
    options = replace(options, table=with_implied_rules(module, options.table, notes))
    if not options.threads and not options.entries and is_sketch(module):
        module = Sketch(module)
        options = replace(options, table=replace(options.table, starts_on=True))  # the core has switched interrupts on
    if not options.threads:
        module = with_callers(module, options.entries, options.table)
        if called_by_threads(module):
            options = replace(options, race_model=options.race_model or RaceModel.C11)

    # Which threads there are, and what calls mean that concern interrupts and tasks. The bodies of the functions that
    # implement a scheduler are hidden then: calls of them are modelled.
    threads = find_threads(module, options, notes)
    interrupts = model_interrupts(Bodies(module), threads, options.table, notes)
    registers = HardwareRegisters(options.table, dict(threads.rules))
    seen = Without(module, interrupts.replaces) if threads.reactive else module
    known = registers.known() if threads.reactive else KnownRegisters()

    # What pointers point to, with the calls that are told apart; which locals escape from their thread.
    compiled = bit_instructions(options.table, notes) if options.race_model is RaceModel.MACHINE else as_written
    unprepared = Bodies(seen, compiled=compiled, sources=threads.functions)
    world, bodies = model_memory(unprepared, threads, known, notes, options.finders.points_to)
    threads = with_reentrance(threads, world, interrupts)
    models = model_calls(world, threads, interrupts)
    roots = find_roots(threads, world.pointsto)
    escapes = find_escapes(world.pointsto, world.objects, seen, roots, world.calls)

    # One automaton a thread: inlined, pointers resolved, sections resolved, simplified.
    said = options.annotations
    drafts = draft_threads(world, bodies, threads, roots, escapes, models, None if said is None else said.calls)
    warn_of_vacuous_claims(seen, world.pointsto, drafts.threads, notes)
    settled = settle_pointers(world, drafts, models)
    settle_lock_uses(drafts.threads, drafts.created)
    templates = make_templates(world, bodies, settled, drafts.created, options.table if threads.reactive else None)

    if seen.orders:
        templates = with_weak_loads(templates)

    # The program, and what is said about it: who may preempt whom, contracts, claims, what `main` does before all else.
    program = assemble(world, drafts, templates, threads.reactive, options)
    if FENCE in program.accessed:
        program = replace(program, globals=(*program.globals, FENCE_GHOST))
    if threads.reactive:
        starts_on = interrupts.starts_on(reached_from(world, "main"))
        program, interrupts_whom = schedule(program, {s.function: s for s in threads.sources}, registers, starts_on,
                                              options.table.numbers)
    else:
        interrupts_whom = in_parallel
    if program.race_model is RaceModel.MACHINE:
        program = with_indivisible_accesses(program, find_machine(world, threads.reactive, options.table), interrupts_whom)
    elif program.race_model is RaceModel.C11 and program.preemption is Preemption.NESTED:
        program = with_whole_handlers(program, interrupts_whom)
    if module.attached is not None and said is not None:
        program = said.contracts(program, module.attached)
    program = with_claims(program, module.annotations, module.enumerator)
    program = initialised(program)
    if threads.reactive and hands_over(options.race_model, program):
        program = with_lone_writers(program, sure_machine(world, options.table), is_by_itself(world))
    return program
