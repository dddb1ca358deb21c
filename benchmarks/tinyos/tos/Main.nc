module Main {
  uses interface StdControl;
}
implementation {
  int main() __attribute__((C, spontaneous)) {
    TOSH_SET_PIN_DIRECTIONS();
    TOSH_sched_init();
    call StdControl.init();
    call StdControl.start();
    __nesc_enable_interrupt();
    while (1) {
      TOSH_run_task();
    }
  }
}
