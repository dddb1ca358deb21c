includes MultiHop;
module SurgeM {
  provides interface StdControl;
  uses {
    interface ADC;
    interface Timer;
    interface Leds;
    interface StdControl as Sounder;
    interface Send;
    interface ReceiveMsg as Bcast;
    interface RouteSelect;
    interface StdControl as Communication;
    interface StdControl as SensorControl;
  }
}
implementation {
  TOS_Msg gMsgBuffer;
  norace uint16_t gSensorData;
  uint32_t seqno;
  bool gfSendBusy;
  bool sleeping, focused, rebroadcast_adc_packet;
  int timer_rate;
  int timer_ticks;

  static void initialize() {
    timer_rate = INITIAL_TIMER_RATE;
    atomic gfSendBusy = FALSE;
    sleeping = FALSE;
    seqno = 0;
    rebroadcast_adc_packet = FALSE;
    focused = FALSE;
  }
  task void SendData() {
    SurgeMsg *pReading;
    uint16_t Len;

    if ((pReading = (SurgeMsg *)call Send.getBuffer(&gMsgBuffer, &Len))) {
      pReading->type = 0;
      pReading->parentaddr = 0;
      pReading->reading = gSensorData;
      pReading->seq_no = seqno++;
      if ((call Send.send(&gMsgBuffer, sizeof(SurgeMsg))) != SUCCESS)
        atomic gfSendBusy = FALSE;
    }
  }
  command result_t StdControl.init() {
    initialize();
    call Leds.init();
    call SensorControl.init();
    return call Communication.init();
  }
  command result_t StdControl.start() {
    call SensorControl.start();
    call Communication.start();
    return call Timer.start(0, timer_rate);
  }
  command result_t StdControl.stop() {
    return call Timer.stop();
  }
  event result_t Timer.fired() {
    timer_ticks++;
    if (timer_ticks % 4 == 0)
      call ADC.getData();
    return SUCCESS;
  }
  async event result_t ADC.dataReady(uint16_t data) {
    atomic {
      if (!gfSendBusy) {
        gfSendBusy = TRUE;
        gSensorData = data;
        post SendData();
      }
    }
    return SUCCESS;
  }
  event result_t Send.sendDone(TOS_MsgPtr pMsg, result_t success) {
    atomic gfSendBusy = FALSE;
    return SUCCESS;
  }
  event TOS_MsgPtr Bcast.receive(TOS_MsgPtr pMsg) {
    SurgeCmdMsg *pCmdMsg = (SurgeCmdMsg *)pMsg->data;
    if (pCmdMsg->type == 0) {
      timer_rate = pCmdMsg->args.newrate;
      call Timer.stop();
      call Timer.start(0, timer_rate);
    } else if (pCmdMsg->type == 1) {
      sleeping = TRUE;
      call Timer.stop();
      call Leds.greenOff();
      call Leds.yellowOff();
    } else if (pCmdMsg->type == 2) {
      initialize();
      call Timer.start(0, timer_rate);
      sleeping = FALSE;
    } else if (pCmdMsg->type == 3) {
      if (pCmdMsg->args.focusaddr == TOS_LOCAL_ADDRESS) {
        focused = TRUE;
        call Timer.stop();
        call Timer.start(0, FOCUS_TIMER_RATE);
      } else {
        call Timer.stop();
        focused = FALSE;
      }
    }
    return pMsg;
  }
}
