module QueuedSendM {
  provides {
    interface StdControl;
    interface SendMsg as QueueSendMsg[uint8_t id];
  }
  uses {
    interface SendMsg as SerialSendMsg[uint8_t id];
    interface Leds;
  }
}
implementation {
  enum { MESSAGE_QUEUE_SIZE = 16, MAX_RETRANSMIT_COUNT = 5 };
  struct _msgq_entry {
    uint16_t address;
    uint8_t length;
    uint8_t id;
    uint8_t xmit_count;
    TOS_MsgPtr pMsg;
  } msgqueue[MESSAGE_QUEUE_SIZE];
  uint16_t enqueue_next, dequeue_next;
  bool retransmit;
  bool fQueueIdle;

  command result_t StdControl.init() {
    int i;
    for (i = 0; i < MESSAGE_QUEUE_SIZE; i++)
      msgqueue[i].length = 0;
    retransmit = TRUE;
    enqueue_next = 0;
    dequeue_next = 0;
    fQueueIdle = TRUE;
    return SUCCESS;
  }
  command result_t StdControl.start() {
    return SUCCESS;
  }
  command result_t StdControl.stop() {
    return SUCCESS;
  }
  task void QueueServiceTask() {
    uint8_t id;
    if (msgqueue[dequeue_next].length != 0) {
      call Leds.greenToggle();
      id = msgqueue[dequeue_next].id;
      if (!(call SerialSendMsg.send[id](msgqueue[dequeue_next].address, msgqueue[dequeue_next].length,
                                        msgqueue[dequeue_next].pMsg)))
        fQueueIdle = TRUE;
    } else {
      fQueueIdle = TRUE;
    }
  }
  command result_t QueueSendMsg.send[uint8_t id](uint16_t address, uint8_t length, TOS_MsgPtr msg) {
    if (((enqueue_next + 1) % MESSAGE_QUEUE_SIZE) == dequeue_next)
      return FAIL;
    msgqueue[enqueue_next].address = address;
    msgqueue[enqueue_next].length = length;
    msgqueue[enqueue_next].id = id;
    msgqueue[enqueue_next].pMsg = msg;
    msgqueue[enqueue_next].xmit_count = 0;
    msgqueue[enqueue_next].pMsg->ack = 0;
    enqueue_next++;
    enqueue_next %= MESSAGE_QUEUE_SIZE;
    if (fQueueIdle) {
      fQueueIdle = FALSE;
      post QueueServiceTask();
    }
    return SUCCESS;
  }
  event result_t SerialSendMsg.sendDone[uint8_t id](TOS_MsgPtr msg, result_t success) {
    if (msg != msgqueue[dequeue_next].pMsg)
      return FAIL;
    if (retransmit && msg->ack == 0 && msgqueue[dequeue_next].address != TOS_UART_ADDR) {
      call Leds.redToggle();
      if (++(msgqueue[dequeue_next].xmit_count) > MAX_RETRANSMIT_COUNT) {
        signal QueueSendMsg.sendDone[id](msg, FAIL);
        msgqueue[dequeue_next].length = 0;
        dequeue_next++;
        dequeue_next %= MESSAGE_QUEUE_SIZE;
      }
    } else {
      signal QueueSendMsg.sendDone[id](msg, success);
      msgqueue[dequeue_next].length = 0;
      dequeue_next++;
      dequeue_next %= MESSAGE_QUEUE_SIZE;
    }
    post QueueServiceTask();
    return SUCCESS;
  }
  default event result_t QueueSendMsg.sendDone[uint8_t id](TOS_MsgPtr msg, result_t success) {
    return SUCCESS;
  }
  default command result_t SerialSendMsg.send[uint8_t id](uint16_t address, uint8_t length, TOS_MsgPtr msg) {
    return SUCCESS;
  }
}
