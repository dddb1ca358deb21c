"""Addresses as numbers: where C code computes with what an implementation chooses, the result is open.

Every object has a fixed address here (`Objects.base`), which is enough wherever addresses are only passed on, compared for
equality and followed. The order of two objects, a hash of an address, its low word are another matter: the program may be built
and loaded so that they are anything. There the address of object x is `<address of x>` instead, a ghost that nobody changes, with
an arbitrary value from the start: arbitrary, but the same wherever it is used. A proof covers all values; a run that depends on
one of them is in doubt, because it may not be possible with the addresses that the program gets.

What every implementation guarantees stays exact: addresses in one object have the order and the distance of their offsets, bits
below an object's alignment are those of the offset, nothing is in the first or the last page, and numbers that merely flow where
addresses do are themselves. A thread's handle is a number of this kind, too, and is used again when its thread has ended.
"""

from __future__ import annotations

from collections.abc import Callable

from frontend.ctypes import IntType
from frontend.ir import Call, Function, Load, Storage
from frontend.ir.split_registers import plain
from frontend.memory.leaves import MemObject
from frontend.memory.points_to import ANY, Target
from frontend.memory.world import World
from frontend.program import (
    BOOL,
    COMPARISONS,
    FALSE,
    LOGICAL,
    TRUE,
    Access,
    AccessKind,
    Arbitrary,
    Binary,
    Cast,
    Const,
    Element,
    Expr,
    Havoc,
    Ite,
    Lvalue,
    Op,
    Read,
    Scalar,
    Unary,
    Var,
    Variable,
    negate,
    variables,
)
from frontend.program.fold import cast, conjunction, disjunction, fold, minus, plus
from frontend.records import dataclass
from frontend.threads.same_address import SameAddress, instance, within

_PAGE = 4096
"""No object has an address below this, or as close to the end of the address space."""
_MOST_OBJECTS = 24
"""So many objects are told apart in the value of a pointer that is computed with; beyond that a number is any one."""
_USED_BITS = {16: 16, 32: 32, 64: 47}
"""Bits of an address that may be set, by the width of a pointer."""


@dataclass(frozen=True, slots=True)
class Computed:
    """What an expression may be: `value` where `guard` holds; `doubtful` if it depends on addresses as numbers.

    `before`: what is done first, in the same step; `accesses`: to ghosts.
    """

    guard: Expr
    value: Expr
    doubtful: bool = False
    before: tuple[Op, ...] = ()
    accesses: tuple[Access, ...] = ()


class AddressNumbers:
    """Finds the expressions of a thread that depend on addresses as numbers; `ghosts` are the variables that those need."""

    def __init__(self, world: World, temporary: Callable[[Scalar], Var]) -> None:
        self.world = world
        self.temporary = temporary
        self.same = SameAddress(world)
        self._integers: dict[str, frozenset[str]] = {}
        self.ghosts: dict[str, Variable] = {}

    def cases(self, function: str, e: Expr, renamed: Callable[[Expr], Expr]) -> tuple[Computed, ...]:
        """What the value of `e` may be, over the thread's registers; empty if it is what the expression says.

        `renamed`: an expression over the function's registers as one over those of the thread.
        """
        if isinstance(e, Const | Read) or not any(self.world.pointsto.may_be_address(function, n) for n in variables(e)):
            return ()
        reading = _Reading(self, function, renamed)
        value = reading.value(e)
        if not reading.met:
            return ()
        before: tuple[Op, ...] = (Havoc(tuple(reading.fresh)),) if reading.fresh else ()
        open_ = fold(negate(reading.exact))
        seen = tuple(Access(v, False, kind=AccessKind.SYNC) for v in reading.known)
        found = [Computed(reading.exact, renamed(e)), Computed(open_, fold(value), True, before, seen)]
        if reading.again:
            found.append(Computed(open_, renamed(e), True))
        return tuple(c for c in found if c.guard != FALSE)

    def integers(self, function: str) -> frozenset[str]:
        """The registers of a function that are integers in the program and wide enough for an address."""
        if function not in self._integers:
            self._integers[function] = _integers(self.world.pointsto.reached.get(function))
        return self._integers[function]

    def ghost(self, obj: MemObject) -> Variable:
        """The variable for the address of an object as a number, an array if the object has instances."""
        name = f"<address of {obj.name}>"
        if name not in self.ghosts:
            length = None if obj.instances is None else obj.instances.count
            self.ghosts[name] = Variable(name, self.world.places.pointer, length, Arbitrary(), name, ghost=True)
        return self.ghosts[name]


def _integers(body: Function | None) -> frozenset[str]:
    if body is None:
        return frozenset()
    loaded = (e.instr.target.name for e in body.edges if isinstance(e.instr, Load) and isinstance(e.instr.place.type, IntType))
    called = (e.instr.result.name for e in body.edges if isinstance(e.instr, Call) and isinstance(e.instr.result, Var)
              and isinstance(e.instr.type.result, IntType))
    declared = (r.name for r in body.registers if plain(r.name) in body.integers)
    return frozenset((*loaded, *called, *declared))


class _Reading:
    """One expression with numbers in place of addresses, and where that makes no difference (`exact`)."""

    def __init__(self, numbers: AddressNumbers, function: str, renamed: Callable[[Expr], Expr]) -> None:
        self._numbers = numbers
        self._objects = numbers.world.objects
        self._pointsto = numbers.world.pointsto
        self._pointer = numbers.world.places.pointer
        self._function = function
        self._renamed = renamed
        self.exact: Expr = TRUE
        self.met = False
        self.again = False
        """Whether something may be a number already, made of an address by a computation before this one."""
        self.fresh: list[Var] = []
        self.known: dict[Lvalue, None] = {}

    def value(self, e: Expr) -> Expr:
        """The value of an expression, with numbers in place of addresses where it depends on them."""
        match e:
            case Cast(arg=a, type=t):
                narrow = t != BOOL and t.width < self._pointer.width
                return Cast(self._number(a) if narrow and self._carries(a) else self.value(a), t)
            case Unary(op=op, arg=a):
                return Unary(op, self._number(a) if op != "!" and self._carries(a) else self.value(a))
            case Ite(cond=c, then=a, other=b):
                return Ite(self.value(c), self.value(a), self.value(b))
            case Binary(op=op, left=a, right=b) if op in LOGICAL:
                return Binary(op, self.value(a), self.value(b))
            case Binary():
                return self._binary(e)
            case _:
                return self._renamed(e)

    def _binary(self, e: Binary) -> Expr:
        a, b, op = e.left, e.right, e.op
        first, second = self._carries(a), self._carries(b)
        if first and second:
            return self._pair(e)
        if not (first or second) or op == "+" or (op == "-" and first) or self._is_guaranteed(e, first):
            return Binary(op, self.value(a), self.value(b))
        if second:
            made = Binary(op, self.value(a), self._number(b))
        else:
            made = Binary(op, self._number(a, self._is_tag(b, a) if op in ("|", "^") else FALSE), self.value(b))
        # Where bits of an address are cleared or set (`p & ~15`), the result is one again: some place in the object.
        return self._arbitrary(e.type) if op in ("&", "|", "^") and bool(self._targets(e)) else made

    def _carries(self, e: Expr) -> bool:
        """Whether the value may be an address or a handle."""
        if e.type.width < self._pointer.width:
            return False
        match e:
            case Binary(op="-", left=a, right=b) if self._carries(a) and self._carries(b):
                return False
            case Cast(arg=a):
                return self._carries(a)
        return bool(self._targets(e)) or self._is_handle(e)

    def _targets(self, e: Expr) -> tuple[Target, ...]:
        return tuple(t for t in self._pointsto.targets(self._function, e).known if t[0][0] != "*")

    def _is_handle(self, e: Expr) -> bool:
        return self._pointsto.is_handle(self._function, e)

    # ------------------------------------------------------------------------------------------- what is guaranteed
    def _is_guaranteed(self, e: Binary, first: bool) -> bool:
        """Whether an operation on an address and something else gives the same wherever the object is."""
        address = e.left if first else e.right
        other = fold(self._renamed(e.right if first else e.left))
        if not isinstance(other, Const):
            return e.op in ("==", "!=") and not self._is_number(address)
        c, width = other.value & ((1 << other.type.width) - 1), self._pointer.width
        if e.op in COMPARISONS:
            return c < _PAGE or c >= (1 << width) - _PAGE or (e.op in ("==", "!=") and self._objects.bare)
        low, used = self._alignment(address), _USED_BITS[width]
        match e.op:
            case "&":
                whole = (1 << used) - 1
                return c < low or ~c & ((1 << width) - 1) < low or (c | (low - 1)) & whole == whole
            case "|" | "^":
                return c < low or c >> used << used == c
            case "%":
                return first and not e.type.signed and 0 < c <= low and c & (c - 1) == 0
            case _:
                return e.op == ">>" and first and c >= used

    def _alignment(self, address: Expr) -> int:
        """What the addresses of all objects are multiples of."""
        if self._is_handle(address):
            return 1
        return min((1 if t[0][0] == "&" else self._objects.named(t[0]).align for t in self._targets(address)), default=1)

    def _is_tag(self, tag: Expr, address: Expr) -> Expr:
        """Whether a number is so small that it lies in the bits that an address does not need."""
        number = fold(cast(self._renamed(tag), self._pointer))
        return fold(Binary("<", number, Const(self._alignment(address), self._pointer)))

    # ------------------------------------------------------------------------------------------- numbers
    def _number(self, e: Expr, unless: Expr = FALSE) -> Expr:
        """The address that `e` gives as a number; all is exact `unless` that, or if it is none."""
        address = fold(cast(self._renamed(e), self._pointer))
        self._only_if(fold(Binary("||", unless, self._is_small(e, address))))
        return cast(self._placed(e, address), e.type)

    def _pair(self, e: Binary) -> Expr:
        """An operation on two addresses: exact in one object, and for what is no address."""
        a, b = (fold(cast(self._renamed(x), self._pointer)) for x in (e.left, e.right))
        plain = fold(self._renamed(e))
        none = conjunction(self._is_small(e.left, a), self._is_small(e.right, b))
        if e.op in ("==", "!="):
            return self._equal(e, a, b, none)
        if e.op in ("+", "&", "|"):
            # A number that only flows where addresses do moves an address; of two addresses the result may be any place.
            self._only_if(fold(Binary("||", self._is_small(e.left, a), self._is_small(e.right, b))) if e.op == "+" else none)
            return self._arbitrary(e.type)
        if e.op == "-":
            none = self._is_small(e.right, b)
        same = self._in_one_object(e, a, b)
        if same == TRUE:
            return plain
        self._only_if(fold(Binary("||", same, none)))
        first, second = cast(self._placed(e.left, a), e.left.type), cast(self._placed(e.right, b), e.right.type)
        return Ite(same, plain, Binary(e.op, first, second))

    def _equal(self, e: Binary, a: Expr, b: Expr, none: Expr) -> Expr:
        """Whether two addresses are equal, as far as every implementation agrees."""
        if self._is_handle(e.left) and self._is_handle(e.right):
            # Two handles that differ here may be one that was used again.
            exact = fold(Binary("||", Binary("==", a, b), none))
        else:
            numbers = self._is_number(e.left) or self._is_number(e.right)
            exact = fold(negate(self._numbers.same.is_open(a, b, self._targets(e.left), self._targets(e.right), numbers)))
        if exact == TRUE:
            return fold(self._renamed(e))
        self._only_if(exact)
        return Binary(e.op, self._arbitrary(e.left.type), self._arbitrary(e.right.type))

    def _is_number(self, e: Expr) -> bool:
        """Whether the value is an integer in the program, not a pointer."""
        return any(name in self._numbers.integers(self._function) for name in variables(e))

    def _only_if(self, guard: Expr) -> None:
        self.met = True
        self.exact = conjunction(self.exact, guard)

    def _is_small(self, e: Expr, value: Expr) -> Expr:
        """Whether the value is no address: a small number that only flows where addresses do, or null."""
        if self._is_handle(e):
            return fold(Binary("==", value, Const(0, value.type)))
        first = self._objects.first_address
        moved = plus(value, Const(first, value.type))
        return fold(Binary("<", moved, Const(2 * first, value.type)))

    def _in_one_object(self, e: Binary, a: Expr, b: Expr) -> Expr:
        """Whether both addresses are in, or just behind, the same object; an order and a distance make sense then."""
        first, second = ({t[0] for t in self._targets(x) if t[0][0] != "&"} for x in (e.left, e.right))
        if e.op not in COMPARISONS and e.op != "-":
            return FALSE
        if len(first | second) == 1 and not self._is_handle(e.left) and not self._is_handle(e.right):
            [name] = first | second
            if self._objects.named(name).instances is None:
                return TRUE
        common = sorted(first & second)
        return disjunction(self._both_within(a, b, self._objects.named(name)) for name in common[:_MOST_OBJECTS])

    def _both_within(self, a: Expr, b: Expr, obj: MemObject) -> Expr:
        """Whether both addresses are in the object, and in the same one of its instances."""
        both = conjunction(within(self._objects, a, obj), within(self._objects, b, obj))
        if obj.instances is not None:
            both = conjunction(both, Binary("==", instance(self._objects, a, obj), instance(self._objects, b, obj)))
        return both

    def _placed(self, e: Expr, address: Expr) -> Expr:
        """The address as a number, by the object that it is in."""
        targets = self._targets(e)
        self.again |= any(offset == ANY for _, offset in targets)
        objects = [self._objects.named(name) for name in dict.fromkeys(t[0] for t in targets if t[0][0] != "&")]
        alone = len(objects) == 1 and len(targets) == 1 and not self._is_handle(e)
        found = Const(0, address.type) if alone else self._arbitrary(address.type)
        for obj in objects if len(objects) <= _MOST_OBJECTS else ():
            number = self._in_object(address, obj)
            found = number if alone else Ite(within(self._objects, address, obj), number, found)
        small = self._is_small(e, address)
        return Ite(small, address, found)

    def _in_object(self, address: Expr, obj: MemObject) -> Expr:
        """The number of an address in an object: another one for each call, if the object is a local."""
        distance = minus(address, self._objects.base(obj))
        if obj.symbol is not None and obj.symbol.storage not in (Storage.GLOBAL, Storage.STATIC):
            return plus(self._arbitrary(address.type), distance)
        ghost = self._numbers.ghost(obj)
        lvalue: Lvalue = Var(ghost.name, ghost.type)
        if obj.instances is not None:
            lvalue = Element(ghost.name, cast(instance(self._objects, address, obj), self._objects.word), ghost.type)
            distance = fold(Binary("%", distance, Const(obj.instances.stride, distance.type)))
        self.known.setdefault(lvalue)
        return plus(Read(lvalue), distance)

    def _arbitrary(self, type_: Scalar) -> Expr:
        made = self._numbers.temporary(type_)
        self.fresh.append(made)
        return Read(made)
