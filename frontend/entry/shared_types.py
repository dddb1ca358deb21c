"""Which objects callers may share: those that have a lock or something atomic in them, and so are made to be shared."""

from __future__ import annotations

from frontend.ctypes import ArrayType, CType, RecordType
from frontend.ir import Module
from frontend.memory.lock_types import library_records


class SharedTypes:
    """The structs and unions of a module with a part that is a lock, or atomic."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._locks = library_records(module)

    def holds(self, t: CType) -> bool:
        """Whether an object of the type is made to be shared. Locks by themselves are, too."""
        if t.quals.atomic:
            return True
        match t:
            case ArrayType(element=element):
                return self.holds(element)
            case RecordType(key=key):
                below = self._module.records[key].fields if key in self._module.records else ()
                return key in self._locks or any(self.holds(f.type) for f in below)
        return False

    def complete(self, t: CType) -> bool:
        """Whether an object of the type can be made: it has a size."""
        match t:
            case RecordType(key=key):
                return key in self._module.records
            case ArrayType(element=element, length=length):
                return length is not None and self.complete(element)
        return True
