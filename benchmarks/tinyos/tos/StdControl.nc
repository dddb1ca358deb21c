interface StdControl {
  command result_t init();
  command result_t start();
  command result_t stop();
}
