// A future on the heap with a condition variable of its own, ended by who waited; the count beside it has no lock.
// EXPECT: race executed
#include <pthread.h>
#include <stdlib.h>
struct future { pthread_mutex_t m; pthread_cond_t cv; int done; };
int executed;
void *worker(void *arg)
{
    struct future *f = arg;
    pthread_mutex_lock(&f->m);
    f->done = 1;
    pthread_cond_signal(&f->cv);
    pthread_mutex_unlock(&f->m); 
    executed++;
    return 0;
}
int main(void)
{
    pthread_t t;
    struct future *f = malloc(sizeof *f);
    if (!f) return 1;
    pthread_mutex_init(&f->m, 0);
    pthread_cond_init(&f->cv, 0);
    f->done = 0;
    pthread_create(&t, 0, worker, f);
    pthread_mutex_lock(&f->m);
    while (!f->done) pthread_cond_wait(&f->cv, &f->m);
    pthread_mutex_unlock(&f->m); 
    pthread_cond_destroy(&f->cv); pthread_mutex_destroy(&f->m); free(f);
    executed++;
    return 0;
}
