// Nodes with text and numbers beside pointers lie in a pool of bytes; no address is taken to pieces, so that pointers in it stay known.
// EXPECT: safe counted
#include <pthread.h>
#include <stddef.h>
#include <string.h>

struct node { struct node *next; int value; char name[8]; };
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static _Alignas(16) char pool[4096];
static size_t used;
static struct node *head;
static int counted;
extern int __VERIFIER_nondet_int(void);

static void *giver(void *arg) {
    pthread_mutex_lock(&m);
    struct node *n = (struct node *)(pool + used);
    used += 32;
    n->value = __VERIFIER_nondet_int();
    strcpy(n->name, "node");
    n->next = head;
    head = n;
    pthread_mutex_unlock(&m);
    return 0;
}
static void *taker(void *arg) {
    pthread_mutex_lock(&m);
    for (struct node *n = head; n; n = n->next)
        n->value++;
    counted++;
    pthread_mutex_unlock(&m);
    return 0;
}
static void *other(void *arg) {
    pthread_mutex_lock(&m);
    counted++;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, giver, 0);
    pthread_create(&b, 0, taker, 0);
    pthread_create(&c, 0, other, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
