"""A program and a proof of kind `ownership` come in; whether every access to an allocated object is by its one owner goes out.

Knows of no engine and no solver: sites, links, roots and what holds at each location are given, and each edge is checked alone.
"""

from circ.kernel.ownership.check import OwnershipProof, written
from circ.kernel.ownership.entailment import entails
from circ.kernel.ownership.heap import Guarded, Heap, Site, Slot, pointer_in, uncast
from circ.kernel.ownership.lifetimes import Lifetimes
from circ.kernel.ownership.linking import Disallowed
from circ.kernel.ownership.shapes import MINE, NOTHING, TORN, Fact, Label, Shape, Value, aligned, symbols_in
from circ.kernel.ownership.steps import Steps, Unestablished

__all__ = [
    "MINE", "NOTHING", "TORN", "Disallowed", "Fact", "Guarded", "Heap", "Label", "Lifetimes", "OwnershipProof", "Shape", "Site",
    "Slot", "Steps", "Unestablished", "Value", "aligned", "entails", "pointer_in", "symbols_in", "uncast", "written",
]
