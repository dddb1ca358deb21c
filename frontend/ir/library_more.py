"""More of ISO C as data: numbers, characters, wide characters, streams, in the format of `frontend.ir.library_table`."""

TABLE = """
# math.h, complex.h, fenv.h
acosh asinh atanh sinh cosh tanh cbrt exp2 exp10 expm1 log1p logb ilogb rint nearbyint lrint llrint lround : any
llround trunc roundeven : any
tgamma erf erfc j0 j1 y0 y1 hypot fdim fma remainder drem copysign nextafter nexttoward scalbn scalbln ldexp significand : any
fmaximum fminimum scalb jn yn nan finite isinf isnan signbit __finite __isnan __isinf __signbit __fpclassify : any
frexp modf : any w1
remquo : any w2
sincos : any w1 w2
lgamma_r : any w1
cabs carg creal cimag conj cproj cexp clog cpow csqrt csin ccos ctan casin cacos catan csinh ccosh ctanh : any
feclearexcept feraiseexcept fetestexcept fegetround fesetround feenableexcept fedisableexcept fegetexcept : any
fegetenv feholdexcept : any w0
fesetenv feupdateenv : any r0
fegetexceptflag : any w0
fesetexceptflag : any r0
# stdlib.h, inttypes.h
div ldiv lldiv imaxdiv imaxabs : any
atoq : any r0
strtof strtold strtoimax strtoumax strtoq strtouq : any r0 w1
posix_memalign : any w0
memalign pvalloc reallocarray : new
mkstemp mkostemp mkstemps mkostemps : any r0 w0
mkdtemp mktemp : in0 r0 w0
realpath : unknown r0 w1
canonicalize_file_name : new r0
random_r srandom_r : any D0 D1
erand48 nrand48 jrand48 : any r0 w0 W:drand48?
drand48_r lrand48_r mrand48_r : any r0 w0 w1
erand48_r nrand48_r jrand48_r : any r0 w0 r1 w1 w2
srand48_r : any w1
a64l : any r0
ecvt_r fcvt_r : any w2 w3 w4
gcvt : in2 w2
arc4random arc4random_uniform : any
arc4random_buf : any w0
mbstowcs : any r1 w0
wcstombs : any r1 w0
getprogname : unknown
setprogname : any r0
# string.h
memccpy : in0 r1 w0
rawmemchr memrchr : in0 r0
memmem : in0 r0 r2
strchrnul index rindex : in0 r0
strcasestr : in0 r0 r1
stpncpy : in0 r1 w0
strlcpy : any r1 w0
strlcat : any r0 r1 w0
strxfrm : any r1 w0
strverscmp : any r0 r1
bcmp : any r0 r1
strsep : unknown D0 r1
strtok_r : unknown r0 w0 r1 r2 w2
__strtok_r : unknown r0 w0 r1 r2 w2
strerror_r : unknown w1
__xpg_strerror_r : any w1
strerrorname_np strerrordesc_np sigabbrev_np sigdescr_np : unknown
strfry memfrob : in0 r0 w0
ffs ffsl ffsll : any
strfmon : any w0 r2
# ctype.h, wctype.h, wchar.h
isblank isascii toascii _toupper _tolower iswalnum iswalpha iswdigit iswxdigit iswlower iswupper iswspace iswpunct iswprint : any
iswcntrl iswgraph iswblank iswctype towupper towlower towctrans btowc wctob wcwidth : any
wctype wctrans : any r0
__ctype_b_loc __ctype_toupper_loc __ctype_tolower_loc : hidden R:ctype
__ctype_get_mb_cur_max : any
wcslen : any r0
wcsnlen : any r0
wcscpy wcsncpy : arg0 r1 w0
wcscat wcsncat : arg0 r0 r1 w0
wcpcpy wcpncpy : in0 r1 w0
wcscmp wcsncmp wcscoll wcscasecmp wcsncasecmp wmemcmp : any r0 r1
wcschr wcsrchr wmemchr wcschrnul : in0 r0
wcsstr wcspbrk : in0 r0 r1
wcsspn wcscspn : any r0 r1
wcswidth : any r0
wmemcpy wmemmove : arg0 r1 w0
wmempcpy : in0 r1 w0
wmemset : arg0 w0
wcsdup : new r0
wcstok : unknown r0 w0 r1 r2 w2
wcsxfrm : any r1 w0
wcstol wcstoul wcstoll wcstoull wcstod wcstof wcstold wcstoimax wcstoumax : any r0 w1
mbsinit : any r0
mbrlen : any r0 r2 w2
mbrtowc mbrtoc16 mbrtoc32 : any w0 r1 r3 w3
wcrtomb c16rtomb c32rtomb : any w0 r2 w2
mbsrtowcs : any w0 r1 w1 d1 r3 w3
wcsrtombs : any w0 r1 w1 d1 r3 w3
mbsnrtowcs wcsnrtombs : any w0 r1 w1 d1 r4 w4
wcsftime : any w0 r2 r3
swprintf : any w0 vp2
__swprintf_chk : any w0 vp4
vswprintf : any w0 vp2
wprintf : any vp0 b
fwprintf : any vp1 f0
swscanf : any r0 vs1
fgetwc getwc : any f0
fputwc putwc ungetwc : any f1
fgetws : in0 w0 f2
fputws : any r0 f1
getwchar putwchar : any b
fwide : any f0
# stdio.h
getline : any r0 w0 r1 w1 f2
getdelim __getdelim : any r0 w0 r1 w1 f3
getw : any f0
putw : any f1
fgetpos : any w1 f0
fsetpos : any r1 f0
fseeko : any f0
ftello : any f0
flockfile ftrylockfile funlockfile : any f0
asprintf : any w0 p1
vasprintf : any w0 vp1
__asprintf_chk : any w0 vp2
__vasprintf_chk : any w0 vp2
tempnam : new r0 r1
fcloseall : any b
__fgets_chk __fgets_unlocked_chk : in0 w0 f3
__fread_chk __fread_unlocked_chk : any w0 f4
__overflow __uflow __underflow : any f0
_IO_putc : any f1
_IO_getc : any f0
__fpending __fbufsize __freading __fwriting __freadable __fwritable __flbf __fpurge fpurge : any f0
# assert.h, stdlib.h: what does not return
__assert_perror_fail : none
# string.h of BSD, sys/queue, endian.h
htobe16 htobe32 htobe64 be16toh be32toh be64toh htole16 htole32 htole64 le16toh le32toh le64toh : any
bswap_16 bswap_32 bswap_64 __bswap_16 __bswap_32 __bswap_64 : any
makedev major minor gnu_dev_makedev gnu_dev_major gnu_dev_minor : any
# what processors do beside C, by the names of their compilers; drivers of firmware
__no_operation _no_operation __nop _nop __NOP __WFI __WFE __SEV __DSB __ISB __DMB : any
__delay_cycles __wfi __wfe __dsb __isb __dmb : any
__get_IPSR __get_MSP __get_PSP __get_CONTROL __get_xPSR __set_MSP __set_PSP __CLZ __REV __REV16 __RBIT : any
__even_in_range _even_in_range : arg0
HAL_Delay HAL_GetTick : any
HAL_GPIO_ReadPin : any r0
HAL_GPIO_WritePin HAL_GPIO_TogglePin : any r0 w0
"""
