"""Instructions of the processors in use that concern no interrupt: they compute, move data, or wait."""

from __future__ import annotations

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ONE_WORD_REGISTERS = frozenset({"__sp_l__", "__sp_h__", "__rampz__", "__rampx__", "__rampy__", "__rampd__", "__eind__",
                                "__ccp__"})
"""Names of the AVR's I/O registers that are not the status."""

_AVR = """
adc add adiw and andi asr bld bst cbi cbr clc clh cln clr cls clt clv clz com cp cpc cpi dec des eicall elpm eor fmul
fmuls fmulsu inc in lac las lat lax ld ldd ldi lds lpm lsl lsr mov movw mul muls mulsu neg nop or ori out pop push rol
ror sbc sbci sbi sbiw sbr sec seh sen ser ses set sev sez sleep spm st std sts sub subi swap tst wdr xch break
"""
_MSP430 = """
add addc addx and bic bis bit clr clrc clrn clrz cmp dadc dadd dec decd inc incd inv mov movx nop pop popm push pushm
rla rlam rlc rra rram rrc rrcm rrum sbc setc setn setz sub subc swpb sxt tst xor
"""
_ARM = """
adc adcs add adds addw adr and ands asr asrs bfc bfi bic bics bkpt clrex clz cmn cmp dbg dmb dsb eor eors isb it ite
itt itte ittt itet itee ldm ldmia ldmfd ldr ldrb ldrd ldrex ldrexb ldrexh ldrh ldrsb ldrsh lsl lsls lsr lsrs mcr mla
mls mov movs movt movw mrc mrs mul muls mvn mvns neg nop orn orr orrs pld pop push rbit rev rev16 revsh ror rors rrx
rsb rsbs sbc sbcs sbfx sdiv sel sev sevl smlabb smlal smulbb smull ssat stm stmdb stmia strd stmfd str strb strex
strexb strexh strh sub subs sxtb sxth teq tst ubfx udiv umlal umull usad8 usat uxtb uxth vldm vldr vmov vmrs vmsr vstm
vstr wfe wfi yield ldp stp ldar stlr ldxr stxr ldaxr stlxr qadd qsub uadd8 usub8 smuad smlad pkhbt
"""
_RISCV = """
add addi addiw addw amoadd amoand amoor amoswap amoxor and andi auipc div divu fence fence_i flw fsw la lb lbu ld lh
lhu li lr lui lw lwu mul mulh mulhu mv neg nop not or ori rem remu sb sc sd seqz sh sll slli slt slti sltu snez sra
srai srl srli sub subw sw wfi xor xori rdcycle rdtime rdinstret
"""
_X86 = """
adc adcb adcl adcq add addb addl addq addw and andb andl andq andw bsf bsfl bsfq bsr bsrl bsrq bswap bt btc btl btr
btrl bts btsl cbw cdq cld clflush cmova cmove cmovne cmp cmpb cmpl cmpq cmpw cmpxchg cmpxchg16b cmpxchg8b cmpxchgb
cmpxchgl cmpxchgq cpuid dec decb decl decq div divl divq hlt idiv imul imull inb inc incb incl incq inl inw lea leal
leaq lfence lock mfence monitor mov movabs movb movd movl movq movsb movsl movsw movw movzbl movzwl movnti mul mull
mulq mwait neg negl not notl or orb orl orq orw outb outl outw pause pop popl popq prefetch prefetcht0 push pushl
pushq pushf pushfl pushfq rdmsr rdpmc rdtsc rdtscp rep rol roll ror rorl sahf sal sall sar sarl sbb sbbl sete setne
setc setz sfence shl shll shlq shld shr shrl shrq shrd stosb stosl std sub subb subl subq test testb testl testq ud2
wrmsr xadd xaddb xaddl xaddq xchg xchgb xchgl xchgq xor xorb xorl xorq xorw
"""
_MOVES = frozenset({"msr apsr", "msr apsr_nzcvq", "msr msp", "msr psp", "msr control", "msr psplim", "msr msplim", "msr fpcr",
                    "msr fpsr"})
_DIRECTIVES = """
.align .arch .arm .balign .code .cpu .endif .equ .extern .fpu .func .endfunc .global .globl .hidden .if .ifdef .else
.ltorg .p2align .popsection .previous .pushsection .section .set .size .syntax .text .thumb .thumb_func .type .unified
.weak .loc .file .option .cfi_startproc .cfi_endproc .fnstart .fnend .save .cantunwind
"""

_HARMLESS = _words(" ".join((_AVR, _MSP430, _ARM, _RISCV, _X86, _DIRECTIVES))) | _MOVES
_CONDITIONS = re.compile("eq|ne|cs|hs|cc|lo|mi|pl|vs|vc|hi|ls|ge|lt|gt|le|al")

_JUMPS = _words("""
b bl blx bx bxj cbz cbnz tbb tbh tbz tbnz br blr ret retaa j jal jalr jr beq beqz bne bnez blt bltu blti bltz ble bleu
blez bge bgeu bgez bgt bgtu bgtz bcc bcs bhs blo bmi bpl bvs bvc bhi bls bal jmp ijmp eijmp rjmp call icall eicall
rcall brbc brbs brcc brcs breq brge brhc brhs brid brie brlo brlt brmi brne brpl brsh brtc brts brvc brvs cpse sbic
sbis sbrc sbrs jc jnc jz jnz je jne jl jge jn jhs jlo ja jae jb jbe jg jle jo jno js jns jp loop loope loopne djnz
cjne jnb sjmp ljmp lcall acall
""")

SEMICOLON_COMMENTS = _words("""
in out lds sts ldi sbi cbi lpm elpm movw adiw sbiw wdr sei bset bclr brne breq rjmp sbrs sbrc sbis sbic __sreg__
__tmp_reg__ __zero_reg__ eint dint bis bic bis.w bic.w bis.b bic.b mov.w mov.b
""")
"""Words of the AVR and the MSP430, whose assemblers take what follows a semicolon as a comment."""


def is_harmless(name: str) -> bool:
    """Whether an instruction or directive concerns no interrupt, and goes on with the next one."""
    if name in _HARMLESS:
        return True
    return len(name) > 3 and _CONDITIONS.fullmatch(name[-2:]) is not None and name[:-2] in _HARMLESS


def is_jump(name: str) -> bool:
    """Whether an instruction may go on elsewhere than behind itself."""
    return name.partition(".")[0] in _JUMPS
