// What the system and the C library have of their own (argv, what getenv gives, errno, mapped memory) is no object of the
// program: text from there is printed beside a lock, and what the lock protects stays protected. What the program puts there
// comes back.
// EXPECT: safe count
// EXPECT: safe own
// EXPECT: unknown kept
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count, own, kept, *address = &own;
static char *name;
static struct place { int *p; } *map;

static void *work(void *arg)
{
    pthread_mutex_lock(&lock);
    count++;
    *address += 1;
    printf("%s: %d %c\n", name, count, name[0]);
    pthread_mutex_unlock(&lock);
    kept = 1;
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t a, b;
    struct place copy, *here;

    name = argc > 1 ? argv[1] : getenv("NAME");
    if (name == 0)
        return 1;
    name[0] = 'n';
    map = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    here = map;
    here->p = &kept;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    memcpy(&copy, map, sizeof copy);
    *copy.p = 2;
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
