"""What pointers may point to: inclusion-based (Andersen), flow-insensitive, sensitive to fields by their byte offset.

A target is an object and an offset in it, elements of an array being one; `ANY` is any offset of the object. Nodes of the
graph are registers that are wide enough for an address, and the leaves of objects. Functions are taken in as calls,
direct or through pointers, reach them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from frontend.ctypes import ArrayType, CType, FunctionType, IntType, PointerType, VoidType, unqualified
from frontend.ir import (
    STRING,
    Address,
    AddressValue,
    Call,
    Copy,
    Forget,
    Function,
    Index,
    IrEdge,
    Load,
    Module,
    Place,
    Set,
    Storage,
    Store,
)
from frontend.ir.library_table import ANY_TIME, AT_EXIT, CALLBACKS, EXITS, HIDDEN, KEYS, KNOWN, PUSH, SPECIFIC, THREAD_END
from frontend.memory.flows import (
    ANY,
    INTEGER,
    MOST_ABSOLUTE,
    UNKNOWN,
    Flows,
    Node,
    Shift,
    Site,
    Target,
    absolute_target,
    function_target,
    is_inside,
    walks,
)
from frontend.memory.heap import allocated
from frontend.memory.leaves import Leaf, MemObject
from frontend.memory.objects import Objects
from frontend.memory.places import Places
from frontend.program import Binary, Const, Expr, Read, Scalar, Var
from frontend.program.fold import cast

THREAD_STARTERS = {"pthread_create": (2, 3), "thrd_create": (1, 2)}
"""Functions that start a thread: which argument is its function, which one is handed to it."""
CALLS_BACK = frozenset({"pthread_once", "call_once"})
"""Functions that call their second argument."""
_VARIADIC: Node = ("v", "", "")
"""What the arguments are behind the named ones of calls of functions that have a body."""
QUIET = ("pthread_", "sem_", "mtx_", "cnd_", "thrd_", "__VERIFIER_", "atomic_")
"""Functions of the threading library do not follow the pointers they are given."""


@dataclass(slots=True)
class _Uses:
    """What has to happen when a node learns a new target."""

    copies: list[tuple[Node, Shift | None]] = field(default_factory=list)
    handlers: list[Callable[[Target], None]] = field(default_factory=list)


LOCK_FUNCTIONS = ("pthread_mutex_", "pthread_cond_", "pthread_rwlock_", "pthread_spin_", "pthread_barrier_", "sem_", "mtx_",
                  "cnd_")


@dataclass(frozen=True, slots=True)
class Targets:
    """What a pointer may point to; `unknown`: anything whose address was taken besides."""

    known: tuple[Target, ...]
    unknown: bool


class PointsTo:
    """The analysis; `solve` once, then ask."""

    def __init__(self, module: Module, objects: Objects, places: Places, functions: Callable[[str], Function | None],
                 heap_types: Mapping[str, CType], single: frozenset[str] = frozenset(),
                 called: Callable[[str, int, int, str], str] = lambda _caller, _source, _target, callee: callee,
                 same: Mapping[Site, Site] | None = None) -> None:
        """`heap_types`: what the memory of an allocation site is used as; `single`: sites that allocate at most once.

        `called`: the name under which `functions` knows what a call at an edge goes to; `same`: sites that are one object.
        """
        self._module = module
        self._objects = objects
        self._places = places
        self._functions = functions
        self._follow = Flows(objects, places)
        self._sets: dict[Node, dict[Target, None]] = {}
        self._uses: dict[Node, _Uses] = {}
        self._work: deque[tuple[Node, Target]] = deque()
        self._initialised: set[str] = set()
        self._edges: set[tuple[Node, Node]] = set()
        self._heap_types = heap_types
        self._single = single
        self._called = called
        self._same = same or {}
        self.wild = False
        self.reached: dict[str, Function] = {}
        self.entered: dict[str, None] = {}
        self.callees: dict[str, dict[tuple[int, int], dict[str, None]]] = {}
        self.created: dict[Site, dict[str, None]] = {}
        self.handlers: dict[str, dict[str, dict[Site, None]]] = {}
        self.anytime: dict[Site, dict[str, None]] = {}
        self.often: dict[str, None] = {}
        self._runners: dict[str, list[tuple[Function, IrEdge, tuple[Expr | Place, ...]]]] = {}
        self.sites: dict[Site, str] = {}
        self.heaps: dict[str, int | None] = {}
        self.pointed: dict[str, dict[CType, None]] = {}
        self.taken: dict[str, None] = {}
        self.exposed: dict[str, None] = {}
        self.exposed_deep: dict[str, None] = {}
        self._foreign: set[Node] = set()
        """Cells whose pointers from outside can only be what code that is not here put there itself."""

    # `reached`: bodies, copies under their own names; `entered`: the functions as the program names them.
    # `handlers`: by the occasion on which they run, functions that are handed over, and where that is done. `anytime`:
    # functions that may run at any time behind a call. `often`: functions that may run any number of times.
    # ------------------------------------------------------------------------------------------- questions
    def solve(self, roots: Iterable[str]) -> None:
        """Take in everything that the threads reach."""
        for symbol in self._module.symbols.values():
            if any(isinstance(value, AddressValue) for _, value in symbol.initial):
                self._initialise(self._objects.named(symbol.name))
        for root in roots:
            function = self._functions(root)
            if function is not None:
                self._reach(root)
                self._from_outside(function)
        self._run()

    def targets(self, function: str, e: Expr) -> Targets:
        """What the value of an expression over the function's registers may point to."""
        found: dict[Target, None] = {}
        for node, shift, constant in self._follow.flows(function, e):
            if node is None:
                assert constant is not None
                found.setdefault(constant)
            else:
                for t in self._sets.get(node, ()):
                    found.setdefault(t if shift is None else shift(t))
        real = tuple(t for t in found if t not in (UNKNOWN, INTEGER))
        objects = tuple(t for t in real if not t[0].startswith("*"))
        # Where addresses flow, numbers are lengths and the like: to use one as an address would be undefined, but for a
        # register of a processor on which no system runs.
        unknown = UNKNOWN in found or self.wild or (not objects and INTEGER in found)
        return Targets(real if self._objects.bare else objects or real, unknown)

    def functions(self, function: str, e: Expr, arity: int) -> tuple[str, ...]:
        """The functions that a pointer value may be, of a compatible number of parameters."""
        found = self.targets(function, e)
        names = [t[0][1:] for t in found.known if t[0].startswith("&")]
        if found.unknown:
            names.extend(n for n in self.taken if n in self._module.declarations and n not in names)
        return tuple(n for n in names if self._fits(n, arity))

    def all_targets(self) -> Iterable[Iterable[Target]]:
        """What each register and each leaf may point to."""
        return self._sets.values()

    def holds_heap(self, function: str, register: Var) -> bool:
        """Whether the register may point to memory that was allocated."""
        return any(t[0] in self.heaps for t in self._sets.get(("r", function, register.name), ()))

    def texts(self, function: str, e: Expr) -> tuple[str, ...] | None:
        """The strings that begin where a pointer value may point to; None if it may point to one that is not constant."""
        found = self.targets(function, e)
        texts: dict[str, None] = {}
        for name, _ in found.known:
            text = self._constant_text(name)
            if text is None:
                return None
            texts.update(dict.fromkeys(text[n:] for n in range(max(len(text), 1))))  # all elements of an array are one target
        return None if found.unknown or not found.known else tuple(texts)

    def _constant_text(self, name: str) -> str | None:
        """The string in an array of characters that nobody may change."""
        symbol = self._module.symbols.get(name)
        match symbol.type if symbol is not None else None:
            case ArrayType(element=IntType() as element, length=int(length)) if element.bits == 8:
                assert symbol is not None
                if symbol.storage not in (Storage.GLOBAL, Storage.STATIC) or not symbol.defined:
                    return None
                if not name.startswith(STRING) and not element.quals.const:
                    return None
                codes = [0] * length
                for path, value in symbol.initial:
                    match path, value:
                        case (Index(value=Const(value=i)),), int(code) if 0 <= i < length:
                            codes[i] = code & 255
                        case _:
                            return None
                return bytes(codes).split(b"\0")[0].decode("latin-1")
        return None

    def contents(self, obj: MemObject) -> Iterable[Target]:
        """Everything that some pointer stored in the object may point to."""
        for number in range(len(obj.leaves)):
            yield from self._sets.get(("c", obj.name, str(number)), ())

    def leads(self, obj: MemObject) -> Iterable[Target]:
        """What code that is not here may get to from the object: what it put there itself, it had got to before.

        It puts no pointers into what is too narrow for them.
        """
        for number, leaf in enumerate(obj.leaves):
            cell = ("c", obj.name, str(number))
            foreign = cell in self._foreign
            yield from (t for t in self._sets.get(cell, ()) if not foreign or t != UNKNOWN)
            if foreign and (leaf.bytes or self._follow.wide(leaf.type)):
                yield from ((name, ANY) for name in self.exposed_deep)

    def holds_addresses(self, obj: MemObject, leaf: Leaf) -> bool:
        """Whether the leaf, of any element, is ever set to an address."""
        cell = ("c", obj.name, str(obj.leaves.index(leaf)))
        return self.wild or any(t != INTEGER for t in self._sets.get(cell, ()))

    def _fits(self, name: str, arity: int) -> bool:
        decl = self._module.declarations.get(name)
        return decl is not None and (len(decl.type.params) == arity or decl.type.variadic or not decl.type.params)

    # ------------------------------------------------------------------------------------------- solving
    def _add(self, node: Node, target: Target) -> None:
        known = self._sets.setdefault(node, {})
        if target[0][0] == "*" and target not in known and sum(t[0][0] == "*" for t in known) >= MOST_ABSOLUTE:
            target = INTEGER  # a number that is counted up would be another address for every value it can have
        if target not in known:
            known[target] = None
            self._work.append((node, target))
        elif target == UNKNOWN:
            self._foreign.discard(node)

    def _run(self) -> None:
        while self._work:
            node, target = self._work.popleft()
            uses = self._uses.get(node)
            if uses is None:
                continue
            for into, shift in list(uses.copies):
                self._add(into, target if shift is None else shift(target))
            for handler in list(uses.handlers):
                handler(target)

    def _copy(self, source: Node, into: Node, shift: Shift | None = None) -> None:
        self._uses.setdefault(source, _Uses()).copies.append((into, shift))
        for target in list(self._sets.get(source, ())):
            self._add(into, target if shift is None else shift(target))

    def _each(self, source: Node, handler: Callable[[Target], None]) -> None:
        self._uses.setdefault(source, _Uses()).handlers.append(handler)
        for target in list(self._sets.get(source, ())):
            handler(target)

    # ------------------------------------------------------------------------------------------- constraints
    def _reach(self, name: str) -> None:
        if name in self.reached:
            return
        function = self._functions(name)
        if function is None:
            return
        self.reached[name] = function
        self.entered.setdefault(function.original or name)
        self._objects.declare(function.memory)
        for edge in function.edges:
            self._instruction(function, edge)

    def _instruction(self, function: Function, edge: IrEdge) -> None:
        name = function.name
        match edge.instr:
            case Set(target=t, value=e):
                self._assign(name, e, ("r", name, t.name), t.type)
            case Forget(targets=ts, variadic=variadic, pointer=pointer):
                for t in ts:
                    self._number(("r", name, t.name), t.type)
                    if pointer and self._follow.wide(t.type):
                        self._add(("r", name, t.name), UNKNOWN)
                    if variadic and self._follow.wide(t.type):
                        self._once(_VARIADIC, ("r", name, t.name))
            case Load(target=t, place=place):
                into = ("r", name, t.name)
                if self._follow.wide(t.type):
                    self._place(name, place, lambda target: self._load(target, self._module.sizeof(place.type), into))
            case Store(place=place, value=value, why=why):
                if why:
                    self._place(name, place, lambda target: self._scramble(target, self._module.sizeof(place.type), UNKNOWN))
                elif value is not None and self._follow.wide(value.type):
                    self._place(name, place, lambda target: self._store(name, value, target, self._module.sizeof(place.type)))
                else:
                    narrow = None if value is None else value.type.width
                    self._place(name, place, lambda target: self._piece(target, self._module.sizeof(place.type), narrow))
            case Address(target=t, place=place):
                if isinstance(place.base, str) and isinstance(place.type, FunctionType):
                    self.taken.setdefault(place.base)
                    self._add(("r", name, t.name), function_target(place.base))
                else:
                    self._place(name, place, lambda target: self._take(("r", name, t.name), target))
            case Copy(target=into_place, source=origin):
                self._place(name, into_place, lambda a: self._place(name, origin, lambda b: self._transfer(b, a, origin.type)))
            case Call() as call:
                self._call(function, edge, call)
            case _:
                pass

    def _take(self, node: Node, target: Target) -> None:
        if target not in (UNKNOWN, INTEGER):
            self.taken.setdefault(target[0])
        self._add(node, target)

    def _number(self, node: Node, t: Scalar) -> None:
        if self._follow.wide(t):
            self._add(node, INTEGER)

    def _assign(self, function: str, e: Expr, into: Node, t: Scalar) -> None:
        if not self._follow.wide(t):
            return
        for node, shift, constant in self._follow.flows(function, e):
            if node is None:
                assert constant is not None
                self._add(into, constant)
            else:
                self._copy(node, into, shift)

    def _place(self, function: str, place: Place, use: Callable[[Target], None]) -> None:
        """Call `use` for every target that the place may be, now or later."""
        if isinstance(place.base, str):
            obj = self._objects.named(place.base)
            self._initialise(obj)
            move = self._places.displacement(obj.type, place.path, inside=True)
            use((obj.name, obj.normal(move.offset)))
            return
        move = self._places.displacement(place.base_type, place.path)

        def arrived(target: Target) -> None:
            self.pointed.setdefault(target[0], {}).setdefault(unqualified(place.base_type))
            there = self._follow.displaced(target, move)
            if there[0][0] not in "?#&*" and walks(self._objects.named(there[0]), there[1], place.base_type, self._module):
                there = self._follow.anywhere(there)
            use(there)

        for node, shift, constant in self._follow.flows(function, place.base):
            if node is None:
                assert constant is not None
                arrived(constant)
            elif shift is None:
                self._each(node, arrived)
            else:
                self._each(node, self._after(shift, arrived))

    def _after(self, shift: Shift, use: Callable[[Target], None]) -> Callable[[Target], None]:
        return lambda t: use(shift(t))

    def _cells(self, target: Target, size: int) -> list[Node]:
        name, offset = target
        if target in (UNKNOWN, INTEGER) or name[0] in "&*":
            return []
        obj = self._objects.named(name)
        self._initialise(obj)
        if offset != ANY and not is_inside(obj, offset):
            return []
        return [("c", name, str(n)) for n in obj.leaf_numbers(offset, size)]

    def _load(self, target: Target, size: int, into: Node) -> None:
        if target == UNKNOWN:
            self._add(into, UNKNOWN)
        for cell in self._cells(target, size):
            leaf = self._objects.named(target[0]).leaves[int(cell[2])]
            if leaf.bytes and (cell, into) not in self._edges:
                # Bytes that were stored one by one may make up any address.
                self._edges.add((cell, into))
                self._copy(cell, into, lambda t: UNKNOWN if t == INTEGER else t)
            else:
                self._once(cell, into)

    def _once(self, source: Node, into: Node) -> None:
        if (source, into) not in self._edges:
            self._edges.add((source, into))
            self._copy(source, into)

    def _store(self, function: str, value: Expr, target: Target, size: int) -> None:
        if target == UNKNOWN:
            self._spoil()
        for cell in self._cells(target, size):
            for node, shift, constant in self._follow.flows(function, value):
                if node is None:
                    assert constant is not None
                    self._add(cell, constant)
                elif shift is None:
                    self._once(node, cell)
                else:
                    self._copy(node, cell, shift)

    def _scramble(self, target: Target, size: int, value: Target) -> None:
        """Memory gets a value that is not followed; a pointer in it may then be `value`."""
        if target[0][0] in "&*?#":
            return
        leaves = self._objects.named(target[0]).leaves
        for cell in self._cells(target, size):
            if self._follow.wide(leaves[int(cell[2])].type):
                self._add(cell, value)

    def _piece(self, target: Target, size: int, width: int | None) -> None:
        """A number too narrow for an address is stored. As a part of a wider cell it may be a part of any address."""
        if target[0][0] in "&*?#":
            return
        leaves = self._objects.named(target[0]).leaves
        for cell in self._cells(target, size):
            leaf = leaves[int(cell[2])]
            if self._follow.wide(leaf.type):
                self._add(cell, INTEGER if width is None or width >= leaf.type.width else UNKNOWN)
            elif width is not None and leaf.bytes:
                self._add(cell, INTEGER)

    def _transfer(self, origin: Target, into: Target, type_: CType) -> None:
        """Everything at `origin` is copied to `into`."""
        size = self._module.sizeof(type_)
        if into == UNKNOWN:
            self._spoil()
        sources, targets = self._cells(origin, size), self._cells(into, size)
        if origin == UNKNOWN:
            for cell in targets:
                self._add(cell, UNKNOWN)
        a, b = self._leaves_in(origin, size), self._leaves_in(into, size)
        if a is not None and b is not None and len(a) == len(b):
            for x, y in zip(a, b, strict=True):
                self._once(x, y)
            return
        for x in sources:
            for y in targets:
                self._once(x, y)

    def _leaves_in(self, target: Target, size: int) -> list[Node] | None:
        """The leaves in `size` bytes from a target, in order; None if that is not known."""
        name, offset = target
        if target in (UNKNOWN, INTEGER) or name[0] in "&*" or offset == ANY:
            return None
        leaves = self._objects.named(name).leaves
        return [("c", name, str(n)) for n, leaf in enumerate(leaves) if offset <= leaf.offset < offset + size]

    def _spoil(self) -> None:
        """A store through a pointer from outside: any object whose address was taken may hold such a pointer now."""
        self.wild = True

    def _initialise(self, obj: MemObject) -> None:
        """The addresses in an object's initialiser; what an object defined elsewhere holds is not known."""
        if obj.name in self._initialised or obj.symbol is None:
            return
        self._initialised.add(obj.name)
        if not obj.symbol.defined:
            for number in range(len(obj.leaves)):
                self._add(("c", obj.name, str(number)), UNKNOWN)
        for path, value in obj.symbol.initial:
            if value == 0:
                continue
            move = self._places.displacement(obj.type, path, inside=True)
            numbers = obj.leaf_numbers(obj.normal(move.offset), self._module.sizeof(move.type))
            if isinstance(value, AddressValue):
                self.taken.setdefault(value.symbol)
                target = self._link_target(value)
            else:
                numbers = tuple(n for n in numbers if self._follow.wide(obj.leaves[n].type))
                target = absolute_target(self._places.pointer.wrap(value))
            for number in numbers:
                self._add(("c", obj.name, str(number)), target)

    def _link_target(self, value: AddressValue) -> Target:
        if value.symbol in self._module.declarations and value.symbol not in self._module.symbols:
            return function_target(value.symbol)
        obj = self._objects.named(value.symbol)
        self._initialise(obj)
        return (obj.name, obj.normal(self._places.displacement(obj.type, value.path, inside=True).offset + value.addend))

    # ------------------------------------------------------------------------------------------- calls
    def _call(self, function: Function, edge: IrEdge, call: Call) -> None:
        if isinstance(call.callee, str):
            self._callee(function, edge, call, call.callee)
            return

        def arrived(target: Target) -> None:
            if target[0].startswith("&") and self._fits(target[0][1:], len(call.args)):
                self._callee(function, edge, call, target[0][1:])
            elif target == UNKNOWN:
                for name in list(self.taken):
                    if name in self._module.declarations and self._fits(name, len(call.args)):
                        self._callee(function, edge, call, name)

        for node, shift, constant in self._follow.flows(function.name, call.callee):
            if node is not None:
                self._each(node, arrived if shift is None else self._after(shift, arrived))
            elif constant is not None:
                arrived(constant)

    def _callee(self, function: Function, edge: IrEdge, call: Call, callee: str) -> None:
        if callee in THREAD_STARTERS:
            self._starter(function, edge, call, THREAD_STARTERS[callee])
            return
        if callee in CALLS_BACK and len(call.args) > 1:
            back = call.args[1]
            assert not isinstance(back, Place)
            self._call(function, edge, Call(None, back, (), FunctionType(VoidType(), ())))
            return
        if callee == PUSH:
            routine = call.args[1]
            assert not isinstance(routine, Place)
            self._call(function, edge, Call(None, routine, call.args[2:], FunctionType(VoidType(), ())))
            return
        decl = self._module.declarations.get(callee)
        if decl is None or not decl.defined:
            self._handed_over(function, edge, call, callee)
            if callee in CALLBACKS:
                self._called_back(function, edge, call, *CALLBACKS[callee])
            self._external(function, edge, call, callee)
            return
        callee = self._called(function.name, edge.source, edge.target, callee)
        self.callees.setdefault(function.name, {}).setdefault((edge.source, edge.target), {}).setdefault(callee)
        self._reach(callee)
        body = self.reached[callee]
        for param, argument in zip(body.params, call.args, strict=False):
            self._pass(function, argument, body, param)
        for argument in call.args[len(body.params):]:
            if not isinstance(argument, Place):
                self._assign(function.name, argument, _VARIADIC, argument.type)
        if isinstance(call.result, Var) and isinstance(body.result, Var) and self._follow.wide(call.result.type):
            self._once(("r", callee, body.result.name), ("r", function.name, call.result.name))
        elif isinstance(call.result, Place) and isinstance(body.result, str):
            origin = self._objects.named(body.result)
            self._place(function.name, call.result, lambda t: self._transfer((origin.name, 0), t, origin.type))

    def _pass(self, function: Function, argument: Expr | Place, body: Function, param: Var | str) -> None:
        if isinstance(argument, Place):
            if isinstance(param, str):
                into = self._objects.named(param)
                self._place(function.name, argument, lambda t: self._transfer(t, (into.name, 0), into.type))
        elif isinstance(param, Var):
            self._assign(function.name, argument, ("r", body.name, param.name), param.type)
        else:
            obj = self._objects.named(param)
            self._store(function.name, argument, (obj.name, 0), obj.size)

    def _called_back(self, function: Function, edge: IrEdge, call: Call, position: int, given: tuple[int, ...]) -> None:
        """The callee calls a function it is given, with pointers into what others of its arguments point to."""
        if len(call.args) <= position:
            return
        back = call.args[position]
        pointers = [call.args[n] for n in given]
        assert not isinstance(back, Place)
        somewhere = Read(Var("<somewhere>", self._places.pointer))
        inside = tuple(Binary("+", cast(p, self._places.pointer), somewhere) for p in pointers if not isinstance(p, Place))
        self._call(function, edge, Call(None, back, inside, FunctionType(VoidType(), ())))
        self._functions_of(function, back, self.often.setdefault)

    # ------------------------------------------------------------------------------------------- functions handed over
    def _handed_over(self, function: Function, edge: IrEdge, call: Call, callee: str) -> None:
        """Functions among the arguments that run later, and calls that run them; see `frontend.library.callbacks`."""
        site = (function.name, edge.source, edge.target)
        if callee in AT_EXIT and call.args:
            self._functions_of(function, call.args[0], lambda name: self._handler(AT_EXIT[callee], name, site))
        if callee in KEYS and len(call.args) > 1:
            self._functions_of(function, call.args[1], lambda name: self._handler(THREAD_END, name, site))
        if callee in EXITS:
            self._runner(EXITS[callee], function, edge, ())
        if callee in SPECIFIC and len(call.args) > 1:
            self._runner(THREAD_END, function, edge, call.args[1:2])
        for position in ANY_TIME.get(callee, ()):
            if position < len(call.args):
                self._functions_of(function, call.args[position], lambda name: self._any_time(name, site))

    def _functions_of(self, function: Function, argument: Expr | Place, use: Callable[[str], None]) -> None:
        """Call `use` for every function that the value may be, or that is stored where it points to, now or later."""
        def found(target: Target) -> None:
            if target[0][0] == "&":
                use(target[0][1:])
            elif target == UNKNOWN:
                for name in [n for n in self.taken if n in self._module.declarations]:
                    use(name)

        def arrived(target: Target) -> None:
            found(target)
            for cell in self._cells(self._follow.anywhere(target), 0):
                self._each(cell, found)

        if isinstance(argument, Place):
            return
        for node, shift, constant in self._follow.flows(function.name, argument):
            if node is not None:
                self._each(node, arrived if shift is None else self._after(shift, arrived))
            elif constant is not None:
                arrived(constant)

    def _given(self, function: Function, edge: IrEdge, call: Call) -> None:
        """A function without a body may call, at any time, every function that its arguments lead to."""
        site = (function.name, edge.source, edge.target)
        seen: set[str] = set()

        def visit(target: Target) -> None:
            if target[0][0] == "&":
                self._any_time(target[0][1:], site)
            elif target[0] not in seen:
                seen.add(target[0])
                for cell in self._cells(self._follow.anywhere(target), 0):
                    self._each(cell, visit)

        for argument in call.args:
            if isinstance(argument, Place):
                self._place(function.name, argument, visit)
                continue
            for node, _, constant in self._follow.flows(function.name, argument):
                if node is not None:
                    self._each(node, visit)
                elif constant is not None:
                    visit(constant)

    def _handler(self, occasion: str, name: str, site: Site) -> None:
        """The function runs on an occasion."""
        known = self.handlers.setdefault(occasion, {})
        if name not in known:
            known[name] = {}
            self.often.setdefault(name)
            for function, edge, arguments in self._runners.get(occasion, []):
                self._callee(function, edge, Call(None, name, arguments, FunctionType(VoidType(), ())), name)
        known[name].setdefault(site)

    def _runner(self, occasion: str, function: Function, edge: IrEdge, arguments: tuple[Expr | Place, ...]) -> None:
        """The call is, or leads to, an occasion."""
        self._runners.setdefault(occasion, []).append((function, edge, arguments))
        for name in list(self.handlers.get(occasion, ())):
            self._callee(function, edge, Call(None, name, arguments, FunctionType(VoidType(), ())), name)

    def _any_time(self, name: str, site: Site) -> None:
        """The function may run at any time once the call is made."""
        if name in self.anytime.get(site, ()):
            return
        self._reach(name)
        body = self.reached.get(name)
        if body is None:
            return
        self.anytime.setdefault(site, {}).setdefault(name)
        self.often.setdefault(name)
        self._from_outside(body)

    def _from_outside(self, body: Function) -> None:
        """Pointers among the arguments of the function come from somewhere else."""
        for param, type_ in zip(body.params, body.type.params, strict=False):
            if isinstance(type_, PointerType) and isinstance(param, Var):
                self._add(("r", body.name, param.name), UNKNOWN)
            elif isinstance(type_, PointerType) and isinstance(param, str):
                self._scramble((param, ANY), 0, UNKNOWN)

    def _starter(self, function: Function, edge: IrEdge, call: Call, roles: tuple[int, int]) -> None:
        """A call that starts a thread: its function gets the argument."""
        start, argument = roles
        if len(call.args) <= max(roles):
            return
        body_value, passed = call.args[start], call.args[argument]
        assert not isinstance(body_value, Place) and not isinstance(passed, Place)
        site = (function.name, edge.source, edge.target)

        def arrived(target: Target) -> None:
            if not target[0].startswith("&"):
                return
            name = target[0][1:]
            self._reach(name)
            body = self.reached.get(name)
            if body is None:
                return
            self.created.setdefault(site, {}).setdefault(name)
            if body.params:
                self._pass(function, passed, body, body.params[0])
            self._expose(function.name, passed)

        for node, shift, constant in self._follow.flows(function.name, body_value):
            if node is not None:
                self._each(node, arrived if shift is None else self._after(shift, arrived))
            elif constant is not None:
                arrived(constant)

    def _expose(self, function: str, e: Expr) -> None:
        """What the value points to is handed to another thread or to code that is not here."""
        for node, _, constant in self._follow.flows(function, e):
            if node is not None:
                self._each(node, lambda t: self.exposed.setdefault(t[0]))
            elif constant is not None:
                self.exposed.setdefault(constant[0])

    def _locks(self, function: Function, call: Call, callee: str) -> None:
        """Memory that a lock's functions are called with is used as what they say they take."""
        decl = self._module.declarations.get(callee)
        for argument, param in zip(call.args, decl.type.params if decl is not None else (), strict=False):
            if isinstance(argument, Place) or not isinstance(param, PointerType):
                continue
            type_ = unqualified(param.target)

            def arrived(target: Target, type_: CType = type_) -> None:
                if target[1] == 0:
                    self.pointed.setdefault(target[0], {}).setdefault(type_)

            for node, shift, constant in self._follow.flows(function.name, argument):
                if node is not None:
                    self._each(node, arrived if shift is None else self._after(shift, arrived))
                elif constant is not None:
                    arrived(constant)

    def _external(self, function: Function, edge: IrEdge, call: Call, callee: str) -> None:
        known = KNOWN.get(callee)
        if callee.startswith(LOCK_FUNCTIONS):
            self._locks(function, call, callee)
        into = ("r", function.name, call.result.name) if isinstance(call.result, Var) else None
        if callee in HIDDEN:
            self._hides(function, edge, call, callee, into)
            into = None
        if into is not None and isinstance(call.result, Var) and self._follow.wide(call.result.type):
            match known.result if known is not None else "external":
                case "new":
                    self._add(into, (self.heap(function, edge, call, callee), 0))
                    if callee == "realloc" and call.args and not isinstance(call.args[0], Place):
                        self._assign(function.name, call.args[0], into, call.result.type)
                case "arg0" | "in0" as kind if call.args and not isinstance(call.args[0], Place):
                    for node, shift, constant in self._follow.flows(function.name, call.args[0]):
                        inside = self._follow.anywhere if kind == "in0" else None
                        if node is None:
                            assert constant is not None
                            self._add(into, constant if inside is None else inside(constant))
                        else:
                            both = inside if shift is None else shift if inside is None else self._follow.then(shift, inside)
                            self._copy(node, into, both)
                case "unknown":
                    self._add(into, UNKNOWN)
                case "external" if isinstance(call.type.result, PointerType):
                    self._add(into, UNKNOWN)
                case _:
                    self._add(into, INTEGER)
        if callee in ("memcpy", "memmove", "mempcpy") and len(call.args) > 1:
            self._memory_copy(function, call.args[0], call.args[1])
        elif callee == "realloc" and into is not None and len(call.args) > 1:
            self._memory_copy(function, Const(0, self._places.pointer), call.args[0], self.heap(function, edge, call, callee))
        elif known is not None and callee not in ("free", "cfree", "memset", "bzero"):
            for position in known.writes:
                self._pointee(function, call, position, UNKNOWN)
            for position in range(known.format + 1, len(call.args)) if known.format is not None else ():
                self._pointee(function, call, position, UNKNOWN if known.scans else INTEGER)
        elif callee in ("pthread_join", "thrd_join"):
            self._pointee(function, call, 1, UNKNOWN)
        elif known is None and not callee.startswith(QUIET):
            self._opaque(function, call)
            self._given(function, edge, call)

    def _hides(self, function: Function, edge: IrEdge, call: Call, callee: str, into: Node | None) -> None:
        """The function has an object of its own."""
        name = hidden_object(callee)
        if name not in self.heaps:
            self.heaps[name] = None
            self._objects.add_heap(name, self._heap_types.get(name), None, edge.location, True, True)
            self.taken.setdefault(name)
        if callee != "strtok":
            if into is not None:
                self._add(into, (name, 0))
            return
        kept: Node = ("c", name, "kept")
        for argument in call.args[:1]:
            if not isinstance(argument, Place):
                self._assign(function.name, argument, kept, self._places.pointer)
        if into is not None:
            self._copy(kept, into, self._follow.anywhere)

    @property
    def kept(self) -> Targets:
        """What `strtok` was given."""
        found = self._sets.get(("c", hidden_object("strtok"), "kept"), {})
        return Targets(tuple(t for t in found if t not in (UNKNOWN, INTEGER)), UNKNOWN in found)

    def _pointee(self, function: Function, call: Call, position: int, value: Target) -> None:
        """A library function writes through an argument; if a pointer is there it may be `value` afterwards."""
        argument = call.args[position] if position < len(call.args) else None
        if argument is None or isinstance(argument, Place) or not self._follow.wide(argument.type):
            return
        kind = PointerType(VoidType())
        size = self._places.pointer.width // 8
        self._place(function.name, Place(argument, (), kind, kind), lambda t: self._scramble(t, size, value))

    def _memory_copy(self, function: Function, into: Expr | Place, origin: Expr | Place, fresh: str | None = None) -> None:
        """Bytes are copied from one pointer's target to another's, or to a fresh object."""
        assert not isinstance(into, Place) and not isinstance(origin, Place)
        kind = ArrayType(IntType("char", 8, True), 1)

        def pair(a: Target, b: Target) -> None:
            if a == UNKNOWN:
                self._spoil()
            if UNKNOWN in (a, b):
                self._scramble(self._follow.anywhere(a), 0, UNKNOWN)
            for x in self._cells(self._follow.anywhere(b), 0):
                for y in self._cells(self._follow.anywhere(a), 0):
                    self._once(x, y)

        source = Place(origin, (), kind, kind)
        if fresh is not None:
            self._place(function.name, source, lambda b: pair((fresh, ANY), b))
        else:
            target = Place(into, (), kind, kind)
            self._place(function.name, target, lambda a: self._place(function.name, source, lambda b: pair(a, b)))

    def _opaque(self, function: Function, call: Call) -> None:
        """A function without a body: what its arguments reach may hold any pointer afterwards."""
        for position, argument in enumerate(call.args):
            if isinstance(argument, Place):
                self._place(function.name, argument, self._reach_inside)
            elif points_to_const(call, position):
                for node, _, constant in self._follow.flows(function.name, argument):
                    if node is not None:
                        self._each(node, self._reach_inside)
                    elif constant is not None:
                        self._reach_inside(constant)
            else:
                self._reach_out(function.name, argument)
        if isinstance(call.result, Place):
            self._place(function.name, call.result, lambda t: self._scramble(self._follow.anywhere(t), 0, UNKNOWN))

    def _reach_out(self, function: str, e: Expr) -> None:
        for node, _, constant in self._follow.flows(function, e):
            if node is not None:
                self._each(node, self._reached_by)
            elif constant is not None:
                self._reached_by(constant)

    def _reached_by(self, target: Target) -> None:
        """Code that is not here may change the object, and whatever it leads to."""
        if target[0] in self.exposed_deep or target[0][0] in "&*?#":
            return
        self.exposed_deep.setdefault(target[0])
        self.exposed.setdefault(target[0])
        for cell in self._cells((target[0], ANY), 0):
            self._each(cell, self._reached_by)
            if UNKNOWN not in self._sets.get(cell, {}):
                self._add(cell, UNKNOWN)
                self._foreign.add(cell)

    def _reach_inside(self, target: Target) -> None:
        """Code that is not here does not change the object, but may change what it leads to."""
        if target[0][0] not in "&*?#":
            for cell in self._cells((target[0], ANY), 0):
                self._each(cell, self._reached_by)

    def inside(self, targets: Targets) -> Targets:
        """What is stored in the targets points to."""
        found: dict[Target, None] = {}
        for name, _ in targets.known:
            if name[0] not in "&*?#":
                found.update(dict.fromkeys(self.leads(self._objects.named(name))))
        return Targets(tuple(t for t in found if t not in (UNKNOWN, INTEGER)), UNKNOWN in found)

    def heap(self, function: Function, edge: IrEdge, call: Call, callee: str) -> str:
        """The object that stands for what an allocation gives."""
        site = (function.name, edge.source, edge.target)
        first = self._same.get(site, site)
        if first in self.sites:
            return self.sites.setdefault(site, self.sites[first])
        if site not in self.sites:
            base = f"{callee.removeprefix('__builtin_')}@{function.original or function.name}:{edge.location.line}"
            name, n = base, 1
            while name in self.heaps:
                n += 1
                name = f"{base}#{n}"
            self.sites[site] = self.sites[first] = name
            self.heaps[name] = allocated(call, callee)
            self._objects.add_heap(name, self._heap_types.get(name), self.heaps[name], edge.location, callee == "calloc",
                                   name in self._single, filled=callee == "realloc")
            self.taken.setdefault(name)
        return self.sites[site]


def hidden_object(callee: str) -> str:
    """The object of the library's own that a function writes."""
    return f"static@{HIDDEN[callee]}"


def points_to_const(call: Call, position: int) -> bool:
    """Whether the function promises not to change what this argument points to."""
    type_ = call.type.params[position] if position < len(call.type.params) else None
    return isinstance(type_, PointerType) and type_.target.quals.const
