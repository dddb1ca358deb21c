"""What a function's syntax says before it is lowered: whose address is taken, and what has side effects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field

from pycparser import c_ast

from frontend.records import dataclass
from frontend.text.attributes import cleanup_of
from frontend.text.keywords import LABEL_ADDRESS


@dataclass(frozen=True, slots=True)
class Syntax:
    """What is known of a function before it is lowered.

    `taken`: names whose address is taken somewhere in it. `effectful`: ids of the nodes that contain a side effect.
    `labels`: for each label the ids of what must end when control leaves it, outermost first: atomic and critical blocks
    around it, and declarations with a `cleanup` that it is in the scope of. `addresses`: labels whose address is taken.
    """

    taken: frozenset[str] = frozenset()
    effectful: frozenset[int] = frozenset()
    labels: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    addresses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Effects:
    """Names that evaluating a node assigns, names it mentions, and functions it calls (None: through a pointer).

    `follows`: it accesses what a pointer points to, or an element; `stores`: it assigns there.
    """

    assigned: frozenset[str]
    mentioned: frozenset[str]
    called: frozenset[str | None]
    follows: bool
    stores: bool


def survey(body: c_ast.Node) -> Syntax:
    """One pass over a function's body."""
    taken: set[str] = set()
    pointers = _pointers(body)
    effectful: set[int] = set()
    labels: dict[str, tuple[int, ...]] = {}
    addresses: dict[str, None] = {}
    parent: dict[int, c_ast.Node | None] = {id(body): None}
    todo = [body]
    while todo:
        node = todo.pop()
        outputs = _is_builtin(node)
        if isinstance(node, c_ast.UnaryOp) and node.op == "&":
            name = _root(node.expr, pointers)
            if name is not None:
                taken.add(name)
        if isinstance(node, c_ast.Decl) and cleanup_of(node) is not None:
            taken.add(node.name)
        if _is_effect(node):
            up: c_ast.Node | None = node
            while up is not None and id(up) not in effectful:
                effectful.add(id(up))
                up = parent[id(up)]
        if is_call(node, LABEL_ADDRESS):
            addresses.update((label.name, None) for label in node.args.exprs)
        if isinstance(node, c_ast.Label):
            labels[node.name] = tuple(reversed([id(n) for n in _open_around(node, parent)]))
        for child in node:
            if outputs and isinstance(child, c_ast.ExprList):
                # The lowering writes these itself: `&x` does not make x an object in memory. (The first is an atomic object.)
                for i, arg in enumerate(child.exprs):
                    inner = arg.expr if i > 0 and isinstance(arg, c_ast.UnaryOp) and arg.op == "&" else arg
                    parent[id(inner)] = node
                    todo.append(inner)
            else:
                parent[id(child)] = node
                todo.append(child)
    return Syntax(frozenset(taken), frozenset(effectful), labels, tuple(sorted(addresses)))


def _open_around(node: c_ast.Node, parent: Mapping[int, c_ast.Node | None]) -> Iterator[c_ast.Node]:
    """Sections around a node, and declarations with a `cleanup` before it in the blocks around it, innermost first."""
    below, up = node, parent[id(node)]
    while up is not None:
        if section_kind(up) is not None:
            yield up
        before = list(up)
        before = before[:next(n for n, child in enumerate(before) if child is below)]
        inside = [d for child in before for d in (child.decls if isinstance(child, c_ast.DeclList) else [child])]
        yield from (d for d in reversed(inside) if cleanup_of(d) is not None)
        below, up = up, parent[id(up)]


def section_kind(node: c_ast.Node) -> str | None:
    """`atomic` or `critical` if the node is such a block."""
    if isinstance(node, c_ast.AttributedStatement):
        for specifier in node.attributes or ():
            for attribute in getattr(specifier, "attributes", None) or [specifier]:
                if attribute.namespace == "circ" and attribute.name in ("atomic", "critical"):
                    return str(attribute.name)
    return None


def effects(node: c_ast.Node, stored: bool = False) -> Effects:
    """What evaluating the node may assign, mention and call; `stored`: only what it stands for is found out, to store there."""
    assigned: set[str] = set()
    mentioned: set[str] = set()
    called: set[str | None] = set()
    follows = stores = False
    target = frozenset(map(id, _target(node))) if stored else frozenset()
    for part in walk(node):
        follows |= id(part) not in target and _is_followed(part)
        match part:
            case c_ast.ID():
                mentioned.add(part.name)
            case c_ast.Assignment(lvalue=changed) | c_ast.UnaryOp(op="++" | "--" | "p++" | "p--", expr=changed):
                assigned.update(_names(changed))
                stores |= _root(changed) is None
            case c_ast.FuncCall():
                called.add(part.name.name if isinstance(part.name, c_ast.ID) else None)
    return Effects(frozenset(assigned), frozenset(mentioned), frozenset(called), follows, stores)


def _is_followed(node: c_ast.Node) -> bool:
    return isinstance(node, c_ast.ArrayRef) or (isinstance(node, c_ast.UnaryOp) and node.op == "*") \
        or (isinstance(node, c_ast.StructRef) and node.type == "->")


def _target(node: c_ast.Node) -> Iterator[c_ast.Node]:
    """The parts of an lvalue that say where in an object it is."""
    yield node
    while isinstance(node, c_ast.ArrayRef) or (isinstance(node, c_ast.StructRef) and node.type == "."):
        node = node.name
        yield node


def is_call(node: c_ast.Node, name: str) -> bool:
    """Whether the node is a call of the function with this name, with arguments."""
    named = isinstance(node, c_ast.FuncCall) and isinstance(node.name, c_ast.ID)
    return named and node.name.name == name and node.args is not None


def walk(node: c_ast.Node) -> Iterator[c_ast.Node]:
    """The node and everything below it."""
    todo = [node]
    while todo:
        part = todo.pop()
        yield part
        todo.extend(part)


def _is_effect(node: c_ast.Node) -> bool:
    if isinstance(node, c_ast.UnaryOp):
        return node.op in ("++", "--", "p++", "p--")
    return isinstance(node, (c_ast.Assignment, c_ast.FuncCall))


def _is_builtin(node: c_ast.Node) -> bool:
    """Whether pointers among the arguments (not the first) are used at once and never kept."""
    if not isinstance(node, c_ast.FuncCall) or not isinstance(node.name, c_ast.ID):
        return False
    name = node.name.name
    return name in ("__circ_asm", "__atomic_load", "__atomic_store", "__atomic_exchange") \
        or name.startswith(("__atomic_compare_exchange", "atomic_compare_exchange", "__c11_atomic_compare_exchange")) \
        or (name.startswith("__builtin_") and name.endswith("_overflow"))


def _pointers(body: c_ast.Node) -> frozenset[str]:
    """Names that the body declares as pointers only: an element of one is not a part of it."""
    kinds: dict[str, bool] = {}
    todo = [body]
    while todo:
        node = todo.pop()
        if isinstance(node, c_ast.Decl) and node.name is not None:
            kinds[node.name] = kinds.get(node.name, True) and isinstance(node.type, c_ast.PtrDecl)
        todo.extend(node)
    return frozenset(name for name, pointer in kinds.items() if pointer)


def _root(node: c_ast.Node, pointers: frozenset[str] = frozenset()) -> str | None:
    """The variable an lvalue is a part of, None if it is reached through a pointer."""
    while True:
        match node:
            case c_ast.ID():
                return str(node.name)
            case c_ast.StructRef(type="."):
                node = node.name
            case c_ast.ArrayRef(name=c_ast.ID(name=name)) if name in pointers:
                return None
            case c_ast.ArrayRef():
                node = node.name
            case _:
                return None


def _names(node: c_ast.Node) -> Iterator[str]:
    name = _root(node)
    if name is not None:
        yield name
