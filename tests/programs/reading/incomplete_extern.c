// The address of an object whose type no file completes, floating constants that are folded, parts of complex numbers.
// EXPECT: safe kept
// EXPECT: race lost
#include <pthread.h>

extern struct elsewhere table;
extern void use(const struct elsewhere *t);
struct elsewhere *const where = &table;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int kept, lost;
int scaled = (int)(3.5 * 2 + 0.5), smaller = 1.5 < 2;
_Static_assert((int)(3.5 * 2) == 7 && 0.25f + 0.5 == 0.75, "folded as a compiler folds it");

union number { int i; float f; };

void *worker(void *argument)
{
    pthread_mutex_lock(&lock);
    kept++;
    pthread_mutex_unlock(&lock);
    _Complex double z = 1.0 + 2.0i;
    if (scaled == 7 && smaller == 1)
        lost++;
    if (__real__ z > 1 && ((union number)scaled).i)
        use(where);
    return argument;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    worker(0);
    return 0;
}
