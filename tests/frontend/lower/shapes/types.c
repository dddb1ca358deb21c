void out(long long);
#include <stddef.h>
#include <stdint.h>
struct S{const int *p; int const c; int a[3]; volatile short v; unsigned b:3; };
#define IS(e,T) _Generic((e), T:1, default:0)
const char *cs; char *const pc; struct S s; const struct S t; enum E {A,B}; int arr[3][2]; long long ll; unsigned long long ull; _Bool bo; float f; int fn(int); _Atomic int at;
int main(void) {
  const char *l = 0; char c = 1; const int k = 2;
  out(IS((const char*)0,const char*)); out(IS(cs,const char*)); out(IS(l,const char*)); out(IS(pc,char*)); out(!IS(cs,char*));
  out(IS(s.p,const int*)); out(IS(&s.c,const int*)); out(IS(&s.a[0],int*)); out(IS(&t.a[0],const int*)); out(IS(t.a,const int*)); out(IS(&t,const struct S*)); out(IS(&s.v,volatile short*));
  out(IS(k,int)); out(IS(&k,const int*)); out(IS(A,int)); out(IS((enum E)A,unsigned)); out(IS(arr,int(*)[2])); out(IS(arr[0],int*)); out(IS(&arr,int(*)[3][2]));
  out(IS(ll,long long)); out(!IS(ll,long)); out(IS(ull,unsigned long long)); out(IS(bo,_Bool)); out(IS(bo+bo,int)); out(IS(f+1,float)); out(IS(fn,int(*)(int))); out(IS(&fn,int(*)(int))); out(IS(*fn,int(*)(int)));
  out(IS(at,int)); out(IS(s.b+0u,unsigned)); out(IS(c+c,int)); out(IS((void*)0,void*)); out(IS(1?(void*)0:cs,const char*)); out(IS(1?cs:pc,const char*)); out(IS(cs+1,const char*)); out(IS(*cs,char)); out(IS(&*cs,const char*)); out(IS(&cs[1],const char*)); out(IS(pc-pc,ptrdiff_t));
  out(IS(0?1:2u,unsigned)); out(IS('a'+1L,long)); out(IS(1<<2L,int)); out(IS(!1L,int)); out(IS(~(short)1,int)); out(IS(-1u,unsigned)); out(IS((c,k),int)); out(IS(c=3,char)); out(IS(c++,char)); out(IS(c+=1,char)); out(IS(0xffffffff,unsigned)); out(IS(2147483648,long)); out(IS(0x7fffffffffffffff,long)); out(IS(1ULL,unsigned long long)); out(IS(1.f,float)); out(IS(1.0L,long double)); out(IS(L'a',int)); out(IS(u'a',uint16_t)); out(IS(L"a",int*)); out(IS(u"a",uint16_t*)); out(IS(sizeof c,size_t)); out(IS(&"abc",char(*)[4])); out(IS((const int)3,int)); out(IS(k?&k:&arr[0][0],const int*)); out(IS(k?(void*)cs:cs,const void*)); out(IS((int (*)[3])0, int(*)[]));
  out(__builtin_types_compatible_p(int[],int[3])); out(!__builtin_types_compatible_p(char,signed char)); out(__builtin_types_compatible_p(const int,int)); out(!__builtin_types_compatible_p(const int*,int*)); out(!__builtin_types_compatible_p(long,long long)); out(__builtin_types_compatible_p(typeof(arr),int[3][2]));out(!__builtin_types_compatible_p(typeof(&arr[0]),typeof(arr)));
  out(IS(k ? &arr[0][0] : &k, const int *)); out(IS(k ? (volatile char *)0 : cs, const volatile char *));
  return 0;
}
