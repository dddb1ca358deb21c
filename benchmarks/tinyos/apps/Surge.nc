includes MultiHop;
configuration Surge { }
implementation {
  components Main, SurgeM, TimerC, LedsM, PhotoM, ADCC, MultiHopEngineM, MultiHopWMEWMA, QueuedSendM, AMStandard, UARTFramedC,
    MicaHighSpeedRadioC, RandomLFSR;
  Main.StdControl -> SurgeM;
  Main.StdControl -> QueuedSendM;
  Main.StdControl -> AMStandard;
  Main.StdControl -> MultiHopWMEWMA;
  SurgeM.ADC -> ADCC.ADC[1];
  SurgeM.Timer -> TimerC.Timer[unique("Timer")];
  SurgeM.Leds -> LedsM;
  SurgeM.Sounder -> PhotoM;
  SurgeM.SensorControl -> PhotoM;
  SurgeM.Send -> MultiHopEngineM.Send[AM_SURGEMSG];
  SurgeM.Bcast -> AMStandard.ReceiveMsg[AM_SURGECMDMSG];
  SurgeM.RouteSelect -> MultiHopWMEWMA;
  SurgeM.Communication -> MultiHopEngineM;
  PhotoM.ADCControl -> ADCC;
  MultiHopEngineM.ReceiveMsg[AM_SURGEMSG] -> AMStandard.ReceiveMsg[AM_SURGEMSG];
  MultiHopEngineM.SendMsg -> QueuedSendM.QueueSendMsg;
  MultiHopEngineM.RouteSelect -> MultiHopWMEWMA;
  MultiHopEngineM.SubControl -> TimerC;
  MultiHopWMEWMA.Timer -> TimerC.Timer[unique("Timer")];
  MultiHopWMEWMA.ReceiveMsg -> AMStandard.ReceiveMsg[AM_MULTIHOPMSG];
  MultiHopWMEWMA.SendMsg -> QueuedSendM.QueueSendMsg[AM_MULTIHOPMSG];
  MultiHopWMEWMA.Random -> RandomLFSR;
  QueuedSendM.SerialSendMsg -> AMStandard.SendMsg;
  QueuedSendM.Leds -> LedsM;
  AMStandard.UARTControl -> UARTFramedC;
  AMStandard.UARTSend -> UARTFramedC;
  AMStandard.UARTReceive -> UARTFramedC;
  AMStandard.RadioControl -> MicaHighSpeedRadioC;
  AMStandard.RadioSend -> MicaHighSpeedRadioC;
  AMStandard.RadioReceive -> MicaHighSpeedRadioC;
  AMStandard.TimerControl -> TimerC;
  AMStandard.ActivityTimer -> TimerC.Timer[unique("Timer")];
}
