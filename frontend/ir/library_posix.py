"""POSIX and GNU as data: files, processes, sockets, time, users, terminals, in the format of `frontend.ir.library_table`.

Functions that keep what they are given, or call it later (`timer_create`, `mq_notify`, `openlog`, `glob`, ...), have no row:
they may do anything to what their arguments reach, at any time.
"""

TABLE = """
# unistd.h, fcntl.h, sys/stat.h: descriptors and files
dup dup2 dup3 fsync fdatasync sync syncfs lseek ftruncate fchdir fchown fchmod umask posix_fadvise posix_fallocate fallocate : any
getppid getpgrp getpgid setpgid setsid getsid getuid geteuid getgid getegid setuid seteuid setgid setegid setreuid setregid : any
setresuid setresgid tcgetpgrp tcsetpgrp nice getpagesize fpathconf ualarm vhangup lockf gethostid getdtablesize : any
fork vfork _Fork daemon : any
chdir chmod rmdir unlink mkdir mkfifo mknod chroot acct creat truncate chown lchown access eaccess euidaccess : any r0
openat unlinkat mkdirat mkfifoat mknodat fchmodat fchownat faccessat : any r1
link symlink : any r0 r1
linkat renameat renameat2 : any r1 r3
symlinkat : any r0 r2
readlink : any r0 w1
readlinkat : any r1 w2
stat lstat : any r0 w1
fstat : any w1
fstatat : any r1 w2
statx : any r1 w4
statvfs statfs : any r0 w1
fstatvfs fstatfs : any w1
__xstat __lxstat : any r1 w2
__fxstat : any w2
__fxstatat : any r2 w3
utime utimes : any r0 r1
futimes futimens : any r1
utimensat : any r1 r2
lutimes : any r0 r1
pread : any w1
pwrite : any r1
readv preadv preadv2 : any D1
writev pwritev pwritev2 vmsplice : any d1
sendfile : any r2 w2
splice copy_file_range : any r1 w1 r3 w3
tee : any
pipe pipe2 : any w0
fcntl ioctl : any d2 D2
flock : any
getcwd : in0 w0
getwd : in0 w0
get_current_dir_name : new
gethostname getdomainname : any w0
sethostname setdomainname : any r0
ttyname_r getlogin_r : any w1
ptsname_r : any w1
confstr : any w1
pathconf : any r0
getgroups : any w1
setgroups : any r1
getgrouplist : any r0 w2 w3 r3
initgroups : any r0
getresuid getresgid : any w0 w1 w2
getrandom getentropy : any w0
swab : any r0 w1
brk sbrk : unknown
encrypt : any r0 w0
setkey : any r0
syscall : unknown d1 D1 d2 D2 d3 D3 d4 D4 d5 D5 d6 D6
# processes
execv execvp : any r0 d1
execve execvpe : any r0 d1 d2
execl execlp execle : any r0 d1 d2 d3 d4 d5 d6 d7
fexecve : any d1 d2
wait : any w0
waitpid : any w1
waitid : any w2
wait3 : any w0 w2
wait4 : any w1 w3
getrlimit getrusage : any w1
setrlimit : any r1
prlimit : any r2 w3
getpriority setpriority : any
posix_spawn posix_spawnp : any w0 r1 d2 d3 d4 d5
posix_spawn_file_actions_init posix_spawn_file_actions_destroy posix_spawnattr_init posix_spawnattr_destroy : any w0
posix_spawn_file_actions_addopen : any r0 w0 r2
posix_spawn_file_actions_adddup2 posix_spawn_file_actions_addclose posix_spawnattr_setflags : any r0 w0
times : any w0
uname : any w0
sysinfo : any w0
getloadavg : any w0
prctl : any d1 D1
sched_getaffinity : any w2
sched_setaffinity : any r2
sched_getparam : any w1
sched_setparam : any r1
sched_setscheduler : any r2
sched_getscheduler sched_get_priority_max sched_get_priority_min sched_getcpu get_nprocs get_nprocs_conf : any
sched_rr_get_interval : any w1
__sched_cpucount __sched_cpualloc : any r1
# signals
killpg sigpause sighold sigrelse sigignore siginterrupt : any
sigismember : any r0
sigpending : any w0
sigsuspend : any r0
sigwait : any r0 w1
sigwaitinfo : any r0 w1
sigtimedwait : any r0 w1 r2
sigaltstack : any d0 w1
sigqueue psignal : any
sigisemptyset : any r0
sigandset sigorset : any w0 r1 r2
signalfd : any r1
tgkill : any
__libc_current_sigrtmin __libc_current_sigrtmax : any
# sys/mman.h
mmap mremap : unknown
munmap mprotect msync madvise mlock munlock posix_madvise mlockall munlockall : any
mincore : any w2
shm_open shm_unlink memfd_create : any r0
shmat : unknown
shmget shmdt semget msgget : any
shmctl msgctl : any D2
msgsnd : any r1
msgrcv : any w1
semop : any r1 w1
semtimedop : any r1 w1 r3
semctl : any D3
mq_open : any r0 r3
mq_close : any
mq_unlink : any r0
mq_send mq_timedsend : any r1 r4
mq_receive mq_timedreceive : any w1 w3 r4
mq_getattr : any w1
mq_setattr : any r1 w2
ftok : any r0
# poll, select, epoll and their like
poll : any r0 w0
ppoll : any r0 w0 r2 r3
select : any r1 w1 r2 w2 r3 w3 r4 w4
pselect : any r1 w1 r2 w2 r3 w3 r4 r5
epoll_create epoll_create1 eventfd timerfd_create inotify_init inotify_init1 inotify_rm_watch : any
epoll_ctl : any r3
epoll_wait : any w1
epoll_pwait : any w1 r4
eventfd_read : any w1
eventfd_write : any
timerfd_settime : any r2 w3
timerfd_gettime : any w1
inotify_add_watch : any r1
__fdelt_chk : any
# sys/socket.h, netdb.h, arpa/inet.h, net/if.h
socket listen shutdown sockatmark : any
socketpair : any w3
bind connect : any r1
accept : any w1 r2 w2
accept4 : any w1 r2 w2
getsockname getpeername : any w1 r2 w2
send : any r1
sendto : any r1 r4
sendmsg : any d1
sendmmsg : any d1 D1
recv : any w1
recvfrom : any w1 w4 r5 w5
__recvfrom_chk : any w1 w5 r6 w6
recvmsg recvmmsg : any D1
getsockopt : any w3 r4 w4
setsockopt : any r3
htons htonl ntohs ntohl : any
inet_aton : any r0 w1
inet_addr inet_network : any r0
inet_pton : any r1 w2
inet_ntop : in2 r1 w2
inet_lnaof inet_netof inet_makeaddr : any
getaddrinfo : any r0 r1 r2 w3
freeaddrinfo : any w0
getnameinfo : any r0 w2 w4
gai_strerror hstrerror : hidden R:messages?
gethostbyname_r : any r0 w1 w2 w4 w5
gethostbyname2_r : any r0 w2 w3 w5 w6
gethostbyaddr_r : any r0 w3 w4 w6 w7
getservbyname_r : any r0 r1 w2 w3 w5
getservbyport_r : any r1 w2 w3 w5
getprotobyname_r : any r0 w1 w2 w4
sethostent endhostent setservent endservent setprotoent endprotoent setnetent endnetent : any W:netdb
getservent : hidden W:getservbyname
getprotoent : hidden W:getprotobyname
getnetent : hidden W:getnetbyname
herror : any r0 b
if_nametoindex : any r0
if_indextoname : in1 w1
if_nameindex : new
if_freenameindex : any w0
getifaddrs : any w0
freeifaddrs : any w0
ether_ntoa : hidden r0 W:ether_ntoa
ether_ntoa_r : in1 r0 w1
ether_aton_r : in1 r0 w1
# dirent.h, glob.h, fnmatch.h, ftw.h
opendir : new r0
fdopendir : new
readdir : in0 r0 w0
readdir_r : any r0 w0 w1 w2
closedir : any w0
rewinddir : any r0 w0
seekdir : any r0 w0
telldir : any r0
dirfd : any r0
alphasort versionsort : any d0 d1
fnmatch : any r0 r1
globfree : any w0
wordexp : any r0 w1
wordfree : any w0
# termios.h, pty.h
tcgetattr : any w1
tcsetattr : any r2
tcflush tcdrain tcflow tcsendbreak tcgetsid : any
cfgetispeed cfgetospeed : any r0
cfsetispeed cfsetospeed cfsetspeed : any r0 w0
cfmakeraw : any r0 w0
openpty : any w0 w1 w2 r3 r4
forkpty : any w0 w1 r2 r3
login_tty grantpt unlockpt posix_openpt getpt : any
# time.h
localtime_r gmtime_r : in1 r0 w1
asctime_r ctime_r : in1 r0 w1
clock_settime : any r1
clock_getres clock_getcpuclockid : any w1
clock_nanosleep : any r2 w3
stime : any r0
settimeofday : any r0 r1
adjtime : any r0 w1
adjtimex : any r0 w0
getitimer : any w1
setitimer : any r1 w2
timer_settime : any r2 w3
timer_gettime : any w1
timer_delete timer_getoverrun : any
strptime : in0 r0 r1 w2
timespec_get : any w0
ftime : any w0
# pwd.h, grp.h, shadow.h
getpwnam_r : any r0 w1 w2 w4
getpwuid_r : any w1 w2 w4
getgrnam_r : any r0 w1 w2 w4
getgrgid_r : any w1 w2 w4
setpwent endpwent : any W:getpwnam
setgrent endgrent : any W:getgrnam
getspnam : hidden r0 W:getspnam
crypt_r : unknown r0 r1 w2
# regex.h
regcomp : any w0 r1
regexec : any d0 r1 w3
regerror : any d1 w2
regfree : any D0
# getopt.h, syslog.h, err.h, error.h
getopt_long getopt_long_only : any d1 r2 d3 D3 W:getopt R:environ?
getsubopt : any D0 d1 w2
closelog setlogmask : any W:syslog
vsyslog : any vp1
__syslog_chk : any vp2
__vsyslog_chk : any vp2
err errx : none p1 b
verr verrx : none vp1 b
warn warnx : any p0 b
vwarn vwarnx : any vp0 b
# dlfcn.h
dlopen : unknown r0
dlsym dlvsym : unknown r1
dlclose : any
dladdr : any w1
# locale.h, iconv.h, langinfo.h, libintl.h
newlocale duplocale uselocale : unknown
freelocale : any
iconv_open : unknown r0 r1
iconv : any D1 r2 w2 D3 r4 w4
iconv_close : any
gettext dgettext dcgettext ngettext dngettext : unknown r0 r1 R:messages?
textdomain : hidden r0 W:messages
bindtextdomain bind_textdomain_codeset : hidden r0 r1 W:messages
catopen : unknown r0
catgets : unknown r3
catclose : any
# sys/uio.h, sys/xattr.h, mntent.h, utmp.h and others
getxattr lgetxattr : any r0 r1 w2
fgetxattr : any r1 w2
setxattr lsetxattr : any r0 r1 r2
fsetxattr : any r1 r2
listxattr llistxattr : any r0 w1
removexattr : any r0 r1
setmntent : new r0 r1
getmntent : hidden W:getmntent
getmntent_r : in1 w1 w2
endmntent : any
mount : any r0 r1 r2 r4
umount umount2 swapon swapoff : any r0
reboot pivot_root : any
getpwent_r getgrent_r : any w0 w1 w3
backtrace : any w0
backtrace_symbols : new r0
backtrace_symbols_fd : any r0
__stack_chk_fail __fortify_fail __chk_fail : none
__sysconf __getpagesize : any
gnu_get_libc_version : unknown
getauxval : any
mcheck malloc_trim mallopt : any
malloc_usable_size : any
mallinfo mallinfo2 : any
"""
