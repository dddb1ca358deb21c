// CIRC: --property asserts
// A pool of nodes linked by pointers: take, give back, and a count that stays right.
//
// EXPECT: safe asserts
//
// Taking all nodes empties the list; giving them back restores it in reverse order.
#include <assert.h>
#include <stddef.h>

struct node {
    int id;
    struct node *next;
};

static struct node pool[3];
static struct node *free_nodes;

static void init(void)
{
    int i;

    free_nodes = NULL;
    for (i = 0; i < 3; i++) {
        pool[i].id = i;
        pool[i].next = free_nodes;
        free_nodes = &pool[i];
    }
}

static struct node *take(void)
{
    struct node *n = free_nodes;

    if (n != NULL) {
        free_nodes = n->next;
        n->next = NULL;
    }
    return n;
}

static void give_back(struct node *n)
{
    n->next = free_nodes;
    free_nodes = n;
}

static int available(void)
{
    const struct node *n;
    int count = 0;

    for (n = free_nodes; n != NULL; n = n->next)
        count++;
    return count;
}

int main(void)
{
    struct node *a, *b, *c;

    init();
    assert(available() == 3);
    a = take();
    b = take();
    c = take();
    assert(a->id == 2 && b->id == 1 && c->id == 0);
    assert(take() == NULL);
    give_back(b);
    assert(available() == 1);
    give_back(a);
    assert(free_nodes == a && a->next == b);
    return 0;
}
