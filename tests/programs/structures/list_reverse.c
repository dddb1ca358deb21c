// CIRC: --property asserts
// A singly linked list on static nodes: push, reverse in place, remove by value.
//
// EXPECT: safe asserts
//
// Fixed contents, so each order is known.
#include <assert.h>
#include <stddef.h>

struct cell {
    int value;
    struct cell *next;
};

static struct cell cells[5];
static int used;

static struct cell *push(struct cell *list, int value)
{
    struct cell *c = &cells[used++];

    c->value = value;
    c->next = list;
    return c;
}

static struct cell *reverse(struct cell *list)
{
    struct cell *done = NULL, *rest;

    while (list) {
        rest = list->next;
        list->next = done;
        done = list;
        list = rest;
    }
    return done;
}

static int remove_value(struct cell **list, int value)
{
    struct cell **p;

    for (p = list; *p; p = &(*p)->next) {
        if ((*p)->value == value) {
            *p = (*p)->next;
            return 1;
        }
    }
    return 0;
}

int main(void)
{
    struct cell *list = NULL;

    list = push(list, 1);
    list = push(list, 2);
    list = push(list, 3);
    assert(list->value == 3 && list->next->next->value == 1);
    list = reverse(list);
    assert(list->value == 1 && list->next->value == 2);
    assert(remove_value(&list, 2));
    assert(list->next->value == 3 && list->next->next == NULL);
    assert(remove_value(&list, 1) && list->value == 3);
    assert(!remove_value(&list, 7));
    return 0;
}
