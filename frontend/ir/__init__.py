"""The form between the two halves of the front end: functions as graphs of instructions over registers and typed places.

Lowering puts it in by `builder`; memory, library and threads take it out. The tables of the C library and of interrupts are data
here, which both halves read. It may not know of the AST, nor of what pointers point to.
"""

from frontend.ir.instructions import (
    Address,
    AtomicBegin,
    AtomicEnd,
    Call,
    Copy,
    CriticalBegin,
    CriticalEnd,
    Fail,
    FailKind,
    Field,
    Forget,
    Guard,
    Index,
    Instr,
    IrEdge,
    Load,
    Nop,
    PathStep,
    Place,
    Set,
    Store,
    ThreadFence,
    defined,
)
from frontend.ir.module import STRING, AddressValue, Function, FunctionDecl, MemorySymbol, Module, Storage

__all__ = [
    "Address", "AddressValue", "AtomicBegin", "AtomicEnd", "Call", "Copy", "CriticalBegin", "CriticalEnd", "Fail",
    "FailKind", "Field", "Forget", "Function", "FunctionDecl", "Guard", "Index", "Instr", "IrEdge", "Load", "Module",
    "Nop", "Place", "STRING", "Set", "PathStep", "Storage", "Store", "MemorySymbol", "ThreadFence", "defined",
    # modules
    "assembly", "builder", "formats", "interrupt_table", "library_inputs", "library_table", "modelled_calls", "split_registers",
    "thread_library",
]
