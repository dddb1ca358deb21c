/* stdatomic.h in terms of the GNU builtins */
#ifndef _CIRC_STDATOMIC_H
#define _CIRC_STDATOMIC_H

#include <stddef.h>
#include <stdint.h>
typedef enum {
    memory_order_relaxed = 0,
    memory_order_consume = 1,
    memory_order_acquire = 2,
    memory_order_release = 3,
    memory_order_acq_rel = 4,
    memory_order_seq_cst = 5
} memory_order;
typedef _Atomic(_Bool) atomic_bool;
typedef _Atomic(char) atomic_char;
typedef _Atomic(signed char) atomic_schar;
typedef _Atomic(unsigned char) atomic_uchar;
typedef _Atomic(short) atomic_short;
typedef _Atomic(unsigned short) atomic_ushort;
typedef _Atomic(int) atomic_int;
typedef _Atomic(unsigned int) atomic_uint;
typedef _Atomic(long) atomic_long;
typedef _Atomic(unsigned long) atomic_ulong;
typedef _Atomic(long long) atomic_llong;
typedef _Atomic(unsigned long long) atomic_ullong;
typedef _Atomic(wchar_t) atomic_wchar_t;
typedef _Atomic(int_least8_t) atomic_int_least8_t;
typedef _Atomic(uint_least8_t) atomic_uint_least8_t;
typedef _Atomic(int_least16_t) atomic_int_least16_t;
typedef _Atomic(uint_least16_t) atomic_uint_least16_t;
typedef _Atomic(int_least32_t) atomic_int_least32_t;
typedef _Atomic(uint_least32_t) atomic_uint_least32_t;
typedef _Atomic(int_least64_t) atomic_int_least64_t;
typedef _Atomic(uint_least64_t) atomic_uint_least64_t;
typedef _Atomic(intptr_t) atomic_intptr_t;
typedef _Atomic(uintptr_t) atomic_uintptr_t;
typedef _Atomic(size_t) atomic_size_t;
typedef _Atomic(ptrdiff_t) atomic_ptrdiff_t;
typedef _Atomic(intmax_t) atomic_intmax_t;
typedef _Atomic(uintmax_t) atomic_uintmax_t;
typedef struct {
    _Atomic(_Bool) __circ_flag;
} atomic_flag;
#define ATOMIC_FLAG_INIT { 0 }
#define ATOMIC_VAR_INIT(value) (value)
#define ATOMIC_BOOL_LOCK_FREE 2
#define ATOMIC_INT_LOCK_FREE 2
#define ATOMIC_LONG_LOCK_FREE 2
#define ATOMIC_POINTER_LOCK_FREE 2
#define kill_dependency(value) (value)
#define atomic_init(p, v) __c11_atomic_init((p), (v))
#define atomic_is_lock_free(p) 1
#define atomic_thread_fence(order) __atomic_thread_fence(order)
#define atomic_signal_fence(order) __atomic_signal_fence(order)
#define atomic_load_explicit(p, order) __atomic_load_n((p), (order))
#define atomic_load(p) __atomic_load_n((p), 5)
#define atomic_store_explicit(p, v, order) __atomic_store_n((p), (v), (order))
#define atomic_store(p, v) __atomic_store_n((p), (v), 5)
#define atomic_exchange_explicit(p, v, order) __atomic_exchange_n((p), (v), (order))
#define atomic_exchange(p, v) __atomic_exchange_n((p), (v), 5)
#define atomic_compare_exchange_strong_explicit(p, e, v, yes, no) __atomic_compare_exchange_n((p), (e), (v), 0, (yes), (no))
#define atomic_compare_exchange_strong(p, e, v) __atomic_compare_exchange_n((p), (e), (v), 0, 5, 5)
#define atomic_compare_exchange_weak_explicit(p, e, v, yes, no) __atomic_compare_exchange_n((p), (e), (v), 1, (yes), (no))
#define atomic_compare_exchange_weak(p, e, v) __atomic_compare_exchange_n((p), (e), (v), 1, 5, 5)
#define atomic_fetch_add_explicit(p, v, order) __atomic_fetch_add((p), (v), (order))
#define atomic_fetch_add(p, v) __atomic_fetch_add((p), (v), 5)
#define atomic_fetch_sub_explicit(p, v, order) __atomic_fetch_sub((p), (v), (order))
#define atomic_fetch_sub(p, v) __atomic_fetch_sub((p), (v), 5)
#define atomic_fetch_or_explicit(p, v, order) __atomic_fetch_or((p), (v), (order))
#define atomic_fetch_or(p, v) __atomic_fetch_or((p), (v), 5)
#define atomic_fetch_xor_explicit(p, v, order) __atomic_fetch_xor((p), (v), (order))
#define atomic_fetch_xor(p, v) __atomic_fetch_xor((p), (v), 5)
#define atomic_fetch_and_explicit(p, v, order) __atomic_fetch_and((p), (v), (order))
#define atomic_fetch_and(p, v) __atomic_fetch_and((p), (v), 5)
#define atomic_flag_test_and_set_explicit(p, order) __atomic_exchange_n(&(p)->__circ_flag, 1, (order))
#define atomic_flag_test_and_set(p) __atomic_exchange_n(&(p)->__circ_flag, 1, 5)
#define atomic_flag_clear_explicit(p, order) __atomic_store_n(&(p)->__circ_flag, 0, (order))
#define atomic_flag_clear(p) __atomic_store_n(&(p)->__circ_flag, 0, 5)

#endif
