"""The part of the C library that keeps state of its own between calls, in the format of `frontend.ir.library_table`.

Every state is one object, the same for all threads: `W:name` the function writes it, `R:name` it reads it, with `?` where that
depends on the implementation or on the call. The result `hidden` is a pointer to the first of them, or null. Which functions
these are is in POSIX ("need not be thread-safe") and in the glibc manual ("MT-Unsafe"). Streams have locks of their own: `f1`
is a use of the stream that argument 1 is, `F1` ends or makes it anew, `b` says that a stream is used which is no argument.
"""

TABLE = """
# string.h
strtok hidden r0 r1 w0 W:strtok
strerror hidden W:strerror? R:locale?
strsignal hidden W:strsignal? R:locale?
# time.h
localtime hidden r0 W:localtime R:environ?
gmtime hidden r0 W:localtime
ctime hidden r0 W:asctime W:localtime R:environ?
asctime hidden r0 W:asctime
mktime any r0 w0 R:environ?
timelocal any r0 w0 R:environ?
timegm any r0 w0
tzset any W:tzset? R:environ?
getdate hidden r0 W:getdate R:environ?
# stdlib.h
getenv unknown r0 R:environ
secure_getenv unknown r0 R:environ
setenv any r0 r1 W:environ
unsetenv any r0 W:environ?
putenv any r0 W:environ
clearenv any W:environ
drand48 any W:drand48
lrand48 any W:drand48
mrand48 any W:drand48
srand48 any W:drand48
seed48 hidden r0 W:drand48
lcong48 any r0 W:drand48
ecvt hidden W:ecvt w2 w3
fcvt hidden W:ecvt w2 w3
qecvt hidden W:ecvt w2 w3
qfcvt hidden W:ecvt w2 w3
l64a hidden W:l64a
mblen any r0 W:mblen?
mbtowc any r1 w0 W:mbtowc?
wctomb any w0 W:wctomb?
ptsname hidden W:ptsname
# stdio.h
tmpnam unknown w0 W:tmpnam?
fopen new r0 r1
fdopen new r1
tmpfile new
popen new r0 r1
fmemopen new r2
freopen unknown r0 r1 F2 f2
fclose any F0
pclose any F0
fflush any f0 b
fputs any r0 f1
putc any f1
fputc any f1
getc any f0
fgetc any f0
ungetc any f1
fgets in0 w0 f2
fread any w0 f3
fwrite any r0 f3
fseek any f0
ftell any f0
rewind any f0
feof any f0
ferror any f0
clearerr any f0
fileno any f0
setvbuf any f0
setbuf any f0
setlinebuf any f0
setbuffer any f0
printf any p0 b R:locale?
fprintf any p1 f0 R:locale?
vprintf any vp0 b R:locale?
vfprintf any vp1 f0 R:locale?
__printf_chk any vp1 b R:locale?
__fprintf_chk any vp2 f0 R:locale?
__vprintf_chk any vp1 b R:locale?
__vfprintf_chk any vp2 f0 R:locale?
scanf any s0 b R:locale?
fscanf any s1 f0 R:locale?
vscanf any vs0 b R:locale?
vfscanf any vs1 f0 R:locale?
__isoc99_scanf any s0 b R:locale?
__isoc99_fscanf any s1 f0 R:locale?
puts any r0 b
putchar any b
getchar any b
gets in0 w0 b
perror any r0 b
# others of POSIX
setlocale hidden r1 W:locale R:environ?
localeconv hidden W:localeconv? R:locale?
nl_langinfo hidden W:nl_langinfo? R:locale?
gethostbyname hidden r0 W:gethostbyname
gethostbyname2 hidden r0 W:gethostbyname
gethostbyaddr hidden r0 W:gethostbyname
gethostent hidden W:gethostbyname
getnetbyname hidden r0 W:getnetbyname
getprotobyname hidden r0 W:getprotobyname
getprotobynumber hidden W:getprotobyname
getservbyname hidden r0 r1 W:getservbyname
getservbyport hidden r1 W:getservbyname
inet_ntoa hidden W:inet_ntoa?
getpwnam hidden r0 W:getpwnam
getpwuid hidden W:getpwnam
getpwent hidden W:getpwnam
getgrnam hidden r0 W:getgrnam
getgrgid hidden W:getgrnam
getgrent hidden W:getgrnam
getlogin hidden W:getlogin
ttyname hidden W:ttyname
ctermid unknown w0 W:ctermid?
crypt hidden r0 r1 W:crypt
getpass hidden r0 W:getpass
basename unknown r0 w0 W:basename?
__xpg_basename unknown r0 w0 W:basename?
dirname unknown r0 w0 W:dirname?
dlerror hidden W:dlerror?
hcreate any W:hsearch
hdestroy any W:hsearch
lgamma any W:signgam
lgammaf any W:signgam
getopt any r2 W:getopt R:environ?
"""
