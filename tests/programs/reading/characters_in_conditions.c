// Characters in conditions of the preprocessor are signed as elsewhere, but for those of Unicode.
// EXPECT: race signed_plain
// EXPECT: race packed
// EXPECT: race unsigned_wide
// EXPECT: safe wrong
#include <pthread.h>

int signed_plain, packed, unsigned_wide, wrong;

static void *worker(void *arg)
{
#if '\377' < 0 && '\x80' == -128 && 'a' == 97
    signed_plain++;
#else
    wrong++;
#endif
#if '\xff\xff\xff\xff' == -1 && '\xff\x00' == 65280 && 'ab' == 24930
    packed++;
#else
    wrong++;
#endif
#if -1 > u'a' && -1 > U'a' && L'\xffffffff' < 0
    unsigned_wide++;
#else
    wrong++;
#endif
    return arg;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    return 0;
}
