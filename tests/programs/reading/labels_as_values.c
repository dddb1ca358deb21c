// Computed goto goes to the label whose address the value is, and to no other.
// EXPECT: safe kept
// EXPECT: race lost
// EXPECT: safe never
// EXPECT: race third
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int kept, lost;
int never, third;

void *worker(void *argument)
{
    pthread_mutex_lock(&lock);
    kept++;
    pthread_mutex_unlock(&lock);
    lost++;
    return argument;
}

static int run(const int *code)
{
    static void *const table[] = {&&stop, &&add, &&write};
    goto *table[*code];
add:
    code++;
    goto *table[*code];
write:
    third++;
    code++;
    goto *table[*code];
unused:
    never++;
stop:
    return 0;
}

static void *interpreter(void *argument)
{
    static const int program[] = {1, 1, 2, 0};
    run(program);
    return argument;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_t u;
    pthread_create(&u, 0, interpreter, 0);
    third++;
    worker(0);
    pthread_join(t, 0);
    return 0;
}
