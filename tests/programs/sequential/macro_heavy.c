// CIRC: --property asserts
// The preprocessor: function-like macros, stringising, pasting, X-macros, conditional compilation.
//
// EXPECT: safe asserts
//
// The X-macro list gives the enum, the table of names and the default values in the same order.
#include <assert.h>

#define PARAMETERS(X) \
    X(gain, 12)       \
    X(offset, -4)     \
    X(limit, 1000)

#define AS_ENUM(name, value) P_##name,
#define AS_VALUE(name, value) value,
#define AS_FIRST_LETTER(name, value) (#name)[0],

enum { PARAMETERS(AS_ENUM) P_COUNT };

static int defaults[P_COUNT] = { PARAMETERS(AS_VALUE) };
static const char initials[] = { PARAMETERS(AS_FIRST_LETTER) };

#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define SWAP(t, a, b) do { t tmp_ = (a); (a) = (b); (b) = tmp_; } while (0)
#define BIT(n) (1u << (n))

#if defined(P_DEBUG) && P_DEBUG > 2
#define LIMIT 1
#elif BITS_PER_WORD + 0 == 0
#define LIMIT 2
#else
#define LIMIT 3
#endif

int main(void)
{
    int a = 3, b = 8;

    assert(P_COUNT == 3 && P_limit == 2);
    assert(defaults[P_offset] == -4 && defaults[P_limit] == 1000);
    assert(initials[P_gain] == 'g' && initials[P_offset] == 'o');
    if (a < b)
        SWAP(int, a, b);
    else
        assert(0);
    assert(a == 8 && b == 3);
    assert(MAX(a + 1, b * 2) == 9);
    assert((BIT(3) | BIT(0)) == 9u);
    assert(LIMIT == 2);
    return 0;
}
