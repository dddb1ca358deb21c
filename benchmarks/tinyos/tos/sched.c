/* A ring of posted tasks. */
typedef struct {
  void (*tp) ();
} TOSH_sched_entry_T;

enum {
  TOSH_MAX_TASKS = 8,
  TOSH_TASK_BITMASK = (TOSH_MAX_TASKS - 1)
};

TOSH_sched_entry_T TOSH_queue[TOSH_MAX_TASKS];
volatile uint8_t TOSH_sched_full;
volatile uint8_t TOSH_sched_free;

void TOSH_sched_init(void) {
  TOSH_sched_free = 0;
  TOSH_sched_full = 0;
}

bool TOS_post(void (*tp) ()) __attribute__((spontaneous)) {
  __nesc_atomic_t fInterruptFlags;
  uint8_t tmp;

  fInterruptFlags = __nesc_atomic_start();
  tmp = TOSH_sched_free;
  TOSH_sched_free++;
  TOSH_sched_free &= TOSH_TASK_BITMASK;
  if (TOSH_sched_free != TOSH_sched_full) {
    __nesc_atomic_end(fInterruptFlags);
    TOSH_queue[tmp].tp = tp;
    return TRUE;
  } else {
    TOSH_sched_free = tmp;
    __nesc_atomic_end(fInterruptFlags);
    return FALSE;
  }
}

bool TOSH_run_next_task() {
  __nesc_atomic_t fInterruptFlags;
  uint8_t old_full;
  void (*func) (void);

  if (TOSH_sched_full == TOSH_sched_free)
    return FALSE;
  fInterruptFlags = __nesc_atomic_start();
  old_full = TOSH_sched_full;
  TOSH_sched_full++;
  TOSH_sched_full &= TOSH_TASK_BITMASK;
  __nesc_atomic_end(fInterruptFlags);
  func = TOSH_queue[(int)old_full].tp;
  TOSH_queue[(int)old_full].tp = 0;
  func();
  return TRUE;
}

void TOSH_run_task() {
  while (TOSH_run_next_task())
    ;
  TOSH_sleep();
  TOSH_wait();
}
