includes AM;
interface Intercept {
  event result_t intercept(TOS_MsgPtr msg, void *payload, uint16_t len);
}
