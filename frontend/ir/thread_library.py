"""The functions of the threading libraries (pthreads, POSIX semaphores, C11 threads.h), by what a call of them does.

The one list of their names: who models them, who looks for threads and locks and who only asks whether a name is one of these
all look here. What a call means as steps is said in `frontend.library`.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping

KERNEL_STARTERS = frozenset({"xTaskCreate", "xTaskCreateStatic", "xTaskCreatePinnedToCore", "xTaskCreateRestricted",
                             "xTaskCreateAffinitySet", "osThreadNew", "osThreadCreate", "k_thread_create",
                             "z_impl_k_thread_create"})
"""Functions of kernels for small machines that start a task; our own headers of these kernels say what their calls do."""


class ThreadCall(enum.Enum):
    """What a call of the threading library does, as far as it is told apart."""

    CREATE = "starts a thread"
    JOIN = "waits until a thread has ended"
    EXIT = "ends the calling thread"
    CANCEL = "ends another thread, where that one waits"
    SET_CANCEL_TYPE = "lets the calling thread be cancelled anywhere"
    SET_CANCEL_STATE = "switches cancelling on or off"
    MUTEX_INIT = "makes a mutex of the kind that its attributes say"
    TYPED_MUTEX_INIT = "makes a mutex of the kind that a number says"
    MUTEX_LOCK = "takes a mutex"
    MUTEX_UNLOCK = "gives a mutex back"
    MUTEX_TRY = "takes a mutex if that is free"
    MUTEX_TIMED = "takes a mutex, or gives up after some time"
    MUTEX_ATTRIBUTES_INIT = "makes attributes of plain mutexes"
    MUTEX_SET_KIND = "puts the kind of a mutex into attributes"
    LOCK_INIT = "makes a lock that is free"
    SPIN_LOCK = "takes a spin lock"
    SPIN_UNLOCK = "gives a spin lock back"
    SPIN_TRY = "takes a spin lock if that is free"
    READ_LOCK = "takes a reader-writer lock with other readers"
    WRITE_LOCK = "takes a reader-writer lock alone"
    READ_WRITE_UNLOCK = "gives a reader-writer lock back"
    SEMAPHORE_INIT = "makes a semaphore with a number"
    SEMAPHORE_WAIT = "takes one off a semaphore"
    SEMAPHORE_POST = "adds one to a semaphore"
    SEMAPHORE_VALUE = "reads a semaphore"
    BARRIER_INIT = "makes a barrier for a number of threads"
    BARRIER_WAIT = "waits until so many have arrived"
    DESTROY = "ends the use of a lock, a barrier or a condition variable"
    CONDITION_INIT = "makes a condition variable"
    CONDITION_SIGNAL = "wakes threads that wait"
    CONDITION_WAIT = "gives a mutex back, waits, takes it again"
    ONCE = "calls a function unless that was done before"
    NEW_KEY = "makes a key for thread-specific data, with a destructor"
    SET_SPECIFIC = "sets thread-specific data"
    DETACH = "says that nobody will wait for a thread"
    SET_DETACHED = "puts into attributes whether anybody will wait for threads"
    SET_ROBUST = "says whether a mutex is told when its owner ends"
    ATTRIBUTES = "makes, changes or ends attributes, of which nothing matters"
    START_SCHEDULER = "lets the threads that were created run, and does not return"
    UNSURE = "is where it is not followed who may run"
    LAST_KEY = "takes it for granted that a key is the last one that was given out"
    THREAD_NUMBER = "gives the number by which the calling thread is known"
    OWN_HANDLE = "gives the handle of the calling thread, which is not tracked"
    NOTHING = "orders nothing and touches nothing that matters"
    ANYTHING = "orders nothing; its result is not tracked"


_NAMES: Mapping[ThreadCall, str] = {
    ThreadCall.CREATE: "pthread_create thrd_create",
    ThreadCall.JOIN: "pthread_join thrd_join",
    ThreadCall.EXIT: "pthread_exit thrd_exit",
    ThreadCall.CANCEL: "pthread_cancel",
    ThreadCall.SET_CANCEL_TYPE: "pthread_setcanceltype",
    ThreadCall.SET_CANCEL_STATE: "pthread_setcancelstate",
    ThreadCall.MUTEX_INIT: "pthread_mutex_init",
    ThreadCall.TYPED_MUTEX_INIT: "mtx_init",
    ThreadCall.MUTEX_LOCK: "pthread_mutex_lock mtx_lock",
    ThreadCall.MUTEX_UNLOCK: "pthread_mutex_unlock mtx_unlock",
    ThreadCall.MUTEX_TRY: "pthread_mutex_trylock mtx_trylock",
    ThreadCall.MUTEX_TIMED: "pthread_mutex_timedlock mtx_timedlock pthread_mutex_clocklock",
    ThreadCall.MUTEX_ATTRIBUTES_INIT: "pthread_mutexattr_init",
    ThreadCall.MUTEX_SET_KIND: "pthread_mutexattr_settype pthread_mutexattr_setkind_np",
    ThreadCall.LOCK_INIT: "pthread_rwlock_init pthread_spin_init",
    ThreadCall.SPIN_LOCK: "pthread_spin_lock",
    ThreadCall.SPIN_UNLOCK: "pthread_spin_unlock",
    ThreadCall.SPIN_TRY: "pthread_spin_trylock",
    ThreadCall.READ_LOCK: "pthread_rwlock_rdlock pthread_rwlock_tryrdlock pthread_rwlock_timedrdlock pthread_rwlock_clockrdlock",
    ThreadCall.WRITE_LOCK: "pthread_rwlock_wrlock pthread_rwlock_trywrlock pthread_rwlock_timedwrlock pthread_rwlock_clockwrlock",
    ThreadCall.READ_WRITE_UNLOCK: "pthread_rwlock_unlock",
    ThreadCall.SEMAPHORE_INIT: "sem_init",
    ThreadCall.SEMAPHORE_WAIT: "sem_wait sem_trywait sem_timedwait sem_clockwait __circ_sem_try",
    ThreadCall.SEMAPHORE_POST: "sem_post",
    ThreadCall.SEMAPHORE_VALUE: "sem_getvalue",
    ThreadCall.BARRIER_INIT: "pthread_barrier_init",
    ThreadCall.BARRIER_WAIT: "pthread_barrier_wait",
    ThreadCall.DESTROY: """
        pthread_mutex_destroy pthread_rwlock_destroy pthread_spin_destroy pthread_barrier_destroy pthread_cond_destroy
        mtx_destroy cnd_destroy sem_destroy""",
    ThreadCall.CONDITION_INIT: "pthread_cond_init cnd_init",
    ThreadCall.CONDITION_SIGNAL: "pthread_cond_signal pthread_cond_broadcast cnd_signal cnd_broadcast",
    ThreadCall.CONDITION_WAIT: "pthread_cond_wait pthread_cond_timedwait pthread_cond_clockwait cnd_wait cnd_timedwait",
    ThreadCall.ONCE: "pthread_once call_once",
    ThreadCall.NEW_KEY: "pthread_key_create tss_create",
    ThreadCall.SET_SPECIFIC: "pthread_setspecific tss_set",
    ThreadCall.DETACH: "pthread_detach thrd_detach",
    ThreadCall.SET_DETACHED: "pthread_attr_setdetachstate",
    ThreadCall.ATTRIBUTES: """
        pthread_attr_init pthread_attr_destroy pthread_attr_setstacksize pthread_attr_setstack pthread_attr_setguardsize
        pthread_attr_setscope pthread_attr_setschedpolicy pthread_attr_setinheritsched
        pthread_mutexattr_destroy pthread_mutexattr_setpshared pthread_mutexattr_setprotocol
        pthread_mutexattr_setprioceiling
        pthread_condattr_init pthread_condattr_destroy pthread_condattr_setclock pthread_condattr_setpshared
        pthread_rwlockattr_init pthread_rwlockattr_destroy pthread_rwlockattr_setpshared pthread_rwlockattr_setkind_np
        pthread_barrierattr_init pthread_barrierattr_destroy pthread_barrierattr_setpshared""",
    ThreadCall.SET_ROBUST: "pthread_mutexattr_setrobust pthread_mutexattr_setrobust_np",
    ThreadCall.START_SCHEDULER: "__circ_start_scheduler",
    ThreadCall.UNSURE: "__circ_unsure",
    ThreadCall.LAST_KEY: "__circ_last_key",
    ThreadCall.THREAD_NUMBER: "__circ_task_number",
    ThreadCall.OWN_HANDLE: "pthread_self thrd_current",
    ThreadCall.NOTHING: """
        pthread_setconcurrency pthread_key_delete tss_delete pthread_testcancel sched_yield thrd_yield pthread_yield""",
    ThreadCall.ANYTHING: """
        pthread_equal thrd_equal pthread_getspecific tss_get pthread_kill thrd_sleep
        pthread_mutex_consistent pthread_mutex_consistent_np""",
}

THREAD_LIBRARY: Mapping[str, ThreadCall] = {name: call for call, names in _NAMES.items() for name in names.split()}
"""What each function does. One of the program's own with such a name has another one by then (`frontend.lower.units`)."""


LEAST_ARGUMENTS: Mapping[ThreadCall, int] = {
    **dict.fromkeys(ThreadCall, 1), ThreadCall.NOTHING: 0, ThreadCall.ANYTHING: 0, ThreadCall.EXIT: 0,
    ThreadCall.START_SCHEDULER: 0, ThreadCall.UNSURE: 0, ThreadCall.LAST_KEY: 0, ThreadCall.THREAD_NUMBER: 0,
    ThreadCall.OWN_HANDLE: 0,
    ThreadCall.CONDITION_WAIT: 2, ThreadCall.ONCE: 2, ThreadCall.SET_SPECIFIC: 2,
}
"""So many arguments a call has to have, also where the function is declared without parameters (`int pthread_join();`)."""


def names_of(*calls: ThreadCall) -> tuple[str, ...]:
    """The functions that do one of these."""
    return tuple(name for call in calls for name in _NAMES[call].split())


THREAD_STARTERS: Mapping[str, tuple[int, int]] = {"pthread_create": (2, 3), "thrd_create": (1, 2)}
"""Functions that start a thread: which argument is its function, which one is handed to it."""
WITH_ATTRIBUTES = ("pthread_create", "pthread_mutex_init", "pthread_cond_init", "pthread_rwlock_init", "pthread_barrier_init")
"""Functions whose second argument points to attributes."""
PREFIXES = ("pthread_", "thrd_", "mtx_", "cnd_", "sem_")
"""What the names of the functions begin with, those included that nothing is known about."""
LOCK_PREFIXES = ("pthread_mutex_", "pthread_cond_", "pthread_rwlock_", "pthread_spin_", "pthread_barrier_", "sem_", "mtx_",
                 "cnd_", "__circ_sem_")
"""Names of functions that work on a lock, a condition variable, a semaphore or a barrier begin with these."""
CANCELLATION_POINTS = frozenset({
    *names_of(ThreadCall.JOIN, ThreadCall.CONDITION_WAIT), "pthread_testcancel", "sem_wait", "sem_timedwait", "thrd_sleep",
    "pthread_rwlock_rdlock", "pthread_rwlock_wrlock", "pthread_rwlock_timedrdlock", "pthread_rwlock_timedwrlock",
})
"""Functions of the threading library in which a thread may be cancelled; in the others it is not."""
TELL_LOCK_TYPES = (
    "pthread_mutex_init", "pthread_mutex_lock", "pthread_mutex_unlock", "pthread_cond_wait", "pthread_cond_init",
    "pthread_cond_signal", "pthread_rwlock_init", "pthread_rwlock_rdlock", "pthread_rwlock_wrlock", "pthread_barrier_init",
    "pthread_barrier_wait", "pthread_mutexattr_init", "pthread_mutexattr_settype", "pthread_spin_lock", "sem_init", "sem_wait",
    "sem_post", "mtx_init", "mtx_lock", "cnd_init", "cnd_wait",
)
"""Functions whose first parameter points to an object of the library: their declarations tell what its type is."""
