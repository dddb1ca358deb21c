// Nodes of a list that are there are told apart by their addresses, also where others are freed.
// EXPECT: race taken
// EXPECT: safe wrong
#include <pthread.h>
#include <stdlib.h>

struct node { struct node *next; int value; };
static struct node *head;
static int taken, wrong;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *chooser(void *arg) {
    struct node *n = malloc(sizeof *n), *o = malloc(sizeof *o);
    if (!n || !o)
        return 0;
    pthread_mutex_lock(&m);
    n->next = head;
    head = n;
    if (head == o)
        wrong = 1;
    pthread_mutex_unlock(&m);
    free(o);
    taken = 1;
    return 0;
}
static void *other(void *arg) {
    taken = wrong = 2;
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, chooser, 0);
    pthread_create(&b, 0, other, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
