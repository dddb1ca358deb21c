"""Random sequential C programs without undefined or unspecified behaviour (signed overflow wraps, as with `gcc -fwrapv`).

Every program is a set of names with a prefix of its own, so that many fit into one file for the compiler. Expressions have
no side effects but calls of pure functions, shift counts are masked, divisors lie in 1..16 or -17..-2, indices are masked by the
array's length, loops count, backward jumps burn fuel, and a called function was written before its caller.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from tests.support.randomc.odd_places import odd_place

TYPES = (
    "_Bool", "char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned int", "long", "unsigned long",
    "long long", "unsigned long long",
)
BINARY = ("+", "-", "*", "&", "|", "^", "==", "!=", "<", "<=", ">", ">=", "&&", "||")


@dataclass(frozen=True, slots=True)
class Array:
    name: str
    type: str
    length: int


@dataclass(frozen=True, slots=True)
class Struct:
    """A struct type; an inner struct's fields are reached through field `in`."""

    name: str
    fields: tuple[tuple[str, str], ...]
    array: tuple[str, str, int] | None
    inner: Struct | None

    def scalars(self) -> list[tuple[str, str]]:
        """Paths to scalar members that need no index, with their types."""
        own = list(self.fields)
        return own + [(f"in.{path}", t) for path, t in self.inner.scalars()] if self.inner else own


@dataclass(frozen=True, slots=True)
class Function:
    name: str
    result: str
    params: tuple[str, ...]
    pure: bool


@dataclass
class Scope:
    """What a place in the text can name."""

    scalars: list[tuple[str, str]] = field(default_factory=list)
    readonly: list[str] = field(default_factory=list)
    arrays: list[Array] = field(default_factory=list)
    structs: list[tuple[str, Struct]] = field(default_factory=list)
    pointers: list[tuple[str, str]] = field(default_factory=list)
    struct_pointers: list[tuple[str, Struct]] = field(default_factory=list)
    array_pointers: list[tuple[str, Array]] = field(default_factory=list)

    def child(self) -> Scope:
        return Scope(*(list(getattr(self, name)) for name in self.__dataclass_fields__))


@dataclass(frozen=True, slots=True)
class SequentialProgram:
    """`text` defines everything under `prefix`; `entry()` runs it once and gives its checksum."""

    seed: int
    text: str
    entry: str

    def alone(self) -> str:
        """The program as a file of its own; the checksum is in the global `checksum` when main ends."""
        return f"{self.text}\nunsigned long checksum;\nint main(void)\n{{\n    checksum = {self.entry}();\n    return 0;\n}}\n"


def batch(programs: list[SequentialProgram]) -> str:
    """One file that prints the checksum of every program, one a line."""
    calls = "\n".join(f'    printf("%lu\\n", {p.entry}());' for p in programs)
    return "#include <stdio.h>\n" + "\n".join(p.text for p in programs) + f"\nint main(void)\n{{\n{calls}\n    return 0;\n}}\n"


def sequential(seed: int) -> SequentialProgram:
    """The program of this seed."""
    return _Writer(seed).program()


class _Writer:
    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.r = random.Random(seed)
        self.prefix = f"p{seed}_"
        self.lines: list[str] = []
        self.names = 0
        self.functions: list[Function] = []
        self.struct_types: list[Struct] = []
        self.globals = Scope()
        self.depth = self.r.choice([1, 2, 2, 3])

    def name(self, stem: str) -> str:
        self.names += 1
        return f"{stem}{self.names}"

    def put(self, indent: int, text: str) -> None:
        self.lines.append("    " * indent + text)

    def program(self) -> SequentialProgram:
        r = self.r
        for _ in range(r.randrange(1, 3)):
            self.struct_type()
        if r.random() < 0.5:
            a, b, c = (self.prefix + letter for letter in "ABC")
            self.put(0, f"enum {{ {a} = {r.randrange(-3, 4)}, {b}, {c} = {r.randrange(5, 300)} }};")
            self.globals.readonly += [f"{self.prefix}{c}" for c in "ABC"]
        self.global_variables()
        for i in range(r.choice([1, 1, 2, 3])):
            self.function(pure=i == 0 or r.random() < 0.4)
        entry = f"{self.prefix}main"
        self.body(Function(entry, "unsigned long", (), False), statements=r.choice([3, 4, 5, 10]))
        return SequentialProgram(self.seed, "\n".join(self.lines), entry)

    # ----------------------------------------------------------------------------------------------- declarations
    def struct_type(self) -> None:
        r = self.r
        name = f"struct {self.prefix}{self.name('S')}"
        fields = tuple((f"f{i}", r.choice(TYPES)) for i in range(r.randrange(1, 4)))
        array = ("arr", r.choice(TYPES), 2 ** r.randrange(1, 3)) if r.random() < 0.4 else None
        inner = r.choice(self.struct_types) if self.struct_types and r.random() < 0.5 else None
        members = [f"{t} {f}{self.bits(t)};" for f, t in fields]
        if array:
            members.insert(r.randrange(len(members) + 1), f"{array[1]} {array[0]}[{array[2]}];")
        if inner:
            members.insert(r.randrange(len(members) + 1), f"{inner.name} in;")
        self.put(0, f"{name} {{ {' '.join(members)} }};")
        self.struct_types.append(Struct(name, fields, array, inner))

    def bits(self, t: str) -> str:
        return f" : {self.r.randrange(1, 32)}" if t in ("int", "unsigned int") and self.r.random() < 0.25 else ""

    def global_variables(self) -> None:
        r, scope = self.r, self.globals
        for _ in range(r.randrange(2, 6)):
            name, t = self.prefix + self.name("g"), r.choice(TYPES)
            self.put(0, f"{r.choice(['', 'static '])}{t} {name}{r.choice(['', f' = {self.constant()}'])};")
            scope.scalars.append((name, t))
        for _ in range(r.randrange(0, 3)):
            array = Array(self.prefix + self.name("a"), r.choice(TYPES), 2 ** r.randrange(1, 4))
            some = ", ".join(self.constant() for _ in range(r.randrange(1, array.length + 1)))
            self.put(0, f"{array.type} {array.name}[{array.length}]{r.choice(['', f' = {{ {some} }}'])};")
            scope.arrays.append(array)
        for s in self.struct_types:
            if r.random() < 0.7:
                name = self.prefix + self.name("s")
                first = s.fields[0][0]
                self.put(0, f"{s.name} {name}{r.choice(['', f' = {{ .{first} = {self.constant()} }}'])};")
                scope.structs.append((name, s))
        if r.random() < 0.5:
            target, t = r.choice(scope.scalars)
            name = self.prefix + self.name("q")
            self.put(0, f"{t} *{name} = &{target};")
            scope.pointers.append((name, t))

    def function(self, pure: bool) -> None:
        r = self.r
        params = [r.choice(TYPES) for _ in range(r.randrange(0, 4))]
        if not pure and r.random() < 0.6:
            params.append(f"{r.choice(TYPES)} *")
        if not pure and r.random() < 0.3:
            params.append(f"{r.choice(self.struct_types).name} *")
        if r.random() < 0.3:
            params.append(r.choice(self.struct_types).name)
        f = Function(self.prefix + self.name("fn"), r.choice(TYPES), tuple(params), pure)
        self.body(f, statements=r.randrange(1, 5))
        self.functions.append(f)

    def body(self, f: Function, statements: int) -> None:
        scope = Scope() if f.pure else self.globals.child()
        params = []
        for i, t in enumerate(f.params):
            name = f"arg{i}"
            params.append(f"{t}{name}" if t.endswith("*") else f"{t} {name}")
            struct = next((s for s in self.struct_types if t.rstrip(" *") == s.name), None)
            if struct:
                (scope.struct_pointers if t.endswith("*") else scope.structs).append((name, struct))
            elif t.endswith("*"):
                scope.pointers.append((name, t[:-2]))
            else:
                scope.scalars.append((name, t))
        self.put(0, f"{f.result} {f.name}({', '.join(params) or 'void'})")
        self.put(0, "{")
        self.locals(scope, f.pure)
        self.put(1, "int fuel = 6;")
        for _ in range(statements):
            self.statement(1, scope, self.depth, f)
        if f.result == "unsigned long" and f.name.endswith("main"):
            self.checksum(scope)
        else:
            self.put(1, f"return {self.expression(scope, 3)};")
        self.put(0, "}")

    def locals(self, scope: Scope, pure: bool) -> None:
        """Declarations, every one initialised, so that no jump can skip one."""
        r = self.r
        for _ in range(r.randrange(1, 4)):
            name, t = self.name("v"), r.choice(TYPES)
            static = "static " if not pure and r.random() < 0.1 else ""
            self.put(1, f"{static}{t} {name} = {self.constant() if static or not scope.scalars else self.expression(scope, 2)};")
            scope.scalars.append((name, t))
        if r.random() < 0.4:
            array = Array(self.name("b"), r.choice(TYPES), 2 ** r.randrange(1, 4))
            self.put(1, f"{array.type} {array.name}[{array.length}] = {{ {self.constant()}, {self.expression(scope, 1)} }};")
            scope.arrays.append(array)
        if r.random() < 0.4:
            struct = r.choice(self.struct_types)
            name = self.name("t")
            self.put(1, f"{struct.name} {name} = {{ 0 }};")
            scope.structs.append((name, struct))
        if r.random() < 0.5:
            target, t = r.choice(scope.scalars)
            name = self.name("q")
            self.put(1, f"{t} *{name} = &{target};")
            scope.pointers.append((name, t))
        if scope.arrays and r.random() < 0.5:
            array = r.choice(scope.arrays)
            name = self.name("w")
            self.put(1, f"{array.type} *{name} = {self.element_address(array, scope)};")
            scope.array_pointers.append((name, array))
        if scope.structs and r.random() < 0.4:
            target, struct = r.choice(scope.structs)
            name = self.name("z")
            self.put(1, f"{struct.name} *{name} = &{target};")
            scope.struct_pointers.append((name, struct))

    def checksum(self, scope: Scope) -> None:
        """Everything that can be seen goes into the result."""
        self.put(1, "unsigned long sum = 7;")
        parts = [n for n, _ in scope.scalars] + [f"*{n}" for n, _ in scope.pointers]
        parts += [f"{n} - {a.name}" for n, a in scope.array_pointers]
        for a in scope.arrays:
            self.put(1, f"for (int i = 0; i < {a.length}; i++) sum = sum * 31 + (unsigned long){a.name}[i];")
        for n, s in scope.structs:
            parts += [f"{n}.{path}" for path, _ in s.scalars()]
            parts += [f"{n}.{s.array[0]}[{i}]" for i in range(s.array[2])] if s.array else []
        for p in parts:
            self.put(1, f"sum = sum * 31 + (unsigned long)({p});")
        self.put(1, "return sum;")

    # ----------------------------------------------------------------------------------------------- expressions
    def constant(self) -> str:
        r = self.r
        kind = r.randrange(7)
        if kind == 0:
            return r.choice(["127", "128", "255", "256", "-128", "32767", "65535", "-1"])
        if kind == 1:
            return r.choice(["2147483647", "(-2147483647 - 1)", "4294967295u", "0x80000000", "9223372036854775807",
                             "0xffffffffffffffffu"])
        if kind == 2:
            return r.choice(["'a'", "'\\n'", "'\\377'", "0x7fL", "017", "1uLL"])
        return str(r.randrange(-20, 100))

    def index(self, scope: Scope, length: int) -> str:
        return f"({self.expression(scope, 1)}) & {length - 1}" if self.r.random() < 0.6 else str(self.r.randrange(length))

    def element_address(self, array: Array, scope: Scope) -> str:
        index = self.index(scope, array.length)
        return self.r.choice([f"&{array.name}[{index}]", f"{array.name} + ({index})"])

    def lvalue(self, scope: Scope) -> str:
        """Something scalar that may be read and written."""
        r = self.r
        ways = [lambda: r.choice(scope.scalars)[0]] * 3
        if scope.arrays:
            ways.append(lambda: (a := r.choice(scope.arrays)) and f"{a.name}[{self.index(scope, a.length)}]")
        if scope.structs:
            ways.append(lambda: self.member(*r.choice(scope.structs), ".", scope))
        if scope.struct_pointers:
            ways.append(lambda: self.member(*r.choice(scope.struct_pointers), "->", scope))
        if scope.pointers:
            ways.append(lambda: r.choice(["*{}", "{}[0]"]).format(r.choice(scope.pointers)[0]))
        if scope.array_pointers:
            ways.append(lambda: f"*{r.choice(scope.array_pointers)[0]}")
        return r.choice(ways)()

    def member(self, name: str, struct: Struct, dot: str, scope: Scope) -> str:
        if struct.array and self.r.random() < 0.4:
            return f"{name}{dot}{struct.array[0]}[{self.index(scope, struct.array[2])}]"
        return f"{name}{dot}{self.r.choice(struct.scalars())[0]}"

    def expression(self, scope: Scope, depth: int) -> str:
        r = self.r
        if depth <= 0 or r.random() < 0.15:
            if scope.readonly and r.random() < 0.1:
                return r.choice(scope.readonly)
            return self.lvalue(scope) if scope.scalars and r.random() < 0.7 else self.constant()
        sub = lambda: self.expression(scope, depth - 1)  # noqa: E731
        match r.randrange(14):
            case 0:
                return f"({r.choice(TYPES)})({sub()})"
            case 1:
                return f"{r.choice(['-', '~', '!', '+'])}({sub()})"
            case 2:
                return f"({sub()} ? {sub()} : {sub()})"
            case 3:
                return f"({sub()}) {r.choice(['/', '%'])} (({sub()} & 15) + 1)"
            case 4:
                return f"({sub()}) {r.choice(['/', '%'])} (-(({sub()} & 15) + 2))"
            case 5 | 6:
                return f"(({sub()}) {r.choice(['<<', '>>'])} (({sub()}) & {r.choice([7, 15, 31])}))"
            case 7 if any(f.pure for f in self.functions):
                return self.call(r.choice([f for f in self.functions if f.pure]), scope)
            case 8:
                return f"sizeof({r.choice(TYPES)})"
            case 9 if scope.pointers:
                (name, t), (other, u) = r.choice(scope.pointers), r.choice(scope.scalars)
                return f"({name} == &{other})" if t == u else f"(*{name} > {sub()})"
            case 10 if scope.array_pointers:
                name, array = r.choice(scope.array_pointers)
                return r.choice([f"({name} - {array.name})", f"({name} < {array.name} + {array.length // 2})"])
            case _:
                return f"(({sub()}) {r.choice(BINARY)} ({sub()}))"

    def call(self, f: Function, scope: Scope) -> str:
        return f"{f.name}({', '.join(self.argument(t, scope) for t in f.params)})"

    def argument(self, t: str, scope: Scope) -> str:
        r = self.r
        struct = next((s for s in self.struct_types if t.rstrip(" *") == s.name), None)
        if struct is None and not t.endswith("*"):
            return self.expression(scope, 1)
        if struct is None:
            same = [f"&{n}" for n, u in scope.scalars if u == t[:-2]] + [n for n, u in scope.pointers if u == t[:-2]]
            same += [f"&{a.name}[{self.index(scope, a.length)}]" for a in scope.arrays if a.type == t[:-2]]
            return r.choice(same) if same else f"&({t[:-2]}){{ {self.expression(scope, 1)} }}"
        if t.endswith("*"):
            places = [f"&{n}" for n, s in scope.structs if s == struct] + [n for n, s in scope.struct_pointers if s == struct]
            return r.choice(places) if places else f"&({struct.name}){{ {self.constant()} }}"
        values = [n for n, s in scope.structs if s == struct] + [f"*{n}" for n, s in scope.struct_pointers if s == struct]
        return r.choice(values) if values else f"({struct.name}){{ {self.constant()} }}"

    # ----------------------------------------------------------------------------------------------- statements
    def statement(self, indent: int, scope: Scope, depth: int, f: Function) -> None:
        r = self.r
        kinds = ["assign"] * 5 + ["compound"] * 3 + ["step", "sequence", "pointer", "copy", "call", "effects", "odd"]
        if depth > 0:
            kinds += ["if"] * 3 + ["for", "while", "do", "switch", "block", "jump", "retry"]
        getattr(self, "put_" + r.choice(kinds))(indent, scope, depth, f)

    def put_assign(self, indent: int, scope: Scope, depth: int, f: Function) -> None:
        self.put(indent, f"{self.lvalue(scope)} = {self.expression(scope, 3)};")

    def put_compound(self, indent: int, scope: Scope, depth: int, f: Function) -> None:
        op = self.r.choice(["+=", "-=", "*=", "&=", "|=", "^=", "<<=", ">>=", "/=", "%="])
        right = self.expression(scope, 2)
        if op in ("<<=", ">>="):
            right = f"({right}) & 7"
        elif op in ("/=", "%="):
            right = f"(({right}) & 15) + 1"
        self.put(indent, f"{self.lvalue(scope)} {op} {right};")

    def put_step(self, indent: int, scope: Scope, depth: int, f: Function) -> None:
        place = self.lvalue(scope)
        before = place.startswith("*")
        text = self.r.choice([f"({place})++", f"({place})--", f"++{place}", f"--{place}"])
        if self.r.random() < 0.5:
            name = self.name("v")
            self.put(indent, f"long {name} = {text};")
            self.put(indent, f"{self.lvalue(scope)} ^= {name};")
        else:
            self.put(indent, f"{text};" if not before else f"({text});")

    def put_sequence(self, indent: int, scope: Scope, depth: int, f: Function) -> None:
        name = self.name("v")
        self.put(indent, f"int {name} = ({self.lvalue(scope)} = {self.expression(scope, 2)}, {self.expression(scope, 2)});")
        self.put(indent, f"{self.lvalue(scope)} += {name};")

    def put_effects(self, indent: int, scope: Scope, depth: int, f: Function) -> None:
        """Side effects where C sequences them: behind && || ?:, and chained assignment to different objects."""
        a, b = (f"({self.lvalue(scope)} {self.r.choice(['=', '+=', '^='])} {self.expression(scope, 1)})" for _ in "ab")
        condition = self.expression(scope, 2)
        place = self.lvalue(scope)
        self.put(indent, self.r.choice([f"({condition}) && {a};", f"({condition}) || {a};", f"({condition}) ? {a} : {b};",
                                        f"if ({a} && {b}) {place} = 3;", f"if ({a} || {b}) {place} = 5;"]))

    def put_odd(self, indent: int, scope: Scope, depth: int, f: Function) -> None:
        effect = f"({self.lvalue(scope)} {self.r.choice(['=', '+=', '^='])} {self.expression(scope, 1)})"
        self.put(indent, odd_place(self.r, effect, self.lvalue(scope), self.name("v")))

    def put_pointer(self, indent: int, scope: Scope, depth: int, f: Function) -> None:
        r = self.r
        if scope.array_pointers and r.random() < 0.6:
            name, array = r.choice(scope.array_pointers)
            self.put(indent, f"{name} = {self.element_address(array, scope)};")
            return
        local = [(n, t) for n, t in scope.pointers if not n.startswith("arg")]
        if not local:
            self.put_assign(indent, scope, depth, f)
            return
        name, t = r.choice(local)
        shared = name.startswith(self.prefix)
        visible = [n for n, u in scope.scalars if u == t and (not shared or n.startswith(self.prefix))]
        if visible:
            one, two = r.choice(visible), r.choice(visible)
            self.put(indent, f"{name} = {self.expression(scope, 1)} ? &{one} : &{two};")

    def put_copy(self, indent: int, scope: Scope, depth: int, f: Function) -> None:
        r = self.r
        pairs = [(a, b) for a, s in scope.structs for b, u in scope.structs if s == u and a != b]
        pairs += [(a, f"*{b}") for a, s in scope.structs for b, u in scope.struct_pointers if s == u]
        if pairs:
            target, source = r.choice(pairs)
            self.put(indent, f"{target} = {source};")
        else:
            self.put_assign(indent, scope, depth, f)

    def put_call(self, indent: int, scope: Scope, depth: int, f: Function) -> None:
        usable = [g for g in self.functions if g.pure or not f.pure]
        if not usable:
            self.put_assign(indent, scope, depth, f)
            return
        g = self.r.choice(usable)
        text = self.call(g, scope)
        if self.r.random() < 0.7:
            name = self.name("v")
            self.put(indent, f"{g.result} {name} = {text};")
            self.put(indent, f"{self.lvalue(scope)} -= {name};")
        else:
            self.put(indent, f"{text};")

    def nested(self, indent: int, scope: Scope, depth: int, f: Function, most: int = 3) -> None:
        for _ in range(self.r.randrange(1, most + 1)):
            self.statement(indent, scope, depth - 1, f)

    def put_if(self, indent: int, scope: Scope, depth: int, f: Function) -> None:
        self.put(indent, f"if ({self.expression(scope, 3)}) {{")
        self.nested(indent + 1, scope.child(), depth, f)
        if self.r.random() < 0.5:
            self.put(indent, "} else {")
            self.nested(indent + 1, scope.child(), depth, f)
        self.put(indent, "}")

    def put_for(self, indent: int, scope: Scope, depth: int, f: Function) -> None:
        name, times = self.name("i"), self.r.randrange(1, 5)
        inner = scope.child()
        inner.readonly.append(name)
        self.put(indent, self.r.choice([f"for (int {name} = 0; {name} < {times}; {name}++) {{",
                                        f"for (unsigned char {name} = {times}; {name} > 0; --{name}) {{"]))
        if self.r.random() < 0.3:
            self.put(indent + 1, f"if ({self.expression(inner, 2)}) {self.r.choice(['continue', 'break'])};")
        self.nested(indent + 1, inner, depth, f)
        if self.r.random() < 0.3:
            self.put(indent + 1, f"if ({self.expression(inner, 2)}) {self.r.choice(['continue', 'break'])};")
        self.put(indent, "}")

    def put_while(self, indent: int, scope: Scope, depth: int, f: Function) -> None:
        name = self.name("n")
        self.put(indent, f"int {name} = {self.r.randrange(1, 4)};")
        self.put(indent, f"while ({name}-- > 0{self.r.choice(['', f' && {self.expression(scope, 2)}'])}) {{")
        self.nested(indent + 1, scope.child(), depth, f)
        self.put(indent, "}")

    def put_do(self, indent: int, scope: Scope, depth: int, f: Function) -> None:
        name = self.name("n")
        self.put(indent, f"int {name} = {self.r.randrange(1, 4)};")
        self.put(indent, "do {")
        self.nested(indent + 1, scope.child(), depth, f)
        self.put(indent, f"}} while (--{name} > 0 && ({self.expression(scope, 2)}));")

    def put_switch(self, indent: int, scope: Scope, depth: int, f: Function) -> None:
        cases = self.r.sample([-1, 0, 1, 2, 3, 7, 100, 255], self.r.randrange(1, 5))
        self.put(indent, f"switch ({self.expression(scope, 2)}) {{")
        default = self.r.randrange(len(cases) + 2)
        for i, value in enumerate([*cases, None]):
            if i == default or (value is None and default > len(cases) and self.r.random() < 0.5):
                self.put(indent, "default:")
            if value is not None:
                self.put(indent, f"case {value}:")
            self.nested_plain(indent + 1, scope, f)
            if self.r.random() < 0.6:
                self.put(indent + 1, "break;")
        self.put(indent, "}")

    def nested_plain(self, indent: int, scope: Scope, f: Function) -> None:
        """Statements in a block of their own: a case label may not stand before a declaration."""
        self.put(indent, "{")
        self.nested(indent + 1, scope.child(), 1, f, 2)
        self.put(indent, "}")

    def put_block(self, indent: int, scope: Scope, depth: int, f: Function) -> None:
        """A block with a declaration that hides an outer one; no pointer may come to point to what dies with the block."""
        inner = scope.child()
        hidden = self.r.choice(scope.scalars)[0]
        self.put(indent, "{")
        if not hidden.startswith("arg"):
            t = self.r.choice(TYPES)
            self.put(indent + 1, f"{t} {hidden} = {self.constant()};")
            inner.scalars = [(n, t + " (hiding)" if n == hidden else u) for n, u in inner.scalars]
        self.nested(indent + 1, inner, depth, f)
        self.put(indent, "}")

    def put_jump(self, indent: int, scope: Scope, depth: int, f: Function) -> None:
        """A forward goto over a block."""
        label = self.name("skip")
        self.put(indent, f"if ({self.expression(scope, 2)}) goto {label};")
        self.put(indent, "{")
        self.nested(indent + 1, scope.child(), depth, f)
        self.put(indent, "}")
        self.put(indent, f"{label}:;")

    def put_retry(self, indent: int, scope: Scope, depth: int, f: Function) -> None:
        """A backward goto that burns fuel."""
        label = self.name("again")
        self.put(indent, f"{label}:;")
        self.put(indent, "{")
        self.nested(indent + 1, scope.child(), depth, f)
        self.put(indent, "}")
        self.put(indent, f"if (fuel-- > 0 && ({self.expression(scope, 2)})) goto {label};")
