// CIRC: --property asserts
// A calendar: days in a month, day of the year, next day.
//
// EXPECT: violated asserts
//
// The rule for centuries is missing: 1900 is taken for a leap year.
#include "circ.h"

struct date { int year, month, day; };

static int is_leap(int y)
{
    return y % 4 == 0;
}

static int days_in(int month, int year)
{
    switch (month) {
    case 4: case 6: case 9: case 11:
        return 30;
    case 2:
        return is_leap(year) ? 29 : 28;
    default:
        return 31;
    }
}

static struct date next(struct date d)
{
    if (++d.day > days_in(d.month, d.year)) {
        d.day = 1;
        if (++d.month > 12) {
            d.month = 1;
            d.year++;
        }
    }
    return d;
}

static int valid(struct date d)
{
    return d.month >= 1 && d.month <= 12 && d.day >= 1 && d.day <= days_in(d.month, d.year);
}

int main(void)
{
    struct date d, n;

    d.year = nondet();
    d.month = nondet();
    d.day = nondet();
    assume(d.year >= 1600 && d.year < 2400);
    assume(valid(d));
    n = next(d);
    assert(valid(n));
    assert(n.year == d.year || (d.month == 12 && d.day == 31 && n.month == 1 && n.day == 1));
    assert(days_in(2, 1900) == 28);
    assert(days_in(2, 2000) == 29);
    return 0;
}
