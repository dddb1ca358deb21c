configuration TimerC {
  provides interface Timer[uint8_t id];
  provides interface StdControl;
}
implementation {
  components TimerM, HPLClock;
  Timer = TimerM;
  StdControl = TimerM;
  TimerM.Clock -> HPLClock;
  TimerM.ClockControl -> HPLClock.StdControl;
}
