configuration Sense { }
implementation {
  components Main, SenseM, LedsM, TimerC, PhotoM, ADCC;
  Main.StdControl -> SenseM;
  Main.StdControl -> PhotoM;
  Main.StdControl -> TimerC;
  SenseM.ADC -> ADCC.ADC[1];
  SenseM.ADCControl -> PhotoM;
  SenseM.Leds -> LedsM;
  SenseM.Timer -> TimerC.Timer[unique("Timer")];
  PhotoM.ADCControl -> ADCC;
}
