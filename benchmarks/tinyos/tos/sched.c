/* A ring of posted tasks: TOSH_count of them wait, from TOSH_first on. */
enum { TOSH_PLACES = 8 };

void (*TOSH_waiting[TOSH_PLACES])(void);
volatile uint8_t TOSH_first;
volatile uint8_t TOSH_count;

void TOSH_sched_init(void) {
  TOSH_first = TOSH_count = 0;
}

bool TOS_post(void (*tp) ()) __attribute__((spontaneous)) {
  __nesc_atomic_t before = __nesc_atomic_start();
  bool room = TOSH_count < TOSH_PLACES;

  if (room) {
    TOSH_waiting[(TOSH_first + TOSH_count) % TOSH_PLACES] = tp;
    TOSH_count++;
  }
  __nesc_atomic_end(before);
  return room;
}

bool TOSH_run_next_task() {
  __nesc_atomic_t before = __nesc_atomic_start();
  bool any = TOSH_count > 0;
  void (*next)(void) = TOSH_waiting[TOSH_first];

  if (any) {
    TOSH_first = (TOSH_first + 1) % TOSH_PLACES;
    TOSH_count--;
  }
  __nesc_atomic_end(before);
  if (any)
    next();
  return any;
}

void TOSH_run_task() {
  while (TOSH_run_next_task())
    ;
  TOSH_sleep();
  TOSH_wait();
}
