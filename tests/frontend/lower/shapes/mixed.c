void out(long long);
typedef unsigned char u8; typedef short i16;
struct In { int x; i16 y[3]; };
struct B { unsigned a:3; int b:5; unsigned long long c:40; _Bool d:1; unsigned :0; signed char e; int f:9; } bf = {7, -3, 1ULL<<39, 1, -5, -100};
struct S { u8 t; struct In in; union { int i; u8 b[4]; }; struct B bb; long long last; } gs = {.t=1, .in={2,{3,4}}, .b={1,2,3,4}, .last=-1}, garr[3] = {[1].in.y[2]=9, [2]={5,6,7,8,9,{10}}};
int fib(int n) { return n < 2 ? n : fib(n-1) + fib(n-2); }
struct In mk(int a, struct In *p) { struct In r = *p; r.x += a; r.y[1]--; return r; }
int sum(struct In v) { int s = v.x; for (int i = 0; i < 3; i++) s += v.y[i]; v.x = 99; return s; }
static int counter(void) { static int n = 10; return n++; }
int (*table[3])(int) = { fib, 0, &fib };
const char *names[] = {"zero", "one", "t\x77o\0x"};
char text[] = "ab\"c", fixed[3] = "xyz", two[2][4] = {"pq", "rst"};
int *pg = &garr[1].in.x, matrix[][3] = {1,2,3,4,5};
long long big = 0x7fffffffffffffff;
enum Col { RED, GREEN = -4, BLUE }; enum Big { HUGE_ = 0xffffffffu };
#define MAX(a,b) ({ __typeof__(a) _a=(a); __typeof__(b) _b=(b); _a>_b?_a:_b; })
int main(int argc, char **argv) {
  out(sizeof(struct S)); out(sizeof(struct B)); out(sizeof matrix); out(sizeof(enum Big)); out(sizeof text); out(_Alignof(struct S));
  out(bf.a + bf.b); out(bf.c); out(bf.d); out(bf.e); out(bf.f); bf.a++; out(bf.a); bf.b = 31; out(bf.b); bf.c += bf.c; out(bf.c); out(bf.c - 1 > 0); out(-bf.a < 0);
  out(bf.f = 300); out(bf.d += 5); out(bf.d--); out(--bf.d);
  out(gs.i); gs.i = -2; for (int k=0;k<4;k++) out(gs.b[k]); out(garr[1].in.y[2]); out(garr[2].in.y[1]); out(garr[2].b[0]); out(garr[2].in.y[2]);
  out(fib(12)); struct In a = {1,{2,3,4}}, b; b = mk(5, &a); out(b.x); out(b.y[1]); out(sum(b)); out(b.x); out(mk(1,&b).y[1]); out(sum(mk(7,&b)));
  out(counter()); out(counter()); out(table[0](7)); out((*table[2])(8)); out(table[1] == 0); out((**table[0])(5));
  for (int i=0;i<3;i++) for (const char *p = names[i]; *p; p++) out(*p); for (int i=0;i<(int)sizeof text;i++) out(text[i]); out(fixed[2]); out(two[1][2]);
  *pg = 77; out(garr[1].in.x); out(pg - &garr[0].in.x); out((char*)pg - (char*)&garr[0]); out(matrix[1][1]); out(*(*(matrix+1)+0)); out(1[matrix[0]]);
  u8 c = 250; c += 10; out(c); c = -1; out(c >> 1); out(~c); out(-c); signed char sc = (signed char)200; out(sc); out(sc >> 1); out((unsigned)sc); out((unsigned char)sc); 
  out(-7 / 2); out(-7 % 2); out(7 % -2); out(-7 >> 1); out(1u - 2); out(1u - 2 > 0); out(-1 < 1u); out(-1L < 1u); out((unsigned short)-1 > -1); out(big + 1 < 0); out(big * 2);
  out(0xffffffff); out(2147483648); out(-2147483648); out(0x80000000 == 2147483648); out('\377'); out('ab'); out(L'x'); out(017 + 0b101);
  int i = 5, j; j = i++ + 3; out(j); out(i); j = ++i; out(j); j = i--; out(j); out(i); j = (i = 3, i + 1); out(j); i += j -= 2; out(i); out(j); i <<= 3; out(i); i ^= 0xff; out(i); i %= 7; out(i);
  out(i ? 1 : 2u); out(0 ? -1 : 1u); out((0 ? -1 : 1u) - 2 > 0); out(!i); out(!!i); out(i && j || 0); out(MAX(i, j)); out(MAX(-1, 1u));
  switch (j) { case 0: out(100); case 2: out(102); case 3 ... 9: out(103); break; default: out(104); { case 77: out(177); } }
  switch (GREEN) { case GREEN: out(1); break; case BLUE: out(2); }
  j = 0; again: if (j < 3) { out(j); j++; goto again; }
  for (i = 0; ; i++) { if (i == 2) continue; if (i > 4) break; out(i); } do { i--; if (i == 3) continue; out(i); } while (i > 1); while (i) { int i2 = i; i--; { int i = i2 * 10; out(i); } }
  int loc[5] = {[3] = 1, 2}, *q = loc + 3; out(q[0]); out(q[1]); out(q[-1]); out(*q--); out(*q); out(*++q); out(q - loc); out(q > loc); out(&loc[4] - q);
  struct S *ps = &gs; ps->in.y[1] = 40; out(gs.in.y[1]); out((&gs)->in.x); out((*ps).in.y[0]); out(((struct In){4,{5}}).x); struct In *pi = &(struct In){.y={[1]=3}}; out(pi->y[1]); out(pi->x);
  int (*pm)[3] = matrix; out((*pm)[2]); pm++; out((*pm)[0]); out(pm[-1][1]); out(sizeof *pm); 
  char buf[200] = "big"; out(buf[2]); out(buf[150]); out(sizeof buf); unsigned long long ull = ~0ULL; out(ull >> 63); out((int)ull); out((ull << 63) == (1ULL<<63)); 
  out(__builtin_offsetof(struct S, in.y[2])); out((long long)&((struct S *)0)->last); struct S cp = *ps; cp.in.x = 1000; out(ps->in.x); out(cp.in.x); out(cp.last);
  _Bool bo = 5; out(bo); bo = 0.5; out(bo); bo = (_Bool)(char)256; out(bo); bo++; out(bo); bo--; out(bo); out((int)3.99); out((int)-3.99); out((unsigned char)'\xff');
  int res; out(__builtin_add_overflow(2147483647, 1, &res)); out(res); out(__builtin_mul_overflow(3, 4, &res)); out(res); out(__builtin_bswap32(0x11223344)); out(__builtin_popcount(255)); out(__builtin_clz(1)); out(__builtin_ctz(8)); out(__builtin_expect(i == 3, 0));
  out(_Generic(i, int: 1, default: 2)); out(_Generic(ull, int: 1, unsigned long long: 3)); out(_Generic("x", char *: 4, default: 5)); out(sizeof(i++)); out(i); int n = i + 4; int vla[n]; vla[n-1] = 3; out(sizeof vla); out(vla[n - 1]); out(({ int t = n; t *= 2; t; })); out(n ?: 9); out(0 ?: 9); 
  unsigned x32 = 1; out(x32 << 31); out((int)(x32 << 31)); out((x32 << 31) >> 31); long l = -1; out(l >> 3); out((unsigned long)l >> 60); out((short)70000); out((unsigned short)70000); out(5 - 10 > 3u); out((u8)5 - (u8)10); out((i16)40000 + 1);
  out(__sync_fetch_and_add(&gs.in.x, 3)); out(__atomic_add_fetch(&gs.in.x, 4, 5)); out(__sync_bool_compare_and_swap(&gs.in.x, 9, 1)); out(gs.in.x); int ex = 2; out(__atomic_compare_exchange_n(&gs.in.x, &ex, 7, 0, 5, 5)); out(ex); out(__atomic_exchange_n(&gs.in.x, 12, 5)); out(__atomic_load_n(&gs.in.x, 5)); _Atomic int at = 4; out(at++); out(at += 3); out(--at); 
  return 0;
}
