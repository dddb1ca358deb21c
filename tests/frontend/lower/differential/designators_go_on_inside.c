// A designator of several steps: what follows it goes on where the last step left off, not behind the first one.
unsigned long checksum;
#define M(x) (checksum = checksum * 31 + (unsigned long)(x))

struct point { int x, y; };
struct line { struct point a, b[2]; char s[6]; int t; };
union either { int i; struct { char c, d; } two; };
struct nested { union either u; int after; };

struct line lines[] = { [1].a.x = 4, 5, 6, 7, [0].b[1].y = 8, "hi", 9 };
struct line one = { .b[0].x = 1, 2, 3, .a.y = 5, { 6, 7 }, .s[3] = 'a', 'b', 'c', 10 };
int table[][3] = { [1][1] = 1, 2, 3, 4, [0][2] = 9 };
struct nested deep[2] = { [0].u.two.c = 1, 2, 3, { { 4 }, 5 } };

int main(void)
{
    struct line local[2] = { [0].b[1].x = 21, 22, { 'x' }, 23, { { 24 } } };

    M(sizeof lines / sizeof *lines);
    for (int i = 0; i < 2; i++) {
        struct line *all[] = { &lines[i], &one, &local[i] };
        for (int k = 0; k < 3; k++) {
            struct line l = *all[k];
            M(l.a.x); M(l.a.y); M(l.b[0].x); M(l.b[0].y); M(l.b[1].x); M(l.b[1].y); M(l.t);
            for (int j = 0; j < 6; j++)
                M(l.s[j]);
        }
        M(deep[i].u.two.c); M(deep[i].u.two.d); M(deep[i].after);
    }
    M(sizeof table / sizeof *table);
    for (int i = 0; i < (int)(sizeof table / sizeof *table); i++)
        for (int j = 0; j < 3; j++)
            M(table[i][j]);
    return 0;
}
