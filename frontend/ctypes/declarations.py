"""C types out of declarations: type names, typedefs, enums, and structs and unions with their layout, all on demand."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Protocol

from pycparser import c_ast

from frontend.ctypes import bounds
from frontend.ctypes.basic_types import basic_type
from frontend.ctypes.conversions import Integers, joined, strip
from frontend.ctypes.conversions import qualified as requalified
from frontend.ctypes.layout import LayoutField, lay_out
from frontend.ctypes.scope import ConstantName, MemoryName, RegisterName, Scope, TypeName
from frontend.ctypes.types import (
    VECTOR,
    ArrayType,
    CType,
    FieldDecl,
    FloatType,
    FunctionType,
    IntType,
    PointerType,
    Quals,
    Record,
    RecordType,
    VoidType,
)
from frontend.program import DataModel, Expr, FrontendError, Location, NotModelled, Var
from frontend.records import dataclass
from frontend.text.ast_text import text_of
from frontend.text.parse import Attribute, ParsedFile, expression_of
from frontend.text.side_effects import walk


class Evaluator(Protocol):
    """What types need to know of expressions."""

    def constant(self, node: c_ast.Node, scope: Scope) -> int | None:
        """The value of an integer constant expression, None if it is not one."""

    def type_of(self, node: c_ast.Node, scope: Scope) -> CType:
        """The type of an expression, which is not evaluated; arrays stay arrays."""


@dataclass(frozen=True, slots=True)
class _TypeDefinition:
    node: c_ast.Node
    scope: Scope


_VECTORS = frozenset({"vector_size", "ext_vector_type"})
_MODES = {"QI": 8, "HI": 16, "SI": 32, "DI": 64, "TI": 128}


class Types:
    """Types of a file; complete struct and union types are laid out when they are first looked at."""

    def __init__(self, parsed: ParsedFile, model: DataModel, evaluator: Evaluator,
                 program_key: Callable[[str, str], str] = lambda key, owner: key) -> None:
        """`program_key`: what the file's key of a struct or union, declared in a function if one is named, is in the program."""
        self.parsed = parsed
        self.model = model
        self.ints = Integers(model)
        self.records: Records = Records(self)
        self._evaluator = evaluator
        self._program_key = program_key
        self._definitions: dict[str, _TypeDefinition] = {}
        self._keys: dict[int, RecordType | IntType] = {}
        self._kept: list[c_ast.Node] = []
        self._completing: set[str] = set()
        self._used: dict[str, int] = {}

    # ------------------------------------------------------------------------------------------- type names
    def resolve(self, node: c_ast.Node, scope: Scope) -> CType:
        """The type that a type node stands for."""
        match node:
            case c_ast.Typename():  # its qualifiers are those of the innermost declarator, which has them too
                return self.resolve(node.type, scope)
            case c_ast.TypeDecl():
                return self.qualified(self.resolve(node.type, scope), node.quals)
            case c_ast.Decl() | c_ast.Typedef():
                return self._attributed(self.resolve(node.type, scope), node, scope)
            case c_ast.PtrDecl():
                return self.qualified(PointerType(self.resolve(node.type, scope)), node.quals)
            case c_ast.ArrayDecl():
                if isinstance(node.type, c_ast.ArrayDecl) and node.type.dim is None:
                    raise FrontendError(self.parsed.location(node), "an array of arrays that have no size",
                                        "only the first dimension may be left out")
                return ArrayType(self.resolve(node.type, scope), self._length(node.dim, scope),
                                 variable=_is_variable(node.dim, scope))
            case c_ast.FuncDecl():
                return self.function(node, scope)
            case c_ast.IdentifierType():
                return self._named(node, scope)
            case c_ast.Struct() | c_ast.Union():
                return self.record(node, scope)
            case c_ast.Enum():
                return self.enum(node, scope)
            case c_ast.TypeOf():
                named = isinstance(node.expr, c_ast.Typename)
                t = self.resolve(node.expr, scope) if named else self._evaluator.type_of(node.expr, scope)
                return strip(t) if node.op == "typeof_unqual" else t
            case c_ast.AttributedType():
                return self.resolve(node.type, scope)
            case c_ast.BitIntType():
                signed = node.signedness != "unsigned"
                bits = bounds.bit_int(self._evaluator.constant(node.width, scope), signed, self.parsed.location(node))
                return self.ints.of_width(bits, signed)
        raise FrontendError(self.parsed.location(node), f"a type of this form ({type(node).__name__}) is not supported",
                            "write it with a typedef")

    def qualified(self, t: CType, names: list[str] | None) -> CType:
        """`t` with the qualifiers of these names added."""
        if not names:
            return t
        quals = Quals("const" in names, "volatile" in names, "_Atomic" in names)
        return self.add_quals(t, quals)

    def add_quals(self, t: CType, quals: Quals) -> CType:
        """`t` with more qualifiers; those of an array are its elements'."""
        if isinstance(t, ArrayType):
            return replace(t, element=self.add_quals(t.element, quals))
        return requalified(t, joined(t.quals, quals))

    def _attributed(self, t: CType, node: c_ast.Node, scope: Scope) -> CType:
        for attribute in self.parsed.record_attributes(node):
            if attribute.name == "mode" and attribute.args and isinstance(t, IntType):
                mode = attribute.args[0].strip("_")
                bits = _MODES.get(mode, self.model.pointer_size * 8 if mode in ("word", "pointer") else 0)
                if bits:
                    return self.ints.of_width(bits, t.signed)
            if attribute.name in _VECTORS and attribute.args:
                return self._vector(t, attribute, scope)
        return t

    def _vector(self, t: CType, attribute: Attribute, scope: Scope) -> CType:
        """A vector of several `t`: like a floating type, all that is known of it is its size."""
        element = t.target if isinstance(t, PointerType) else t
        number = bounds.vector_size(self._argument(attribute, scope), attribute.location)
        bits = 8 * number * (self.sizeof(element) if attribute.name == "ext_vector_type" else 1)
        vector = FloatType(VECTOR, bits, element.quals)
        return replace(t, target=vector) if isinstance(t, PointerType) else vector

    def _length(self, dim: c_ast.Node | None, scope: Scope) -> int | None:
        if dim is None or (isinstance(dim, c_ast.ID) and dim.name == "*"):
            return None
        length = self._evaluator.constant(dim, scope)
        return None if length is None else bounds.array_length(length, self.parsed.location(dim), 8 * self.model.pointer_size)

    def function(self, node: c_ast.FuncDecl, scope: Scope, kr_decls: list[c_ast.Decl] | None = None) -> FunctionType:
        """The type of a function; parameters are adjusted (arrays and functions to pointers)."""
        inner = Scope(scope)
        params: list[CType] = []
        variadic = False
        nodes = list(node.args.params) if node.args is not None else []
        if kr_decls:
            by_name = {d.name: d for d in kr_decls}
            nodes = [by_name.get(p.name, p) for p in nodes]
        for param in nodes:
            if isinstance(param, c_ast.EllipsisParam):
                variadic = True
            elif isinstance(param, c_ast.ID):
                params.append(self.ints.int)
            else:
                t = self.resolve(param, inner)
                if isinstance(t, VoidType):
                    continue
                params.append(adjusted(t))
                if param.name is not None and isinstance(t, (IntType, PointerType)):
                    # Known to the sizes of later array parameters, and never a constant there.
                    inner.names[param.name] = RegisterName(Var(f"%{param.name}", self.ints.scalar(t)), t)
        result = self.resolve(node.type, scope)
        return FunctionType(result, tuple(params), variadic or node.args is None)

    def _named(self, node: c_ast.IdentifierType, scope: Scope) -> CType:
        names = node.names
        if len(names) == 1:
            found = scope.find(names[0])
            if isinstance(found, TypeName):
                return found.type
        t = basic_type(names, self.ints)
        if t is None:
            raise FrontendError(self.parsed.location(node), f"unknown type '{' '.join(names)}'",
                                "declare it, or include its header")
        return t

    # ------------------------------------------------------------------------------------------- tags
    def declare_tags(self, node: c_ast.Node | None, scope: Scope) -> None:
        """Enter the structs, unions and enums that a type node of `scope` defines, without completing them."""
        while isinstance(node, (c_ast.Decl, c_ast.Typedef, c_ast.Typename, c_ast.TypeDecl, c_ast.PtrDecl, c_ast.ArrayDecl,
                                c_ast.FuncDecl, c_ast.AttributedType)):
            node = node.type
        if isinstance(node, (c_ast.Struct, c_ast.Union)):
            if node.decls is not None:
                self.record(node, scope)
        elif isinstance(node, c_ast.Enum) and node.values is not None:
            self.enum(node, scope)

    def record(self, node: c_ast.Struct | c_ast.Union, scope: Scope) -> RecordType:
        """The struct or union type of a node, which may define it."""
        known = self._keys.get(id(node))
        if isinstance(known, RecordType):
            return known
        union = isinstance(node, c_ast.Union)
        tag: RecordType | None = None
        if node.name is not None:
            found = scope.local_tag(node.name) if node.decls is not None else scope.find_tag(node.name)
            if isinstance(found, RecordType):
                tag = found
        if tag is None:
            tag = RecordType(self._key(node.name, scope), union)
            if node.name is not None:
                scope.tags[node.name] = tag
        self._keys[id(node)] = tag
        self._kept.append(node)
        if node.decls is not None:
            self._definitions[tag.key] = _TypeDefinition(node, scope)
            for decl in node.decls:
                self.declare_tags(decl, scope)
        return tag

    def _key(self, name: str | None, scope: Scope) -> str:
        base = f"{scope.owner}::{name or '<anon>'}" if scope.owner else name or "<anon>"
        n = self._used.get(base, 0) + 1
        self._used[base] = n
        return self._program_key(base if n == 1 and name else f"{base}#{n}", scope.owner)

    def enum(self, node: c_ast.Enum, scope: Scope) -> IntType:
        """The integer type of an enumeration; its constants are entered into the scope that defines it."""
        known = self._keys.get(id(node))
        if isinstance(known, IntType):
            return known
        if node.values is None:
            found = scope.find_tag(node.name)
            return found if isinstance(found, IntType) else self.ints.uint
        values: list[tuple[str, int]] = []
        following = 0
        for item in node.values.enumerators:
            if item.value is not None:
                value = self._evaluator.constant(item.value, scope)
                if value is None:
                    raise FrontendError(self.parsed.location(item), f"the value of '{item.name}' is not a constant",
                                        "write it as a constant")
                following = value
            values.append((item.name, following))
            small = self.ints.int.scalar.low <= following <= self.ints.int.scalar.high
            # Visible to the enumerators that follow.
            scope.names[item.name] = ConstantName(following, self.ints.int if small else self._holding(following, following))
            following += 1
        low, high = min(v for _, v in values), max(v for _, v in values)
        packed = any(a.name == "packed" for a in self.parsed.record_attributes(node))
        if node.underlying_type is not None:
            fixed = self.resolve(node.underlying_type, scope)
            if not isinstance(fixed, IntType):
                raise FrontendError(self.parsed.location(node), "the enumeration is of no integer type", "name an integer type")
            t = fixed
        else:
            t = self._holding(low, high, packed)
        if t.bits > self.ints.int.bits:
            for name, value in values:
                scope.names[name] = ConstantName(value, t)
        self._keys[id(node)] = t
        self._kept.append(node)
        if node.name is not None:
            scope.tags[node.name] = t
        return t

    def _holding(self, low: int, high: int, packed: bool = False) -> IntType:
        """The type gcc gives an enumeration with values from low to high."""
        names = ("signed char", "short", "int", "long", "long long") if packed else ("int", "long", "long long")
        for name in names:
            t = self.ints.named(name if low < 0 else f"unsigned {name.removeprefix('signed ')}")
            if t.scalar.low <= low and high <= t.scalar.high:
                return t
        return self.ints.named("__int128")

    # ------------------------------------------------------------------------------------------- layout
    def complete(self, key: str) -> Record | None:
        """The layout of a struct or union; None if the file does not define it."""
        definition = self._definitions.get(key)
        if definition is None:
            return None
        node = definition.node
        assert isinstance(node, (c_ast.Struct, c_ast.Union))
        if key in self._completing:
            kind = "union" if isinstance(node, c_ast.Union) else "struct"
            raise FrontendError(self.parsed.location(node), f"the {kind} contains itself", "a member may be a pointer to it")
        self._completing.add(key)
        attributes = self.parsed.record_attributes(node)
        try:
            return lay_out(
                key, isinstance(node, c_ast.Union), list(self._fields(node, definition.scope)),
                packed=_has(attributes, "packed"),
                pack=bounds.packing(self._number(attributes, "pack", definition.scope)),
                least=self._alignment(attributes, definition.scope) or 1,
                sizeof=self.sizeof, alignof=self.alignof,
            )
        finally:
            self._completing.discard(key)

    def _fields(self, node: c_ast.Node, scope: Scope) -> Iterator[LayoutField]:
        anonymous = 0
        for decl in node.decls:
            if isinstance(decl, c_ast.StaticAssert) and self._evaluator.constant(decl.cond, scope) == 0:
                raise FrontendError(self.parsed.location(decl), f"static assertion failed: {text_of(decl.cond)}",
                                    "correct the condition, or choose another --data-model")
            if not isinstance(decl, c_ast.Decl):
                continue
            t = self.resolve(decl, scope)
            if isinstance(t, ArrayType) and t.variable and t.length is None:
                raise NotModelled(self.parsed.location(decl), "a member of variable length is not modelled")
            bits = None
            if decl.bitsize is not None:
                where = self.parsed.location(decl.bitsize if decl.name is None else decl)
                bits = bounds.bit_field(decl.name, t, self._evaluator.constant(decl.bitsize, scope), where)
            name = decl.name
            if name is None and bits is None:
                if not isinstance(t, RecordType):
                    continue
                inner = decl.type
                while not isinstance(inner, (c_ast.Struct, c_ast.Union)):
                    if not hasattr(inner, "type"):
                        break
                    inner = inner.type
                if getattr(inner, "name", None) is not None and getattr(inner, "decls", None) is not None:
                    continue
                name = f"<anon {anonymous}>"
                anonymous += 1
            attributes = self.parsed.record_attributes(decl)
            align = max(self._alignment(attributes, scope), self._named_alignment(decl.type, scope))
            asked = max((self._alignas(item, scope) for item in decl.align or ()), default=0)
            if asked and bits is not None:
                raise FrontendError(self.parsed.location(decl), "a bit field can have no alignment", "remove _Alignas")
            if asked:
                align = max(align, bounds.no_less(asked, self.alignof(t), self.parsed.location(decl)))
            yield LayoutField(name, t, bits, _has(attributes, "packed"), align)

    def typedef(self, node: c_ast.Typedef, scope: Scope, size: Expr | None = None) -> TypeName:
        """What a typedef declares."""
        align = max(self._alignment(self.parsed.record_attributes(node), scope), self._named_alignment(node.type, scope))
        return TypeName(self.resolve(node, scope), size, align)

    def alignment(self, node: c_ast.Node, scope: Scope) -> int:
        """The alignment of a type name, as `_Alignof` gives it."""
        return self._named_alignment(node, scope) or self.alignof(self.resolve(node, scope))

    def _named_alignment(self, node: c_ast.Node, scope: Scope) -> int:
        """The alignment that a typedef in the type (or of its elements) asks for, 0 if none."""
        while isinstance(node, (c_ast.Typename, c_ast.TypeDecl, c_ast.ArrayDecl)):
            node = node.type
        found = scope.find(node.names[0]) if isinstance(node, c_ast.IdentifierType) and len(node.names) == 1 else None
        return found.align if isinstance(found, TypeName) else 0

    def _alignas(self, item: c_ast.Node, scope: Scope) -> int:
        if not isinstance(item, c_ast.Alignas):
            return 0
        if isinstance(item.alignment, c_ast.Typename):
            return self.alignment(item.alignment, scope)
        asked = self._evaluator.constant(item.alignment, scope)
        if asked is None:
            raise FrontendError(self.parsed.location(item), "the alignment is not a constant", "write it as a number")
        return bounds.alignment(asked, self.parsed.location(item))

    def check_alignment(self, decl: c_ast.Decl, t: CType, scope: Scope, attributes: tuple[Attribute, ...] = ()) -> None:
        """Raises FrontendError if a variable, or a function, cannot have the alignment that its declaration asks for."""
        self._alignment(attributes, scope)
        asked = max((self._alignas(item, scope) for item in decl.align or ()), default=0)
        where = self.parsed.location(decl)
        if decl.align and (isinstance(t, FunctionType) or "register" in decl.storage):
            raise FrontendError(where, f"'{decl.name}' can have no alignment", "_Alignas is for objects in memory")
        if asked and not isinstance(t, FunctionType):
            bounds.no_less(asked, self.alignof(t), where)

    def _alignment(self, attributes: tuple[Attribute, ...], scope: Scope) -> int:
        """The greatest alignment that attributes ask for, 0 if none."""
        return max((bounds.alignment(self._argument(a, scope), a.location) for a in attributes if a.name == "aligned"), default=0)

    def _number(self, attributes: tuple[Attribute, ...], name: str, scope: Scope) -> int | None:
        """The greatest argument of the attribute, None if it is not there."""
        found: int | None = None
        for attribute in attributes:
            if attribute.name == name:
                found = max(found or 0, self._argument(attribute, scope))
        return found

    def _argument(self, attribute: Attribute, scope: Scope) -> int:
        if not attribute.args or not attribute.args[0].strip():
            return 16 if self.model.int_size > 2 else 1
        text = attribute.args[0].strip()
        try:
            return int(text.rstrip("uUlL"), 0)
        except ValueError:
            types = {name for name in re.findall(r"\b[A-Za-z_$][\w$]*", text) if isinstance(scope.find(name), TypeName)}
            node = expression_of(text, types, attribute.location, self.model)
        value = self._evaluator.constant(node, scope)
        if value is None:
            raise FrontendError(attribute.location, f"the alignment '{text}' is not a constant", "write it as a number")
        return value

    def sizeof(self, t: CType) -> int:
        """Size in bytes; raises FrontendError for a type without a known size."""
        match t:
            case IntType(bits=bits):
                return 1 << max(0, ((bits + 7) // 8 - 1).bit_length())
            case FloatType(bits=bits):
                return bits // 8
            case PointerType():
                return self.model.pointer_size
            case ArrayType(element=element, length=length):
                return 0 if length is None else self.sizeof(element) * length
            case RecordType(key=key):
                record = self.records.get(key)
                if record is None:
                    raise FrontendError(self._where(key), f"'{key}' is incomplete where its size is needed",
                                        "define the struct or union before")
                return record.size
            case VoidType() | FunctionType():
                return 1

    def _where(self, key: str) -> Location:
        return Location(self.parsed.path, 1)

    def alignof(self, t: CType) -> int:
        """Alignment in bytes."""
        match t:
            case IntType() | PointerType() | FloatType():
                size = self.sizeof(t)
                if size & (size - 1):
                    size &= -size
                return max(1, min(size, self.model.max_align))
            case ArrayType(element=element):
                return self.alignof(element)
            case RecordType(key=key):
                record = self.records.get(key)
                return record.align if record is not None else 1
            case VoidType() | FunctionType():
                return 1

    # ------------------------------------------------------------------------------------------- members
    def member(self, t: RecordType, name: str) -> tuple[FieldDecl, ...] | None:
        """The way to a member, through anonymous ones; None if there is no such member."""
        record = self.records.get(t.key)
        if record is None:
            return None
        for field in record.fields:
            if field.name == name:
                return (field,)
        for field in record.fields:
            if field.name.startswith("<anon") and isinstance(field.type, RecordType):
                rest = self.member(field.type, name)
                if rest is not None:
                    return (field, *rest)
        return None


def field_type(field: FieldDecl) -> CType:
    """The type a member has when it is accessed: a bit field's own width."""
    if field.bits is not None and isinstance(field.type, IntType) and field.type.name != "_Bool":
        return replace(field.type, bits=field.bits)
    return field.type


def adjusted(t: CType) -> CType:
    """The type of a parameter declared with type `t`."""
    if isinstance(t, ArrayType):
        return PointerType(t.element)
    if isinstance(t, FunctionType):
        return PointerType(t)
    return t


def _is_variable(dim: c_ast.Node | None, scope: Scope) -> bool:
    """Whether the length of an array depends on an object: a `const` one is none of C's constants."""
    if dim is None or isinstance(dim, c_ast.Constant):
        return False
    return any(isinstance(scope.find(part.name), MemoryName | RegisterName) for part in walk(dim) if isinstance(part, c_ast.ID))


def _has(attributes: tuple[Attribute, ...], name: str) -> bool:
    return any(a.name == name for a in attributes)


class Records(Mapping[str, Record]):
    """The complete structs and unions by key; each is laid out when it is first asked for."""

    def __init__(self, types: Types) -> None:
        self._types = types
        self._known: dict[str, Record] = {}

    def __getitem__(self, key: str) -> Record:
        found = self._known.get(key)
        if found is None:
            found = self._types.complete(key)
            if found is None:
                raise KeyError(key)
            self._known[key] = found
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._types._definitions))

    def __len__(self) -> int:
        return len(self._types._definitions)
