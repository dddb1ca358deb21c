void out(long long);
int kr(a, b, c) int a; char b; unsigned short c; { return a * 100 + b + c; }
struct __attribute__((packed)) P { char c; int i; short s; } pk = { 1, 0x01020304, -2 };
union U { unsigned u; unsigned char b[4]; struct { unsigned lo:4, hi:4, rest:24; } f; short s[2]; };
struct Fa { int n; char data[]; } fa = { 3, "abc" };
struct Op { const char *name; int (*fn)(int, int); } ops[];
static int add(int a, int b) { return a + b; } static int sub_(int a, int b) { return a - b; }
struct Op ops[] = { { "add", add }, { .fn = sub_, .name = "sub" } };
struct Flat { int a[2]; struct { short x, y; } p[2]; int z; } flat = { 1, 2, 3, 4, 5, 6, 7 }, flat2 = { .p[1].y = 9, 10, .a = { 11 } };
int grid[2][2][2] = { { {1,2}, {3} }, { 4, 5, 6, 7 } }, big[100] = { [50 ... 60] = 2, [99] = 1 };
int odd(int n); int even(int n) { return n == 0 ? 1 : odd(n - 1); } int odd(int n) { return n == 0 ? 0 : even(n - 1); }
typedef int row[3]; row rows[2] = {{1,2,3},{4,5,6}}; row *prow(int i) { return &rows[i]; }
typedef int (*fn_t)(int, int); fn_t pick(int w) { return w ? add : sub_; }
int calls; int side(int v) { calls = calls * 10 + v; return v; }
void duff(int *to, int n) { int i = 0; switch (n % 4) { case 0: do { to[i++] += 1; case 3: to[i++] += 3; case 2: to[i++] += 2; case 1: to[i++] += 1; } while (i < n); } }
struct L { struct L *next; int v; }; int total(struct L *l) { int s = 0; for (; l; l = l->next) s = s * 3 + l->v; return s; }
struct Big { long long a[6]; char c; }; struct Big mkbig(int n) { struct Big b = { { n, n + 1 }, 'q' }; return b; }
long long sumbig(struct Big b, int k) { b.a[0] += k; return b.a[0] + b.a[1] + b.c + b.a[5]; }
static inline int clamp(int v, int lo, int hi) { if (v < lo) return lo; else if (v > hi) return hi; return v; }
const int table[] = { 1, 1 << 4, sizeof(int[3]), -3 > 2u, 'a' + 1 }; 
int main() {
  out(kr(1, 300, 70000)); out(sizeof pk); out(pk.i); out(pk.s); pk.i++; out(pk.i); out(((char *)&pk)[1]);
  union U u; u.u = 0xa1b2c3d4; out(u.b[0]); out(u.f.lo); out(u.f.hi); out(u.f.rest); out(u.s[1]); u.f.hi = 0; out(u.u); u.b[3] = 1; out(u.u); u.f.lo += 13; out(u.u);
  out(fa.n); out(fa.data[2]); out(sizeof fa); for (int i = 0; i < 2; i++) out(ops[i].fn(10, 3)), out(ops[i].name[0]); out(sizeof ops / sizeof *ops);
  out(flat.a[1]); out(flat.p[0].y); out(flat.p[1].x); out(flat.z); out(flat2.p[1].y); out(flat2.z); out(flat2.a[0]); out(grid[0][1][0]); out(grid[0][1][1]); out(grid[1][1][1]); out(big[55] + big[99] + big[61]);
  out(even(10)); out(odd(7)); out((*prow(1))[2]); out(prow(0)[1][0]); out(pick(1)(3, 4)); out(pick(0)(3, 4)); out((*pick(1))(1, 1));
  calls = 0; int r = side(0) && side(1); out(r); r = side(2) || side(3); out(r); r = side(1) ? side(4) : side(5); out(r); out(calls); r = !side(0) && (side(6), side(7)); out(calls); r = (side(1) && side(0)) || (side(0) || side(8)); out(r); out(calls % 100000);
  int a[10] = { 0 }; duff(a, 7); for (int i = 0; i < 8; i++) out(a[i]);
  struct L n3 = { 0, 3 }, n2 = { &n3, 2 }, n1 = { &n2, 1 }; out(total(&n1)); n1.next->next->v = 9; out(total(&n1)); struct L **pp = &n1.next; (*pp)->v += 5; out(n2.v); *pp = 0; out(total(&n1));
  struct Big b = mkbig(5), *pb = &b; out(sumbig(b, 2)); out(pb->a[0]); out(sumbig(mkbig(7), 1)); b = mkbig(9); out(b.a[1]); out(mkbig(4).a[1]); struct Big arr2[2] = { mkbig(1), *pb }; out(arr2[1].a[0] + arr2[0].c);
  out(clamp(-5, 0, 10)); out(clamp(50, 0, 10)); out(clamp(5, 0, 10)); for (int i = 0; i < 5; i++) out(table[i]);
  unsigned char x; short y; int z; z = x = y = 0x1ff; out(x); out(z); x = 200; y = x + 100; out(y); x = y; out(x); z = (x += 250); out(z); z = (unsigned char)(x * 2) >> 1; out(z); y = -1; out(y & 0xffff); out((unsigned)y >> 28); out(y >> 5 << 5); out(-x % 7); out((signed char)0x80 / -1); out((long long)(-2147483647 - 1) / -1);
  int p[6] = { 1, 2, 3, 4, 5, 6 }, *q = p, *e = p + 6, i = 0, j = 5; while (i < j) { int t = p[i]; p[i++] = p[j]; p[j--] = t; } while (q != e) out(*q++); out(e[-1]); out(q - p); out(p - q); *--q = 77; out(p[5]); q -= 3; out(*q); out(q[1]); out((q + 1)[1]); out(*(2 + q)); out(2[q]); int **qq = &q; ++*qq; out(**qq); (**qq)++; out(*q); out((*qq)++ == q); out(&p[3] > &p[2]); out(!q);
  char s[] = "hello", *c = s, d[8]; while ((d[c - s] = *c)) c++; out(d[4]); out(c - s); out(*"xyz"); out("xyz"[1]); out(sizeof "xyz"); const char *lit[] = { [2] = "c", [0] = "a" }; out(lit[2][0]); out(lit[1] == 0);
  for (i = 0, j = 10; i < j; i++, j--) { switch (i) { case 1: continue; case 3: goto out3; default: break; } out(i * j); if (i == 100) break; } out3: out(i);
  if (0) { mid: out(555); goto done; } goto mid; done:; { int k = 3; again: out(k); if (--k > 0) goto again; }
  int n = 9; out(({ int t = 0; for (int k = 0; k < 4; k++) t += k; t; }) + 1); out(({ if (n > 3) r = 1; else r = 2; r; })); out((1, 2, 3)); out((r = 5, r * 2)); r = r > 3 ? r < 10 ? 1 : 2 : 3; out(r);
  long long big1 = 1; for (i = 0; i < 70; i++) big1 = big1 * 3 + i; out(big1); unsigned long long h = 1469598103934665603ULL; for (i = 0; i < 20; i++) { h ^= (unsigned char)(i * 37); h *= 1099511628211ULL; } out(h); out(h / 1000); out(h % 1000); out((long long)h / 1000); out((long long)h % 1000); out((int)(h >> 32)); out((h >> 5) ^ (h << 7)); __int128 w = (__int128)h * h; out((long long)(w >> 64)); out((unsigned __int128)w % 1000007);
  enum { E1 = 5, E2, E3 = E1 * 2 } en = E2; out(en + E3); en++; out(en); out(sizeof en); out(E3 << 2); out((_Bool)en + (_Bool)0); _Bool bb = en; bb += 4; out(bb); out(~bb); out(-bb); bb ^= 1; out(bb); out(sizeof(bb + 1)); unsigned us = 5; int si = -6; out(us + si > 0); out(us * si); out((us + si) / 2); out(si / 4u); out(si >> 1); out((unsigned char)si); out(si < us); out((short)us > si);
  float fl = 2.0f; fl = 1; struct { double d; int after; } fs = { 1.5, 42 }; fs.d = 3; out(fs.after); out(sizeof fs); out(sizeof fl); out((int)2.0e3); out((unsigned)1e9f); out((long long)-1.5); 
  volatile int vi = 3; vi++; out(vi); vi += vi; out(vi); static int st[3] = { 1 }; st[1]++; out(st[0] + st[1]); { static int st = 7; st++; out(st); } extern int calls; calls = 1; out(calls); struct { int a; struct { int b, c; } in[2]; } nest = { 1, { { 2, 3 }, { .c = 4 } } }, copy; copy = nest; copy.in[1] = copy.in[0]; out(copy.in[1].c); out(nest.in[1].c); out(nest.in[1].b); typeof(nest) other = nest; out(other.in[0].b); __auto_type at = nest.a + 1L; out(sizeof at);
  do { out(1); if (n) break; out(2); } while (0); while (1) { if (i++ > 25) break; } out(i); for (;;) { if (i-- < 20) goto end; } end: out(i); return 0;
}
