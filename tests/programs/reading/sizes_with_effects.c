// Dimensions of a variable length are evaluated, also where their value is plain to see; other operands of sizeof are not.
// EXPECT: race dimension
// EXPECT: race length
// EXPECT: safe operand
#include <pthread.h>

static int dimension, length, operand;

static void *measure(void *arg) {
    unsigned long n = sizeof(int[dimension = 1]) + sizeof(operand++);
    int many[length = 3];
    many[0] = (int)n;
    return (void *)(long)many[0];
}
static void *other(void *arg) {
    dimension = length = 2;
    operand = 2;
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, measure, 0);
    pthread_create(&b, 0, other, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
