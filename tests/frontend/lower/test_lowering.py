"""From the AST to the function-level form: accesses in C's order, control flow, sections, known functions, refusals."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from frontend import ir
from frontend.ctypes import ArrayType, IntType, PointerType
from frontend.lower.module import load_module
from frontend.program import BOOL, DATA_MODELS, Const, Expr, FrontendError, MemoryOrder, Read, Var, children, show
from frontend.text.parse import SourceOptions, parse
from tests.support.ir_machine import Failed, Machine, run
from tests.support.randomc.sequential import sequential

Load = Callable[..., ir.Module]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    def make(text: str, model: str = "lp64") -> ir.Module:
        source = tmp_path / "a.c"
        source.write_text(text)
        return load_module(parse(str(source), SourceOptions(data_model=model)), DATA_MODELS[model])

    return make


def place(p: ir.Place) -> str:
    base = p.base if isinstance(p.base, str) else f"*({show(p.base)})"
    return base + "".join(f".{s.name}" if isinstance(s, ir.Field) else f"[{show(s.value)}]" for s in p.path)


def brief(instr: ir.Instr) -> str:
    """An instruction on one line, temporaries and all."""
    match instr:
        case ir.Set(target=t, value=e):
            return f"{t.name} = {show(e)}"
        case ir.Load(target=t, place=p):
            return f"{t.name} <- {place(p)}{'@' if p.type.quals.atomic else ''}"
        case ir.Store(place=p, value=e):
            return f"{place(p)}{'@' if p.type.quals.atomic else ''} <- {show(e) if e is not None else '*'}"
        case ir.Address(target=t, place=p):
            return f"{t.name} = &{place(p)}"
        case ir.Copy(target=a, source=b):
            return f"{place(a)} <= {place(b)}"
        case ir.Guard(cond=c):
            return f"[{show(c)}]"
        case ir.Call(callee=f, args=args):
            name = f if isinstance(f, str) else f"({show(f)})"
            return f"{name}({', '.join(place(a) if isinstance(a, ir.Place) else show(a) for a in args)})"
        case ir.Forget(targets=ts):
            return f"forget {' '.join(t.name for t in ts)}"
        case ir.Fail(kind=k):
            return f"fail {k.value}"
    return type(instr).__name__


def code(module: ir.Module, name: str = "f") -> list[str]:
    return [brief(e.instr) for e in module.function(name).edges]


def body(load: Load, statements: str, before: str = "int x, y, a[4]; int *p; int g(int); int h(int, int);") -> list[str]:
    return code(load(f"{before}\nvoid f(int u, int v) {{ {statements} }}"))


# --------------------------------------------------------------------------------------------------- whole programs
@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
@pytest.mark.parametrize("name", ["mixed", "shapes", "types"])
def test_programs_compute_what_gcc_computes(name: str, tmp_path: Path) -> None:
    source = Path(__file__).parent / "shapes" / f"{name}.c"
    (tmp_path / "out.c").write_text('#include <stdio.h>\nvoid out(long long x) { printf("%lld\\n", x); }\n')
    program = tmp_path / "program"
    subprocess.run(["gcc", "-w", "-fwrapv", str(source), str(tmp_path / "out.c"), "-o", str(program)], check=True)
    printed = subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout.split()
    assert run(load_module(parse(str(source), SourceOptions()), DATA_MODELS["lp64"])) == [int(v) for v in printed]


@pytest.mark.parametrize("seed", range(12))
def test_instructions_are_well_typed(seed: int, load: Load) -> None:
    """Operands of one type, registers assigned values of theirs, no expression of great height; on random programs."""
    module = load(sequential(seed).alone())
    word = module.model.pointer_size * 8
    for name, decl in module.declarations.items():
        if decl.defined:
            for edge in module.function(name).edges:
                check_types(edge.instr, word)


def check_types(instr: ir.Instr, word: int) -> None:
    def scalar(p: ir.Place) -> object:
        return p.type.scalar if isinstance(p.type, IntType) else (word, isinstance(p.type, PointerType))

    match instr:
        case ir.Set(target=t, value=e):
            assert t.type == e.type
            check(e)
        case ir.Guard(cond=c):
            assert c.type == BOOL
            check(c)
        case ir.Load(target=t, place=p):
            assert scalar(p) in (t.type, (t.type.width, not t.type.signed))
        case ir.Store(place=p, value=e) if e is not None:
            assert scalar(p) in (e.type, (e.type.width, not e.type.signed))
            check(e)


def check(e: Expr, height: int = 0) -> None:
    assert height < 80
    for child in children(e):
        check(child, height + 1)


# --------------------------------------------------------------------------------------------------- accesses
def test_each_access_is_one_instruction_in_order(load: Load) -> None:
    assert body(load, "x = x + 1;") == ["%1 <- x", "x <- %1 + 1"]
    assert body(load, "x += y;") == ["%1 <- x", "%2 <- y", "x <- %1 + %2"]
    assert body(load, "x++;") == ["%1 <- x", "x <- %1 + 1"]
    assert body(load, "h(x, y);") == ["%1 <- x", "%2 <- y", "h(%1, %2)"]
    assert body(load, "a[x] = *p;") == ["%1 <- x", "%2 <- p", "%3 <- *(%2)", "a[%1] <- %3"]
    assert body(load, "u = x + v * y;") == ["%1 <- x", "%2 <- y", "u = %1 + v * %2"]


def test_registers_are_locals_whose_address_is_not_taken(load: Load) -> None:
    module = load("void g(int *); void f(int q, int r) { int a = 1, b = 2; g(&a); g(&q); b += r; struct { int m; } s; s.m = b; }")
    f = module.function("f")
    assert [s.name for s in f.memory] == ["f::q", "f::a", "f::s"]
    assert isinstance(f.params[0], str) and isinstance(f.params[1], Var)
    assert {"b", "r"} <= {v.name for v in f.registers} and "a" not in {v.name for v in f.registers}


def test_shadowed_names_are_different_objects(load: Load) -> None:
    assert body(load, "int i = 1; { int i = 2; u = i; } v = i;") == ["i = 1", "i#2 = 2", "u = i#2", "v = i"]


def test_locations_name_the_accessed_part(load: Load) -> None:
    module = load("int x, y;\nvoid f(void) {\n  x = x +\n      y;\n}")
    edges = module.function("f").edges
    assert [(e.location.line, e.location.column, e.text) for e in edges] == [(3, 7, "x"), (4, 7, "y"), (3, 3, "x = x + y")]


def test_arrays_fields_and_pointers_become_paths(load: Load) -> None:
    before = "struct S { int m; struct { short e[3]; } in[2]; } s, *q; int a[3][4], (*pa)[4];"
    assert body(load, "s.in[u].e[1] = 1;", before) == ["s.in[u].e[1] <- 1"]
    assert body(load, "q->in[1].e[v] = 2;", before) == ["%1 <- q", "*(%1).in[1].e[v] <- 2"]
    assert body(load, "q[u].m = 3;", before) == ["%1 <- q", "*(%1)[u].m <- 3"]
    assert body(load, "a[u][v] = 4;", before) == ["a[u][v] <- 4"]
    assert body(load, "(*pa)[u] = 5;", before) == ["%1 <- pa", "*(%1)[0][u] <- 5"]
    assert body(load, "*(*(a + u) + v) = 6;", before) == ["a[u][v] <- 6"]
    assert body(load, "(&s)->m = 7; (*&s).m = 8;", before) == ["s.m <- 7", "s.m <- 8"]


def test_pointer_arithmetic_is_in_bytes(load: Load) -> None:
    before = "long long *l; char *c; struct { char x[12]; } *t; int a[5];"
    assert body(load, "l = l + u;", before) == ["%1 <- l", "l <- %1 + (u64)u * 8"]
    assert body(load, "c += 3; t--;", before) == ["%1 <- c", "c <- %1 + 3", "%2 <- t", "t <- %2 - 12"]
    assert body(load, "int *p = &a[u], *q = a + 2;", before) == ["p = &a[u]", "q = &a[2]"]


def test_hardware_registers_are_places_with_a_constant_base(load: Load) -> None:
    module = load("typedef unsigned char uint8_t; void f(void) { *(volatile uint8_t *)(unsigned int )& * (volatile unsigned "
                  "char *)(0x37 + 0x20) |= 1 << 7; }", "ip16")
    first = module.function("f").edges[0].instr
    assert isinstance(first, ir.Load) and isinstance(first.place.base, Const)
    assert first.place.base.value == 0x57 and first.place.type.quals.volatile


def test_offsetof_by_null_pointer_is_a_constant(load: Load) -> None:
    assert body(load, "u = (long)&((struct T *)0)->b;", "struct T { long a; int b; };") == ["u = 8"]


def test_bit_fields_have_their_own_width(load: Load) -> None:
    module = load("struct B { unsigned a:3; int b:5; } s; int f(void) { s.b = 40; return s.a - 8; }")
    store, read, result = (e.instr for e in module.function("f").edges)
    assert isinstance(store, ir.Store) and isinstance(store.value, Const) and store.value.value == 8
    assert isinstance(read, ir.Load) and read.target.type.width == 3
    assert isinstance(result, ir.Set) and show(result.value) == "%1 - 8"


# --------------------------------------------------------------------------------------------------- control flow
def test_short_circuit_branches_only_where_something_happens(load: Load) -> None:
    assert body(load, "if (u && v) x = 1;") == ["[u != 0 && v != 0]", "[!(u != 0 && v != 0)]", "x <- 1"]
    assert body(load, "if (x && y) u = 1;") == ["%1 <- x", "[%1 != 0]", "[%1 == 0]", "%2 <- y", "[%2 != 0]", "[%2 == 0]", "u = 1"]
    assert body(load, "u = v ? 1 : 2;") == ["u = v != 0 ? 1 : 2"]


def test_constant_conditions_leave_one_way(load: Load) -> None:
    assert body(load, "if (0) x = 1; else x = 2; while (1) { if (u) break; y = 3; } x = 4;") == [
        "x <- 2", "[u != 0]", "[u == 0]", "y <- 3", "x <- 4"]


def test_empty_loop_and_dead_code(load: Load) -> None:
    module = load("void f(void) { for (;;) ; } void g(int u) { return; u = 3; l: u = 4; goto l; }")
    f = module.function("f")
    assert [(e.source, e.target) for e in f.edges] == [(f.start, f.start)] and f.exit != f.start
    assert module.function("g").edges == () and module.function("g").start == module.function("g").exit


def test_switch_shares_edges_and_falls_through(load: Load) -> None:
    text = "switch (u) { case 1: case 2: v = 1; case 5 ... 7: v = 2; break; default: v = 3; case 9: v = 4; }"
    assert body(load, text) == [
        "v = 1", "v = 2", "v = 3", "v = 4", "[u == 1 || u == 2]", "[u >= 5 && u <= 7]", "[u == 9]",
        "[u != 1 && u != 2 && (!(u >= 5 && u <= 7) && u != 9)]"]


def test_uninitialised_register_is_open_again_in_a_loop(load: Load) -> None:
    assert "forget w" in body(load, "while (u) { int w; v = w; u--; }")
    assert "forget w" not in body(load, "int w; v = w;")


def test_struct_values_are_copied(load: Load) -> None:
    module = load("struct S { int a, b; } g1, g2; struct S make(struct S s) { s.a = 1; return s; }"
                  "void f(void) { g1 = make(g2); }")
    assert code(module) == ["f::<argument> <= g2", "make(f::<argument>)", "g1 <= f::<result>"]
    assert code(module, "make") == ["make::s.a <- 1", "make::%result <= make::s"]


def test_large_local_aggregate_is_copied_from_a_constant(load: Load) -> None:
    module = load("void f(int u) { char buffer[500] = \"ab\"; int few[3] = { u }; }")
    assert code(module) == ["f::buffer <= f::<initial>", "f::few[0] <- u", "f::few[1] <- 0", "f::few[2] <- 0"]
    assert [value for _, value in module.symbols["f::<initial>"].initial] == [97, 98]


# --------------------------------------------------------------------------------------------------- sections
def test_leaving_an_atomic_block_ends_it(load: Load) -> None:
    text = "while (u) { atomic { if (x) break; if (y) continue; if (v) return; if (u == 2) goto out; x = 1; } } out: y = 2;"
    lines = body(load, text)
    assert lines.count("AtomicBegin") == 1 and lines.count("AtomicEnd") == 5


def test_nested_sections_end_innermost_first(load: Load) -> None:
    assert body(load, "circ_critical { atomic { if (u) return; } x = 1; }") == [
        "CriticalBegin", "AtomicBegin", "[u != 0]", "[u == 0]", "AtomicEnd", "CriticalEnd", "AtomicEnd", "x <- 1", "CriticalEnd"]


def test_goto_into_an_atomic_block_is_refused(load: Load) -> None:
    with pytest.raises(FrontendError, match="goto into the atomic") as error:
        body(load, "if (u) goto in; atomic { x = 1; in: y = 2; }")
    assert error.value.location.line == 2
    with pytest.raises(FrontendError, match="case label inside an atomic"):
        body(load, "switch (u) { case 1: atomic { case 2: x = 1; } }")


def test_return_value_is_read_inside_the_section(load: Load) -> None:
    assert code(load("int x; int f(void) { atomic { return x; } }")) == ["AtomicBegin", "%result <- x", "AtomicEnd"]


def test_verifier_and_nesc_sections(load: Load) -> None:
    module = load("""typedef unsigned char t; t __nesc_atomic_start(void); void __nesc_atomic_end(t); int x;
        void __VERIFIER_atomic_begin(void); void __VERIFIER_atomic_end(void);
        void __VERIFIER_atomic_inc(void) { if (x) return; x++; }
        void f(void) { t a = __nesc_atomic_start(); x = 1; __nesc_atomic_end(a);
                       __VERIFIER_atomic_begin(); __VERIFIER_atomic_end(); }""")
    assert code(module) == ["AtomicBegin", "a = %any u8", "x <- 1", "AtomicEnd", "AtomicBegin", "AtomicEnd"]
    inner = code(module, "__VERIFIER_atomic_inc")
    assert inner[0] == "AtomicBegin" and inner[-1] == "AtomicEnd" and inner.count("AtomicEnd") == 1


# --------------------------------------------------------------------------------------------------- atomics
def test_atomic_objects(load: Load) -> None:
    before = "_Atomic int c; int x;"
    assert body(load, "c++;", before) == ["AtomicBegin", "%1 <- c@", "c@ <- %1 + 1", "AtomicEnd"]
    assert body(load, "c += x;", before) == ["%1 <- x", "AtomicBegin", "%2 <- c@", "c@ <- %2 + %1", "AtomicEnd"]
    assert body(load, "c = 1; u = c;", before) == ["c@ <- 1", "u <- c@"]


def test_atomic_builtins(load: Load) -> None:
    before = "int c; char flag;"
    assert body(load, "u = __atomic_load_n(&c, 5); __atomic_store_n(&c, v, 5);", before) == ["u <- c@", "c@ <- v"]
    assert body(load, "u = __sync_add_and_fetch(&c, 2);", before) == [
        "AtomicBegin", "%1 <- c@", "c@ <- %1 + 2", "AtomicEnd", "u = %1 + 2"]
    assert body(load, "u = __atomic_exchange_n(&c, 7, 5);", before)[1:3] == ["%1 <- c@", "c@ <- 7"]
    assert body(load, "int e = 1; u = __atomic_compare_exchange_n(&c, &e, 9, 0, 5, 5);", before) == [
        "e = 1", "AtomicBegin", "%2 <- c@", "[%2 == e]", "[%2 != e]", "c@ <- 9", "AtomicEnd", "%1 = 1", "AtomicEnd", "e = %2",
        "%1 = 0", "u = %1"]
    assert body(load, "while (__atomic_test_and_set(&flag, 5)); __atomic_clear(&flag, 5); __sync_synchronize();", before) == [
        "AtomicBegin", "%1 <- flag@", "flag@ <- 1", "AtomicEnd", "[%1 != 0]", "[%1 == 0]", "flag@ <- 0",
        "ThreadFence"]


def test_weak_exchange_may_fail_without_reason(load: Load) -> None:
    lines = body(load, "int e = 1; u = __atomic_compare_exchange_n(&c, &e, 9, 1, 5, 5);", "int c;")
    assert "[%2 == e]" in lines and "[1]" in lines


def test_a_failure_with_another_order_is_a_way_of_its_own(load: Load) -> None:
    lines = body(load, "int e = 1; u = __atomic_compare_exchange_n(&c, &e, 9, 0, 4, 2);", "int c;")
    assert lines.count("%2 <- c@") == 1
    lines = body(load, "int e = 1; u = __atomic_compare_exchange_n(&c, &e, 9, 0, 2, 0);", "int c;")
    assert lines.count("%2 <- c@") == 2 and lines.count("AtomicBegin") == 2


def test_weak_orders_are_taken_note_of(load: Load) -> None:
    strong = load("int c; void f(void) { __atomic_store_n(&c, 1, 5); }")
    lock = load("int c; void f(void) { __atomic_exchange_n(&c, 1, 2); __atomic_store_n(&c, 0, 3); }")
    weak = load("int c; void f(void) { __atomic_load_n(&c, 2); }")
    for module in (strong, lock, weak):
        module.function("f")
    assert not strong.orders
    assert lock.orders == {MemoryOrder.ACQUIRE, MemoryOrder.RELEASE}
    assert weak.orders == {MemoryOrder.ACQUIRE}


# --------------------------------------------------------------------------------------------------- known functions
def test_assertions_and_assumptions(load: Load) -> None:
    before = "void assert(_Bool); void assume(_Bool); void reach_error(void); int x; void abort(void);"
    assert body(load, "assert(x > u); x = 1;", before) == ["%1 <- x", "[%1 > u]", "[%1 <= u]", "fail assert", "x <- 1"]
    assert body(load, "assume(u > 1);", before) == ["[u > 1]"]
    assert body(load, "if (u) reach_error(); x = 1;", before) == ["[u != 0]", "[u == 0]", "fail reach_error", "x <- 1"]
    assert body(load, "if (u) abort(); x = 1;", before) == ["[u != 0]", "[u == 0]", "x <- 1"]


def test_a_function_of_the_program_wins_over_a_known_name(load: Load) -> None:
    module = load("void assume(int c) { while (!c) ; } int nondet(void) { return 4; } void f(void) { assume(nondet()); }")
    assert code(module) == ["nondet()", "assume(%1)"]


def test_nondet_has_the_declared_type(load: Load) -> None:
    module = load("unsigned char __VERIFIER_nondet_uchar(void); int f(void) { int w = __VERIFIER_nondet_uchar(); return w; }")
    assert code(module) == ["forget %1", "w = %1", "%result = w"]
    assert module.function("f").edges[0].instr.targets[0].type.width == 8  # type: ignore[union-attr]


def test_calls_that_do_not_return(load: Load) -> None:
    before = "__attribute__((noreturn)) void die(int); _Noreturn void die2(void); void pthread_exit(void *); int x;"
    assert body(load, "if (u) die(1); else die2(); x = 1;", before) == ["[u != 0]", "[u == 0]", "die(1)", "die2()"]
    assert body(load, "atomic { pthread_exit(0); } x = 1;", before) == ["AtomicBegin", "AtomicEnd", "pthread_exit(0)"]


def test_calls_through_pointers_read_them(load: Load) -> None:
    before = "int (*fp)(int); struct { void (*m)(void); } s; int k(int);"
    assert body(load, "u = fp(v); (*fp)(1); s.m(); (*k)(2); fp = k; fp = &k;", before) == [
        "%1 <- fp", "(%1)(v)", "%3 <- fp", "(%3)(1)", "%4 <- s.m", "(%4)()", "k(2)", "%5 = &k", "fp <- %5", "%6 = &k", "fp <- %6"]


def test_inline_assembly(load: Load) -> None:
    module = load('void f(int u) { int w; asm volatile ("sei" ::); asm("mov %0" : "=r"(w) : "r"(u)); '
                  'asm volatile ("" ::: "memory"); }')
    assert code(module) == ["__circ_interrupts_on()", "Nop", "forget w", "Nop", "Nop"]
    assert [text for text, _ in module.assumptions] == ["inline assembly touches only its outputs and what its inputs lead to"]
    assert code(load('int g; void f(int *p) { int w; asm("" :: "r"(&g)); asm("mov" : "=r"(w), "=m"(g) : "r"(p), "r"(&w)); }')) == [
        "%1 = &g", "Nop", "%2 = &f::w", "__circ_assembler(p, %2)", "f::w <- *", "g <- *", "Nop"]


def test_floating_point_is_arbitrary_but_accessed(load: Load) -> None:
    module = load("double d; int f(float x) { d = x * 2; if (d > 1.5) return (int)2.75; return (int)d; }")
    assert code(module) == ["d <- *", "%1 <- d", "forget %2", "[%2]", "[!%2]", "%result = 2", "%3 <- d", "forget %result"]
    assert [text for text, _ in module.assumptions] == ["floating-point values are arbitrary"]


def test_unsequenced_side_effects_are_an_assumption(load: Load) -> None:
    def order(statement: str) -> int:
        module = load(f"int x; int g(void) {{ return x++; }} int pure(int); void f(int i, int *a) {{ {statement} }}")
        module.function("f")
        return len(module.assumptions)

    assert [order(s) for s in ("a[i] = i++;", "i = x + g();", "i = g() + g();", "x = g() + 1;", "i = pure(1) + x;", "i = i + 1;",
                               "a[i++] = 1;")] == [1, 1, 1, 0, 0, 0, 0]


def test_an_order_that_other_threads_can_see_is_an_assumption(load: Load) -> None:
    def order(expression: str) -> int:
        module = load(f"""#include <pthread.h>
            #include <stdatomic.h>
            int x, (*call)(void); _Atomic int flag; struct state {{ int n; _Atomic int go; }} s; pthread_mutex_t m;
            int lock(void) {{ return pthread_mutex_lock(&m); }}
            int use(int, int); int pure(int); void f(int *p, struct state *q, int i) {{ {expression}; }}""")
        module.function("f")
        return sum(text.startswith("operands are evaluated left to right") for text, _ in module.assumptions)

    seen = ["use(pthread_mutex_lock(&m), x)", "use(lock(), *p)", "use(q->n, lock())", "use(lock(), p[i])", "use(x, call())",
            "use(x, flag = 1)", "use(x, flag++)", "use(*p, s.go = 1)", "use(x, atomic_fetch_add(&flag, 1))",
            "use(*p, __sync_lock_test_and_set(&flag, 0))", "int t[] = { lock(), x }", "struct { int a, b; } t = { .b = lock(), .a = *p }",
            "use(*p = 2, q->n)", "p[lock()] = x"]
    unseen = ["*p = lock()", "q->n = lock()", "p[i] = lock()", "use(x, pure(1))", "use(x, i++)", "use(x, atomic_load(&flag))",
              "int t[] = { pure(1), x }", "lock() && x", "(lock(), x)", "i = lock() ? x : *p"]
    assert [order(e) for e in seen] == [1] * len(seen)
    assert [order(e) for e in unseen] == [0] * len(unseen)


def test_left_operand_keeps_its_value(load: Load) -> None:
    assert body(load, "u = v + (v = 3);") == ["%1 = v", "v = 3", "u = %1 + v"]


# --------------------------------------------------------------------------------------------------- the module
def test_nothing_is_elaborated_until_asked_for(load: Load) -> None:
    module = load("struct bad { int x[missing]; }; struct bad *p; void f(void) {} void g(void) { undeclared = 1; }")
    assert list(module.declarations) == ["f", "g"] and module.function("f").edges == ()
    assert list(module.symbols) == ["p"]
    with pytest.raises(FrontendError, match="'undeclared' is not declared"):
        module.function("g")


def test_symbols_and_their_start_values(load: Load) -> None:
    module = load("""extern int ext; static int s = 3; _Thread_local int t; int later[]; int later[] = { 1, 2 };
        char *text = "hi"; int *mid = &later[1] + 0, **pp = &mid; void f(void) { static int s = 4; s++; }""")
    module.function("f")
    symbols = module.symbols
    assert (symbols["ext"].defined, symbols["s"].storage, symbols["t"].storage) == (False, ir.Storage.STATIC, ir.Storage.THREAD)
    assert symbols["later"].type == ArrayType(IntType("int", 32, True), 2)
    assert symbols["f::s"].initial == (((), 4),)
    assert [v for _, v in symbols["pp"].initial] == [ir.AddressValue("mid")]
    (_, middle), = symbols["mid"].initial
    assert isinstance(middle, ir.AddressValue) and middle.symbol == "later" and len(middle.path) == 1
    assert list(symbols)[:6] == ["ext", "s", "t", "later", "text", "mid"]


def test_differences_of_static_addresses_are_constants(load: Load) -> None:
    module = load("int a[5]; long d = &a[4] - &a[1], e = (char *)&a[2] - (char *)a, f = sizeof(a) / sizeof(*a); "
                  "int *end = a + 5 - 2;")
    assert [[v for _, v in module.symbols[n].initial] for n in "def"] == [[3], [8], [5]]
    assert [v for _, v in module.symbols["end"].initial] == [
        ir.AddressValue("a", (ir.Index(Const(5, IntType("int", 32, True).scalar)),), -8)]


def test_recursive_and_local_records(load: Load) -> None:
    module = load("struct N { struct N *next; int v; }; void f(void) { struct N { char c; } n; n.c = 1; "
                  "struct { long z; } m; m.z = 2; }")
    module.function("f")
    assert module.records["N"].size == 16 and module.records["f::N"].size == 1


def test_functions_declared_by_a_typedef(load: Load) -> None:
    module = load("typedef int op(int, int); op add, ext; typedef op op2; op2 *p = ext; int add(int a, int b) { return a + b; } "
                  "int f(void) { return add(1, 2) + ext(3, 4) + p(5, 6); }")
    assert list(module.declarations) == ["add", "ext", "f"] and list(module.symbols) == ["p"]
    assert code(module)[:2] == ["add(1, 2)", "ext(3, 4)"] and not module.declarations["ext"].defined


def test_const_objects_are_constants(load: Load) -> None:
    module = load("static const int n = 3; const volatile int hw = 1; int f(void) { const int k = n + 1; int a[k]; a[n] = hw; "
                  "return sizeof a; }")
    assert code(module) == ["k = 4", "%1 <- hw", "f::a[3] <- %1", "%result = 16"]
    assert isinstance(module.function("f").memory[0].type, ArrayType) and module.sizeof(module.function("f").memory[0].type) == 16


@pytest.mark.parametrize(("text", "message"), [
    ("int f(void) { return y; }", "'y' is not declared"),
    ("struct S { int a; } s; int f(void) { return s.b; }", "no member 'b'"),
    ("int f(void) { goto nowhere; }", "label 'nowhere'"),
    ("int n; int f(void) { static int k = n; return k; }", "is not constant"),
    ("int f(void) { break; }", "outside of a loop"),
    ("int f(int x) { switch (x) { case x: return 1; } return 2; }", "not a constant"),
])
def test_refusals_are_located(load: Load, text: str, message: str) -> None:
    with pytest.raises(FrontendError, match=message) as error:
        load(text).function("f")
    assert error.value.location.line == 1


def test_long_functions_and_chains(load: Load) -> None:
    statements = "".join(f"if (u == {i}) x += {i}; " for i in range(2000))
    assert len(body(load, statements)) == 2000 * 4
    chain = " + ".join(["x"] * 900)
    lines = body(load, f"u = {chain};")
    assert sum(line.endswith("<- x") for line in lines) == 900
    ladder = " else ".join(f"if (u == {i}) x = {i};" for i in range(400))
    assert body(load, ladder).count("x <- 399") == 1


def test_failing_assertion_stops_the_machine(load: Load) -> None:
    with pytest.raises(Failed, match="x > 2"):
        Machine(load("void assert(_Bool); int main(void) { int x = 2; assert(x > 2); return 0; }")).call("main", [])


def test_reads_are_only_of_registers(load: Load) -> None:
    module = load(sequential(3).alone())
    for name, decl in module.declarations.items():
        if decl.defined:
            f = module.function(name)
            known = {v.name for v in f.registers}
            for edge in f.edges:
                if isinstance(edge.instr, ir.Set | ir.Guard):
                    todo = [edge.instr.value if isinstance(edge.instr, ir.Set) else edge.instr.cond]
                    while todo:
                        e = todo.pop()
                        assert not isinstance(e, Read) or (isinstance(e.lvalue, Var) and e.lvalue.name in known)
                        todo.extend(children(e))


@pytest.mark.parametrize(("text", "message"), [
    ('int h; extern int g asm("h"); int main(void) { g = 1; }', "1:21: error: 'g' is another name of 'h'"),
    ('int a asm("h"); int b __asm__("" "h"); int main(void) { a = 1; }', "1:23: error: 'b' is another name of 'a'"),
    ('void f(void) {} void g(void) asm("f"); int main(void) { g(); }', "1:30: error: 'g' is another name of 'f'"),
    ("int f(void) { return 1; } int f(void) { return 2; } int main(void) { f(); }", "1:31: error: 'f' is defined twice"),
    ("int g = 1; int g = 2; int main(void) { g = 2; }", "1:16: error: 'g' is defined twice"),
    ("int g; char g; int main(void) { g = 2; }", "1:13: error: 'g' is declared with another type"),
])
def test_one_name_one_object(load: Load, text: str, message: str) -> None:
    with pytest.raises(FrontendError, match=message):
        _ = [load(text).symbols, load(text).function("main")]


def test_declarations_that_agree(load: Load) -> None:
    module = load("extern int a[]; int a[4]; int g; int g = 2; struct S; extern struct S x; struct S { int a; }; struct S x;"
                  'extern inline int q(void) { return 1; } int q(void) { return 2; } int z[3] asm("zz"); int sc(void) asm("scanf");')
    assert list(module.symbols) == ["a", "g", "x", "z"]
