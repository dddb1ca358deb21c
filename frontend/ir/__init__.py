"""TODO frontend.ir.instructions."""

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
    Place,
    Set,
    Step,
    Store,
    defined,
)
from frontend.ir.module import STRING, AddressValue, Function, FunctionDecl, Module, Storage, Symbol

__all__ = [
    "Address", "AddressValue", "AtomicBegin", "AtomicEnd", "Call", "Copy", "CriticalBegin", "CriticalEnd", "Fail",
    "FailKind", "Field", "Forget", "Function", "FunctionDecl", "Guard", "Index", "Instr", "IrEdge", "Load", "Module",
    "Nop", "Place", "STRING", "Set", "Step", "Storage", "Store", "Symbol", "defined",
]
