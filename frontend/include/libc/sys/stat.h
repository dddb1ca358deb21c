/* sys/stat.h */
#ifndef _CIRC_SYS_STAT_H
#define _CIRC_SYS_STAT_H

#include <sys/types.h>
#include <time.h>
struct stat {
    dev_t st_dev;
    ino_t st_ino;
    nlink_t st_nlink;
    mode_t st_mode;
    uid_t st_uid;
    gid_t st_gid;
    dev_t st_rdev;
    off_t st_size;
    long st_blksize;
    long st_blocks;
    struct timespec st_atim;
    struct timespec st_mtim;
    struct timespec st_ctim;
    long __circ_rest[3];
};
#define st_atime st_atim.tv_sec
#define st_mtime st_mtim.tv_sec
#define st_ctime st_ctim.tv_sec
int stat(const char *path, struct stat *result);
int fstat(int file, struct stat *result);
int mkdir(const char *path, mode_t mode);
int chmod(const char *path, mode_t mode);

#endif
