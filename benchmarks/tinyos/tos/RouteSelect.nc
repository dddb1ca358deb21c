includes AM;
interface RouteSelect {
  command bool isActive();
  command result_t selectRoute(TOS_MsgPtr msg, uint8_t id);
  command result_t initializeFields(TOS_MsgPtr msg, uint8_t id);
}
