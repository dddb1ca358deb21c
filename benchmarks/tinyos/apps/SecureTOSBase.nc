configuration SecureTOSBase { }
implementation {
  components Main, TOSBaseM, UARTFramedC, MicaHighSpeedRadioC, TinySecC, LedsM;
  Main.StdControl -> TOSBaseM;
  TOSBaseM.UARTControl -> UARTFramedC;
  TOSBaseM.UARTSend -> UARTFramedC;
  TOSBaseM.UARTReceive -> UARTFramedC;
  TOSBaseM.RadioControl -> MicaHighSpeedRadioC;
  TOSBaseM.SecurityControl -> TinySecC;
  TOSBaseM.RadioSend -> TinySecC.Send;
  TOSBaseM.RadioReceive -> TinySecC.Receive;
  TinySecC.RadioSend -> MicaHighSpeedRadioC.Send;
  TinySecC.RadioReceive -> MicaHighSpeedRadioC.Receive;
  TOSBaseM.Leds -> LedsM;
}
