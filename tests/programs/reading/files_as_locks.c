// Of two threads that make the same directory or file one succeeds: what they do then is ordered, or only one of them does it.
// EXPECT: unknown directory
// EXPECT: unknown token
// EXPECT: unknown exclusive
// EXPECT: unknown stream
// EXPECT: race ordinary
// EXPECT: race configured
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int directory, token, exclusive, stream, ordinary, configured;

static void *worker(void *arg)
{
    char byte;
    int file;
    FILE *made;

    file = open("settings", O_RDONLY);
    if (file < 0)
        return arg;
    if (read(file, &byte, 1) != 1)
        return arg;
    ordinary++;
    close(file);
    configured++;
    switch (byte) {
    case 'd':
        if (mkdir("lock", 0700) == 0) {
            directory++;
            rmdir("lock");
        }
        break;
    case 't':
        if (unlink("token") == 0)
            token++;
        break;
    case 'e':
        if (open("owner", O_CREAT | O_EXCL | O_WRONLY, 0600) >= 0)
            exclusive++;
        break;
    case 's':
        made = fopen("first", "wx");
        if (made != NULL)
            stream++;
    }
    return arg;
}

int main(void)
{
    pthread_t a, b;

    if (mkdir("state", 0700) < 0)
        return 1;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
